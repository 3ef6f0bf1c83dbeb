#include "core/stack/onnx/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/descriptor.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/onnx/message_memory.h"
#include "core/stack/onnx/tensor_numbers.h"
#include "core/stack/pytorch/graph.h"

// ONNX's own shape inference is not used: that of 1.12 segfaults on most of the damaged files of
// tests/fuzz/onnx_fuzz.cpp, and the sizes are only needed for a few operators (shapes.h).
namespace highwater::stack::onnx {

namespace {

using google::protobuf::io::CodedInputStream;

constexpr std::string_view kRight =
    "it is written by torch.onnx.export(model, (example,), \"net.onnx\", ...)";
constexpr int kMetadataOfNode = 9;  // NodeProto::metadata_props, which ONNX has from 1.16 on

class FileReader {
public:
    explicit FileReader(base::MemoryBudget& budget) : budget_(budget) {}
    base::Result<File> read(const ::onnx::ModelProto& model);

private:
    void fail(const std::string& what) { error_ = error_ ? error_ : base::Error{what}; }
    Tensor tensor(const ::onnx::TensorProto& proto);
    Attribute attribute(const ::onnx::AttributeProto& proto);
    Node node(const ::onnx::NodeProto& proto);
    Body body(const ::onnx::GraphProto& graph);
    void say(const ::onnx::ValueInfoProto& value);
    void readInputs(const ::onnx::GraphProto& graph);
    base::MemoryBudget& budget_;
    std::optional<base::Error> error_;
    File file_;
};

constexpr std::size_t kNode = 48;  // a node of a map, besides its value

std::size_t memoryOf(const std::vector<std::string>& names) {
    std::size_t bytes = 0;
    for (const std::string& name : names) {
        bytes += base::MemoryBudget::bytesOf(name);
    }
    return bytes;
}

Tensor FileReader::tensor(const ::onnx::TensorProto& proto) {
    if (static_cast<std::size_t>(proto.dims_size()) > pytorch::kMostGraphAxes) {
        fail(fmt::format("\"{}\" has {} axes; a tensor has at most {}", proto.name(), proto.dims_size(),
                         pytorch::kMostGraphAxes));
        return {};
    }
    Tensor tensor{{proto.dims().begin(), proto.dims().end()}, static_cast<Type>(proto.data_type()), {}};
    tensor.outside = proto.data_location() == ::onnx::TensorProto::EXTERNAL;
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.shape) {
        if (size < 0 || size > kMostSize || (size > 0 && count > kMostTensorBytes / size)) {
            fail(fmt::format("the sizes of \"{}\" are those of no tensor", proto.name()));
            return {};
        }
        count *= std::max<std::int64_t>(size, 1);
    }
    count = std::find(tensor.shape.begin(), tensor.shape.end(), 0) == tensor.shape.end() ? count : 0;
    tensor.numbers = numbersOf(proto, count);
    budget_.take(sizeof(tensor) + kNode + base::MemoryBudget::bytesOf(proto.name()) +
                 tensor.shape.size() * sizeof(tensor.shape[0]) +
                 tensor.numbers.size() * sizeof(tensor.numbers[0]));
    return tensor;
}

Attribute FileReader::attribute(const ::onnx::AttributeProto& proto) {
    switch (proto.type()) {
        case ::onnx::AttributeProto::INT:
            return proto.i();
        case ::onnx::AttributeProto::FLOAT:
            return plainReal(proto.f());
        case ::onnx::AttributeProto::STRING:
            return proto.s();
        case ::onnx::AttributeProto::INTS:
            return Numbers(proto.ints().begin(), proto.ints().end());
        case ::onnx::AttributeProto::FLOATS: {
            Numbers numbers;
            std::transform(proto.floats().begin(), proto.floats().end(), std::back_inserter(numbers),
                           plainReal);
            return numbers;
        }
        case ::onnx::AttributeProto::TENSOR:
            return tensor(proto.t());
        case ::onnx::AttributeProto::GRAPH:
            return std::make_shared<Body>(body(proto.g()));
        default:
            return std::string();
    }
}

/// A node's metadata, key by key. ONNX before 1.16 keeps unknown fields as bytes.
template <class Take>
void readMetadata(const ::onnx::NodeProto& node, const Take& take) {
    const auto known = [&take]<class N>(const N& newer) {
        if constexpr (requires { newer.metadata_props(); }) {
            for (const auto& entry : newer.metadata_props()) {
                take(entry.key(), entry.value());
            }
        }
    };
    known(node);
    const auto& unknown = node.GetReflection()->GetUnknownFields(node);
    for (int i = 0; i < unknown.field_count(); ++i) {
        const auto& field = unknown.field(i);
        ::onnx::StringStringEntryProto entry;
        if (field.number() == kMetadataOfNode &&
            field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
            entry.ParseFromString(std::string(field.length_delimited()))) {
            take(entry.key(), entry.value());
        }
    }
}

Node FileReader::node(const ::onnx::NodeProto& proto) {
    const bool own = proto.domain().empty() || proto.domain() == "ai.onnx";
    Node node{own ? proto.op_type() : proto.domain() + "." + proto.op_type(),
              proto.name(),
              {proto.input().begin(), proto.input().end()},
              {proto.output().begin(), proto.output().end()},
              {},
              {},
              {}};
    for (const auto& each : proto.attribute()) {
        budget_.take(kNode + sizeof(Attribute) + base::MemoryBudget::bytesOf(each.name()) + each.s().size());
        budget_.take(
            static_cast<std::size_t>(each.ints_size()) + static_cast<std::size_t>(each.floats_size()),
            sizeof(double));
        node.attributes.insert_or_assign(each.name(), attribute(each));
    }
    readMetadata(proto, [&node](const std::string& key, const std::string& value) {
        if (key == "pkg.torch.onnx.name_scopes") {
            node.names = value;
        } else if (key == "pkg.torch.onnx.class_hierarchy") {
            node.classes = value;
        }
    });
    budget_.take(sizeof(node) + node.kind.size() + node.name.size() + node.names.size() +
                 node.classes.size() + memoryOf(node.inputs) + memoryOf(node.outputs));
    return node;
}

Body FileReader::body(const ::onnx::GraphProto& graph) {
    Body body;
    for (const auto& each : graph.node()) {
        if (error_ || budget_.exceeded()) {
            return body;
        }
        body.nodes.push_back(node(each));
    }
    for (const auto& output : graph.output()) {
        body.outputs.push_back(output.name());
    }
    for (const auto& each : graph.initializer()) {
        file_.weights.insert_or_assign(each.name(), tensor(each));
    }
    for (const auto& value : graph.value_info()) {
        say(value);
    }
    return body;
}

Said saidOf(const ::onnx::ValueInfoProto& value) {
    Said said;
    const auto& type = value.type().tensor_type();
    said.type = static_cast<Type>(type.elem_type());
    for (const auto& size : type.shape().dim()) {
        const bool plain = size.has_dim_value() && size.dim_value() >= 0 && size.dim_value() <= kMostSize;
        said.shape.push_back(plain ? size.dim_value() : -1);
    }
    return said;
}

void FileReader::say(const ::onnx::ValueInfoProto& value) {
    const auto axes = static_cast<std::size_t>(value.type().tensor_type().shape().dim_size());
    if (axes > pytorch::kMostGraphAxes) {
        return fail(fmt::format("\"{}\" has {} axes; a tensor has at most {}", value.name(), axes,
                                pytorch::kMostGraphAxes));
    }
    budget_.take(kNode + sizeof(Said) + base::MemoryBudget::bytesOf(value.name()) +
                 axes * sizeof(std::int64_t));
    if (value.type().tensor_type().has_shape()) {
        file_.said.insert_or_assign(value.name(), saidOf(value));
    }
}

void FileReader::readInputs(const ::onnx::GraphProto& graph) {
    for (const auto& input : graph.input()) {
        if (!file_.weights.contains(input.name())) {
            const auto axes = static_cast<std::size_t>(input.type().tensor_type().shape().dim_size());
            if (axes > pytorch::kMostGraphAxes) {
                return fail(fmt::format("the input \"{}\" has {} axes; a tensor has at most {}", input.name(),
                                        axes, pytorch::kMostGraphAxes));
            }
            budget_.take(sizeof(Said) + base::MemoryBudget::bytesOf(input.name()));
            file_.inputs.emplace_back(input.name(), saidOf(input));
        }
    }
    for (const auto& output : graph.output()) {
        say(output);
    }
}

base::Result<File> FileReader::read(const ::onnx::ModelProto& model) {
    for (const auto& each : model.opset_import()) {
        if (each.domain().empty() || each.domain() == "ai.onnx") {
            file_.operators = std::max<std::int64_t>(file_.operators, each.version());
        }
    }
    if (!model.has_graph() || file_.operators == 0) {
        return base::Error{fmt::format("is not an ONNX file, or a damaged one; {}", kRight)};
    }
    if (file_.operators < kOldestOperators) {
        return base::Error{fmt::format("has the operators of opset {}; export with opset_version={} or newer",
                                       file_.operators, kOldestOperators)};
    }
    file_.body = body(model.graph());
    readInputs(model.graph());
    if (budget_.exceeded()) {
        return budget_.error();
    }
    return error_ ? base::Result<File>(*error_) : base::Result<File>(std::move(file_));
}

base::Result<File> parsed(google::protobuf::io::ZeroCopyInputStream& stream, base::MemoryBudget& budget) {
    ::onnx::ModelProto model;
    CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(static_cast<int>(kMostFileBytes));
    if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) {
        return base::Error{fmt::format("is not an ONNX file, or a damaged one; {}", kRight)};
    }
    return FileReader(budget).read(model);
}

}  // namespace

