#pragma once

#include <initializer_list>
#include <string>
#include <unordered_map>

#include "core/stack/onnx/file.h"
#include "core/stack/onnx/scopes.h"
#include "core/stack/pytorch/graph.h"

/// From the operators of ONNX to those of PyTorch. Private to core/stack/onnx.
namespace highwater::stack::onnx {

using pytorch::Argument;
using pytorch::Ref;
using pytorch::Refs;
using Whole = std::vector<std::int64_t>;
using Arguments = std::vector<std::pair<const char*, Argument>>;

/// Whether a name is one that exporters give to what they computed: "val_12", "onnx::Conv_12".
bool isMadeName(std::string_view name);

/// Random numbers on their way to a dropout: drawn, compared with `keep`, divided by it.
enum class Noise { None, Drawn, Mask, Scaled };

/// What a name of the file stands for.
struct Value {
    std::optional<Ref> ref;  ///< in the graph, where something was computed, or once a call reads it
    bool constant = false;   ///< known without the input
    bool sized = false;
    bool data = false;  ///< whether it follows from the network's input
    Shape shape;
    Type type = Type::Float;
    Numbers numbers;       ///< as Tensor::numbers
    bool outside = false;  ///< as Tensor::outside
    std::string weight;    ///< of an initializer, or of another view of one: its name
    Noise noise = Noise::None;
    double keep = 1;

    double at(std::size_t index) const { return numbers.size() == 1 ? numbers[0] : numbers[index]; }
    std::size_t count() const;
    /// Whether all numbers are known to be this one.
    bool all(double number) const { return numbers.size() == 1 && numbers[0] == number; }
    /// One number, of a tensor of any size, that is no parameter.
    bool isNumber() const;
};

/// A normalization that PyTorch's exporters write as several operators; what its scale is.
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

/// What was seen on the way that the layers do not say.
struct Seen {
    std::size_t foldedNorms = 0, frozenNorms = 0, norms = 0, convolutions = 0, renamedWeights = 0;
    std::size_t dropouts = 0;  ///< that do nothing
    std::size_t trains = 0;    ///< what only a file of a network in training has
};

class Maker {
public:
    /// What is made counts against `budget`.
    Maker(const File& file, const ScopeTable& scopes, base::MemoryBudget& budget)
        : file_(file), scopes_(scopes), budget_(budget) {}

    /// Error for too large sizes, or if it takes more than the budget. `inputs`: the shapes of the inputs,
    /// all of them known; where they are not what the file says, nothing that the file says of sizes is used.
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
