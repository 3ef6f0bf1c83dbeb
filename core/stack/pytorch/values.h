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

/// What each name of the graph refers to while the graph is read: a value of a step, a view of one, or a
/// constant. PyTorch's in-place operators change a tensor that has other names. So a name refers to a cell,
/// and the cell to the newest value written into it: reading an old name later gives the new value, as in
/// PyTorch. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

/// The names of a layer's parameters: "weight" -> "encoder.conv.weight".
using Roles = std::map<std::string, std::string>;

/// A layer with the values that it reads and writes.
struct Step {
    base::Json layer;
    std::vector<int> inputs;  ///< the layer continues from the first, and merges the others
    int output = 0;
    Scopes scopes;
    Roles parameters;
    bool commutes = false;
    std::string remark;            ///< a property of the operator that the layer cannot express
    std::string unknown;           ///< the kind of an operator that no layer implements; it has no layer, or
                                   ///< the layer `unknown`
    const Step* shared = nullptr;  ///< the first use of the same parameters
};

/// Additional properties of a step.
struct Extra {
    Roles parameters = {};
    bool commutes = false;
    std::string remark = {};
    std::string unknown = {};
};

struct Cell {
    int value = 0;
    Shape shape;
    bool trained = false;  ///< whether it depends on a parameter
    bool lost = false;     ///< overwritten through a view of another shape
};

/// The layer that implements a view, and its output shape. A key "refusal" says why there is none.
struct ViewStep {
    base::Json layer;
    Shape shape;
    std::optional<Ref> made = {};  ///< the value of this view: all readers of one value share its layer
};

/// The maximum number of nested views of a tensor: no network needs as many, and each one's name contains all
/// of them.
inline constexpr std::size_t kMostViews = 64;

/// A cell, or a view of it (view_steps.h).
struct Activation {
    std::size_t cell = 0;
    Shape shape;
    std::vector<std::shared_ptr<const ViewStep>> views = {};  ///< at most kMostViews
};

/// Random numbers 0 and 1: 1 with the probability `keep`, divided by it if `scaled`. Not `whole`: numbers
/// that floor maps to 0 and 1.
struct Drawn {
    double keep = 0;
    bool scaled = false;
    bool whole = false;
};

/// A value that does not depend on the input: a parameter, a buffer, random numbers.
struct Constant {
    std::string what;
    std::string parameter;  ///< the parameter's name
    std::optional<Drawn> drawn = {};
    std::string input = {};  ///< the input of the network that it depends on, if no experiment can have it
};

/// Constant::what for a parameter, and for what is computed from parameters.
inline constexpr std::string_view kParameter = "a parameter";
/// Constant::what for numbers that depend neither on parameters nor on an input: a buffer.
inline constexpr std::string_view kNumbers = "a constant";

using Held = std::variant<Constant, Activation>;

inline constexpr int kInput = 0;  ///< the value of the network's input

class Values {
public:
    /// Memory counts against `budget`. Once that is used up, this object must not be used.
    Values(const Graph& graph, base::MemoryBudget& budget);

    const Held& held(Ref ref) const { return held_[ref]; }
    void set(Ref ref, Held held);
    bool tooLarge() const { return budget_->exceeded(); }
    const Activation* activation(Ref ref) const { return std::get_if<Activation>(&held_[ref]); }
    Cell& cell(const Activation& held) { return cells_[held.cell]; }
    const Cell& cell(const Activation& held) const { return cells_[held.cell]; }
    Activation hold(Cell cell);
    bool whole(const Activation& held) const { return held.views.empty() && held.shape == cell(held).shape; }

    /// The value that an activation refers to; a view becomes a layer here, when it is first read. The
    /// error's message is the kind of an unsupported operator.
    base::Result<int> read(const Activation& held, const Call& reader);
    Step& append(base::Json layer, std::vector<int> inputs, const Scopes& scopes, Extra extra);

    std::deque<Step> steps;

private:
    using View = std::tuple<int, std::size_t, std::string>;  // the value and cell, and the layer
    base::MemoryBudget* budget_;
    std::vector<Held> held_;
    std::deque<Cell> cells_;
    std::map<View, int> views_;
    int count_ = kInput + 1;
};

/// Reads the graph once: the layers in the order of execution, with the values that each reads. An operator
/// that no layer implements is a step with `unknown` set. `low`: it is trained in fp16 or bf16. `budget`: as
/// in Values.
Values readSteps(const Graph& graph, bool low, base::MemoryBudget& budget);

}  // namespace highwater::stack::pytorch
