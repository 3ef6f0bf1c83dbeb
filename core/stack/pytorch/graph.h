#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/memory_budget.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The serialized graph of torch.export as values (torch/_export/serde/schema.py, major versions 7 and 8).
/// Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

/// Index of a named value in Graph::values.
using Ref = std::size_t;

/// A module that is being called.
struct Scope {
    std::string key;   ///< distinguishes calls of one module, where torch does
    std::string name;  ///< as in named_modules(); empty for the network itself
    std::string kind;  ///< the class, including its Python module
    bool operator==(const Scope&) const = default;
};
using Scopes = std::vector<Scope>;  ///< outermost first

/// The classes of modules that are imported as a whole, not operator by operator.
inline constexpr std::string_view kLocalResponseNorm = "torch.nn.modules.normalization.LocalResponseNorm";
inline constexpr std::string_view kMultiheadAttention = "torch.nn.modules.activation.MultiheadAttention";
/// The class of a scope that represents one call of torch.utils.checkpoint.checkpoint.
inline constexpr std::string_view kCheckpoint = "torch.utils.checkpoint.checkpoint";
/// The Python package marks the begin and end of such a call with empty tensors of these sizes.
inline constexpr std::array<std::int64_t, 2> kCheckpointBegins = {0, 7001}, kCheckpointEnds = {0, 7002};

/// The approximate memory of the scopes.
std::size_t memoryOf(const Scopes& scopes);
std::string where(const Scopes& scopes);
/// Whether the innermost module is one of PyTorch's own, such as Conv3d.
bool isLeaf(const Scopes& scopes);
/// The enclosing modules of a layer, without its own.
Scopes around(Scopes scopes);
/// Parses a call's metadata: "key,name,class;key,name,class".
Scopes readScopes(std::string_view text);
/// "torch.ops.aten.conv3d.default" is conv3d, "torch.ops.higher_order.cond" is cond.
std::string operatorName(std::string_view target);

/// The known properties of a tensor. It has at most kMostGraphAxes sizes between 0 and kMostSize, and their
/// product is at most kMostTensorBytes.
struct TensorMeta {
    Shape shape;
    std::vector<std::int64_t> strides;
    std::int64_t dtype = 0;
    bool requiresGrad = false;
};
inline constexpr std::size_t kMostGraphAxes = 64;                     ///< PyTorch's limit for most operators
inline constexpr std::int64_t kHalf = 6, kFloat = 7, kBfloat16 = 13;  ///< values of TensorMeta::dtype
/// Error for sizes that are symbolic, too large or too many.
base::Result<TensorMeta> readMeta(const base::Json& json, const std::string& name);
/// For a contiguous tensor that needs a gradient. Error for sizes that are too large or too many.
base::Result<TensorMeta> contiguousMeta(Shape shape, std::int64_t dtype, const std::string& name);
bool isContiguous(const TensorMeta& meta);
std::int64_t elements(const Shape& shape);

struct Nothing {};  ///< None
struct Other {};    ///< arguments that no layer needs: devices, memory formats, graphs
using Refs = std::vector<Ref>;
using Argument = std::variant<Nothing, Ref, Refs, bool, std::int64_t, std::vector<std::int64_t>, double,
                              std::vector<double>, std::string, Other>;

/// One call of an operator.
struct Call {
    std::string name;                                        ///< "conv3d", "relu_"
    std::map<std::string, Argument, std::less<>> arguments;  ///< the arguments that are not at their default
    Refs reads;                                              ///< all values that it reads, without duplicates
    Refs outputs;
    bool tensorsOnly = true;  ///< whether all outputs are tensors
    Scopes scopes;
};

struct NamedValue {
    std::string name;
    std::optional<TensorMeta> meta;
    std::optional<std::size_t> madeBy;  ///< the call; std::nullopt for an input of the graph
    std::size_t users = 0;              ///< number of calls that read it, including the graph's output
};

/// The approximate memory in a graph; for a value, including its entry in a table of names.
std::size_t memoryOf(const Call& call);
std::size_t memoryOf(const NamedValue& value);

struct Parameter {
    Ref value;
    std::string name;
};

struct Graph {
    std::vector<NamedValue> values;
    std::vector<Call> calls;
    Refs inputs;       ///< the inputs that form the experiment's input, concatenated along the channels; at
                       ///< least one
    Refs otherInputs;  ///< tensors of other sizes or types
    std::vector<Parameter> parameters;                 ///< in the order of named_parameters()
    bool tiesKnown = false;                            ///< whether tied parameters share one name, the first
    std::vector<std::pair<std::string, Ref>> outputs;  ///< by key or index
    std::size_t checkpoints = 0;  ///< calls of torch.utils.checkpoint for which no scope says what they
                                  ///< contain
    bool functional = false;  ///< in-place operators were replaced: the graph is no longer as it was traced

    /// The shape of all `inputs` concatenated.
    Shape inputShape() const;
    /// Empty if unknown.
    const Shape& shape(Ref ref) const;
    /// The shape of a call's first output.
    const Shape& shape(const Call& call) const;
};

/// Divides the network's inputs: the largest tensor with channels and sizes, and others that differ from it
/// only in their channels, form the experiment's input. Error if there is none.
base::Status takeInputs(const Refs& given, Graph& graph);
/// Reads the document. Errors begin with the location: "/graph_module/graph/nodes/3/inputs/0: ...". The graph
/// counts against `budget`.
base::Result<Graph> readGraph(const base::Json& program, base::MemoryBudget& budget);
/// Gives tied parameters one name, according to the archive's list of weights.
void readTies(const base::Json& weights, Graph& graph);
/// The same from a map of other names to first names.
void readOtherNames(const base::Json& ties, Graph& graph);
/// The keys of the network's outputs, from the specification of its result.
base::Result<std::vector<std::string>> outputKeys(const base::Json& graphModule, std::size_t count);
/// The class of the outermost module without its Python module, from the calls; empty if no call has it.
std::string className(const Graph& graph);

}  // namespace highwater::stack::pytorch
