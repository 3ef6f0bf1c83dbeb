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

/// An .onnx file as values (onnx.proto3 of the ONNX repository). Weights are not kept: of a tensor only its
/// sizes, and its numbers where they are few or all alike. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Protobuf's own limit for one message; larger networks keep their weights in files beside it.
inline constexpr base::Bytes kMostFileBytes = 2 * base::kGiB - 1;
/// So many numbers of a tensor are kept: enough for sizes, scales and paddings.
inline constexpr std::size_t kMostNumbers = 256;
inline constexpr std::int64_t kOldestOperators = 11;  ///< of ai.onnx

/// Of TensorProto::DataType.
enum class Type : int { Float = 1, Int64 = 7, Bool = 9, Half = 10, Double = 11, Bfloat16 = 16 };

/// Error where the sizes are not from 0 to kMostSize, or their product is more than any tensor has.
struct Tensor {
    Shape shape;
    Type type = Type::Float;
    std::vector<double> numbers;  ///< all; one that stands for all; or none where they were not kept
    bool outside = false;         ///< whether they lie in another file
};

struct Body;
using Numbers = std::vector<double>;
using Attribute = std::variant<std::int64_t, double, std::string, Numbers, Tensor, std::shared_ptr<Body>>;

/// A call of an operator.
struct Node {
    std::string kind;                  ///< "Conv"; "my.domain.Op" outside ai.onnx
    std::string name;                  ///< "/layer1/layer1.0/conv1/Conv" of PyTorch's older exporter
    std::vector<std::string> inputs;   ///< empty where one is left out
    std::vector<std::string> outputs;  ///< the same
    std::map<std::string, Attribute, std::less<>> attributes;
    std::string names, classes;  ///< the modules, as PyTorch's newer exporter writes lists of Python
};

struct Body {
    std::vector<Node> nodes;
    std::vector<std::string> outputs;
};

/// What is said of a value: -1 for a size that is a symbol or is not said.
struct Said {
    Shape shape;
    Type type = Type::Float;
};

struct File {
    std::int64_t operators = 0;  ///< version of ai.onnx
    Body body;
    std::map<std::string, Tensor> weights;             ///< the initializers
    std::vector<std::pair<std::string, Said>> inputs;  ///< without initializers
    std::map<std::string, Said, std::less<>> said;     ///< of the values between, and of the outputs
};

/// Errors are one line: no such file; larger than kMostFileBytes; no ONNX file, or a damaged one; operators
/// before kOldestOperators; more memory than `budget` has. Protobuf's own limits hold: 100 messages in each
/// other, and no memory is taken for a length that only the file says. Files with weights beside it are not
/// looked for.
base::Result<File> readFile(const std::filesystem::path& path, base::MemoryBudget& budget);
base::Result<File> readBytes(std::string_view bytes, base::MemoryBudget& budget);

}  // namespace highwater::stack::onnx