base::Result<File> readFile(const std::filesystem::path& path, base::MemoryBudget& budget) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (!std::filesystem::is_regular_file(status)) {
        return base::Error{!std::filesystem::exists(status)        ? "no such file"
                           : std::filesystem::is_directory(status) ? "is a directory; a file is needed"
                                                                   : "is not a regular file"};
    }
    const auto size = std::filesystem::file_size(path, ignored);
    if (ignored || size > static_cast<std::uintmax_t>(kMostFileBytes)) {
        return base::Error{fmt::format("is larger than {}; export with external_data=True",
                                       base::formatBytes(kMostFileBytes))};
    }
    const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        return base::Error{"cannot be read"};
    }
    {
        google::protobuf::io::FileInputStream stream(file.get());
        countMessage(stream, *::onnx::ModelProto::descriptor(), budget);
    }
    if (budget.exceeded()) {
        return budget.error();
    }
    if (lseek(file.get(), 0, SEEK_SET) != 0) {
        return base::Error{"cannot be read"};
    }
    google::protobuf::io::FileInputStream stream(file.get());
    auto out = parsed(stream, budget);
    if (const std::string what = out ? "" : base::whatFileIs(path); !what.empty()) {
        return base::Error{fmt::format("{}; {}", what, kRight)};
    }
    return out;
}

base::Result<File> readBytes(std::string_view bytes, base::MemoryBudget& budget) {
    if (bytes.size() > static_cast<std::size_t>(kMostFileBytes)) {
        return base::Error{fmt::format("is larger than {}", base::formatBytes(kMostFileBytes))};
    }
    google::protobuf::io::ArrayInputStream counted(bytes.data(), static_cast<int>(bytes.size()));
    countMessage(counted, *::onnx::ModelProto::descriptor(), budget);
    if (budget.exceeded()) {
        return budget.error();
    }
    google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    return parsed(stream, budget);
}

}  // namespace highwater::stack::onnx
