#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/memory_budget.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/stack/experiment.h"

/// An .onnx file as values (onnx.proto3 of the ONNX repository). Weights are not stored: only a tensor's
/// sizes, and its numbers if they are few or all equal. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Protobuf's own limit for one message; larger networks store their weights in separate files.
inline constexpr base::Bytes kMostFileBytes = 2 * base::kGiB - 1;
/// Maximum number of values stored for a tensor: enough for sizes, scales and paddings.
inline constexpr std::size_t kMostNumbers = 256;
inline constexpr std::int64_t kOldestOperators = 11;  ///< the oldest supported opset of ai.onnx

/// The values of TensorProto::DataType that are supported.
enum class Type : int { Float = 1, Int64 = 7, Bool = 9, Half = 10, Double = 11, Bfloat16 = 16 };

/// Error if the sizes are not from 0 to kMostSize, or their product exceeds any tensor.
struct Tensor {
    Shape shape;
    Type type = Type::Float;
    std::vector<double> numbers;  ///< all; one, if all are equal; or none if they were not stored
    bool outside = false;         ///< whether the data is in another file
};

struct Body;
using Numbers = std::vector<double>;
using Attribute = std::variant<std::int64_t, double, std::string, Numbers, Tensor, std::shared_ptr<Body>>;

/// A call of an operator.
struct Node {
    std::string kind;                  ///< "Conv"; "my.domain.Op" outside ai.onnx
    std::string name;                  ///< "/layer1/layer1.0/conv1/Conv" of PyTorch's older exporter
    std::vector<std::string> inputs;   ///< an empty name: input left out
    std::vector<std::string> outputs;  ///< an empty name: output left out
    std::map<std::string, Attribute, std::less<>> attributes;
    std::string names, classes;  ///< the modules, in the format of PyTorch's newer exporter: Python lists
};

struct Body {
    std::vector<Node> nodes;
    std::vector<std::string> outputs;
};

/// The declared type of a value: -1 for a size that is symbolic or missing.
struct Said {
    Shape shape;
    Type type = Type::Float;
};

struct File {
    std::int64_t operators = 0;  ///< opset version of ai.onnx
    Body body;
    std::map<std::string, Tensor> weights;             ///< the initializers
    std::vector<std::pair<std::string, Said>> inputs;  ///< without initializers
    std::map<std::string, Said, std::less<>> said;     ///< for intermediate values and outputs
};

/// Errors are one line: no such file; larger than kMostFileBytes; not an ONNX file, or a damaged one; an
/// opset before kOldestOperators; more memory than `budget` has. Protobuf's own limits apply: a nesting depth
/// of 100, and no memory is allocated by an unchecked length. Separate files with weights are not needed.
base::Result<File> readFile(const std::filesystem::path& path, base::MemoryBudget& budget);
base::Result<File> readBytes(std::string_view bytes, base::MemoryBudget& budget);

}  // namespace highwater::stack::onnx
