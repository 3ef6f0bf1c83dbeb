#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/memory_budget.h"
#include "core/stack/pytorch/graph.h"

/// What each name of the graph holds while the graph is read: a value of a step, a view of one, or a
/// constant. PyTorch's operators in place change a tensor that other names still lead to. So a name leads to
/// a cell, and the cell to the newest value that was written into it: who reads an old name later gets the
/// new value, as in PyTorch. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

/// The parameters that a layer has: "weight" -> "encoder.conv.weight".
using Roles = std::map<std::string, std::string>;

/// A layer with the values that it reads and makes.
struct Step {
    base::Json layer;
    std::vector<int> inputs;  ///< the layer continues from the first, and brings back the others
    int output = 0;
    Scopes scopes;
    Roles parameters;
    bool commutes = false;
    std::string remark;            ///< what the layer cannot say of the operator
    std::string unknown;           ///< the kind of an operator that no layer stands for; it has no layer,
                                   ///< or the layer `unknown`
    const Step* shared = nullptr;  ///< the first use of the same parameters
};

/// What a step has beside its layer.
struct Extra {
    Roles parameters = {};
    bool commutes = false;
    std::string remark = {};
    std::string unknown = {};
};

struct Cell {
    int value = 0;
    Shape shape;
    bool trained = false;  ///< whether a parameter has a part in it
    bool lost = false;     ///< overwritten through a view of another shape
};

/// The layer that a view is, and the shape that it gives. A key "refusal" says why it is none.
struct ViewStep {
    base::Json layer;
    Shape shape;
    std::optional<Ref> made = {};  ///< the value that is this view: readers of one value share its layer
};

/// A view of a view of a tensor, ...: no network needs as many, and each names all of them.
inline constexpr std::size_t kMostViews = 64;

/// A cell, or a view of it (view_steps.h).
struct Activation {
    std::size_t cell = 0;
    Shape shape;
    std::vector<std::shared_ptr<const ViewStep>> views = {};  ///< at most kMostViews
};

/// Numbers 0 and 1 that are drawn: 1 with the probability `keep`, divided by it if `scaled`. Not `whole`:
/// numbers of which floor makes 0 and 1.
struct Drawn {
    double keep = 0;
    bool scaled = false;
    bool whole = false;
};

/// What does not follow from the input: a parameter, a buffer, random numbers.
struct Constant {
    std::string what;
    std::string parameter;  ///< its name
    std::optional<Drawn> drawn = {};
    std::string input = {};  ///< the input of the network that it comes from, of those that no experiment has
};

/// Constant::what of numbers that neither parameters nor an input have a part in: a buffer.
inline constexpr std::string_view kNumbers = "a constant";

using Held = std::variant<Constant, Activation>;

inline constexpr int kInput = 0;  ///< the value of the network's input

class Values {
public:
    /// What is made of the graph counts against `budget`. Once that is used up, nothing here is of use.
    Values(const Graph& graph, base::MemoryBudget& budget);

    const Held& held(Ref ref) const { return held_[ref]; }
    void set(Ref ref, Held held);
    bool tooLarge() const { return budget_->exceeded(); }
    const Activation* activation(Ref ref) const { return std::get_if<Activation>(&held_[ref]); }
    Cell& cell(const Activation& held) { return cells_[held.cell]; }
    const Cell& cell(const Activation& held) const { return cells_[held.cell]; }
    Activation hold(Cell cell);
    bool whole(const Activation& held) const { return held.views.empty() && held.shape == cell(held).shape; }

    /// The value that an activation leads to; a view becomes a layer here, where it is first
    /// read. The error's message is the kind of what no layer says.
    base::Result<int> read(const Activation& held, const Call& reader);
    Step& append(base::Json layer, std::vector<int> inputs, const Scopes& scopes, Extra extra);

    std::deque<Step> steps;

private:
    using View = std::tuple<int, std::size_t, std::string>;  // of which value and cell, as which layer
    base::MemoryBudget* budget_;
    std::vector<Held> held_;
    std::deque<Cell> cells_;
    std::map<View, int> views_;
    int count_ = kInput + 1;
};

/// Goes through the graph once: the layers in the order of execution, with what each reads. What no layer
/// says is a step whose `unknown` is set. `low`: it is trained in fp16 or bf16. `budget`: as of Values.
Values readSteps(const Graph& graph, bool low, base::MemoryBudget& budget);

}  // namespace highwater::stack::pytorch
