#pragma once

#include <initializer_list>
#include <string>
#include <unordered_map>

#include "core/stack/onnx/file.h"
#include "core/stack/onnx/scopes.h"
#include "core/stack/pytorch/graph.h"

/// Converts the operators of ONNX to those of PyTorch. Private to core/stack/onnx.
namespace highwater::stack::onnx {

using pytorch::Argument;
using pytorch::Ref;
using pytorch::Refs;
using Whole = std::vector<std::int64_t>;
using Arguments = std::vector<std::pair<const char*, Argument>>;

/// Whether a name is one that exporters generate for computed values: "val_12", "onnx::Conv_12".
bool isMadeName(std::string_view name);

/// The stages of random numbers of a dropout: drawn, compared with `keep`, divided by it.
enum class Noise { None, Drawn, Mask, Scaled };

/// The value of a name in the file.
struct Value {
    std::optional<Ref> ref;  ///< its value in the graph, if it was computed or a call has read it
    bool constant = false;   ///< known without the network's input
    bool sized = false;
    bool data = false;  ///< whether it depends on the network's input
    Shape shape;
    Type type = Type::Float;
    Numbers numbers;       ///< as Tensor::numbers
    bool outside = false;  ///< as Tensor::outside
    std::string weight;    ///< the name of the initializer, for an initializer or another view of one
    Noise noise = Noise::None;
    double keep = 1;

    double at(std::size_t index) const { return numbers.size() == 1 ? numbers[0] : numbers[index]; }
    std::size_t count() const;
    /// Whether all numbers are known to be equal to this one.
    bool all(double number) const { return numbers.size() == 1 && numbers[0] == number; }
    /// A single number, for a tensor of any size, that is not a parameter.
    bool isNumber() const;
};

/// A normalization that PyTorch's exporters split into several operators, and its scale.
struct GroupNorm {
    Ref source;
    std::int64_t groups;
    double eps;
    const Value* scale = nullptr;
};
/// A product with a weight, whose bias may follow.
struct Product {
    Ref source;
    const Value* weight;
};

/// What was found that the layers cannot express.
struct Seen {
    std::size_t foldedNorms = 0, frozenNorms = 0, norms = 0, convolutions = 0, renamedWeights = 0;
    std::size_t dropouts = 0;  ///< dropouts that do nothing
    std::size_t trains = 0;    ///< operators that only a network exported for training has
};

class Maker {
public:
    /// Memory counts against `budget`.
    Maker(const File& file, const ScopeTable& scopes, base::MemoryBudget& budget)
        : file_(file), scopes_(scopes), budget_(budget) {}

    /// Error if sizes are too large, or if it takes more than the budget. `inputs`: the shapes of all inputs,
    /// completely known; if they differ from the file's, all sizes in the file are ignored.
    base::Result<pytorch::Graph> make(const std::vector<Shape>& inputs);
    const Seen& seen() const { return seen_; }

private:
    friend class Op;
    void run(const Body& body);
    void runBranch(const Node& node);
    void define(const std::string& name, Value value);
    Value* find(const std::string& name);
    Ref refOf(const std::string& name, Value& value);
    Ref newRef(const std::string& name, const Value& value);
    Ref parameter(const std::string& name, const Shape& shape, Type type);
    void addCall(pytorch::Call call);

    const File& file_;
    const ScopeTable& scopes_;
    base::MemoryBudget& budget_;
    pytorch::Graph graph_;
    std::unordered_map<std::string, Value> values_;
    std::unordered_map<std::string, const Node*> makers_;
    std::unordered_map<std::string, Ref> parameters_;
    std::unordered_map<Ref, GroupNorm> groupNorms_;
    std::unordered_map<Ref, Product> products_;
    std::optional<base::Error> error_;
    Seen seen_;
    bool asTheFile_ = true;
};

}  // namespace highwater::stack::onnx
