#pragma once

#include <onnx/onnx_pb.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Small .onnx files, written with ONNX's own classes.
namespace highwater::stack::testing {

using OnnxSizes = std::vector<std::int64_t>;
using OnnxAttribute = std::variant<std::int64_t, double, std::string, OnnxSizes>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

/// Writes a network node by node. A node's output has the name of the node.
class OnnxText {
public:
    explicit OnnxText(const OnnxSizes& input = {2, 1, 8, 8, 8}, int opset = 17) {
        model.set_ir_version(8);
        model.add_opset_import()->set_version(opset);
        graph().set_name("main_graph");
        this->input("x", input);
    }

    void input(const std::string& name, const OnnxSizes& sizes,
               ::onnx::TensorProto::DataType numbers = ::onnx::TensorProto::FLOAT) {
        auto& value = *graph().add_input();
        value.set_name(name);
        auto& type = *value.mutable_type()->mutable_tensor_type();
        type.set_elem_type(numbers);
        for (const std::int64_t size : sizes) {
            auto& dim = *type.mutable_shape()->add_dim();
            size < 0 ? dim.set_dim_param("N") : dim.set_dim_value(size);
        }
    }

    ::onnx::GraphProto& graph() { return *model.mutable_graph(); }

    /// Returns the name of its output.
    std::string node(const std::string& kind, const std::string& name, const std::vector<std::string>& inputs,
                     const OnnxAttributes& attributes = {}) {
        auto& node = *graph().add_node();
        node.set_op_type(kind);
        node.set_name(name);
        node.add_output(name + "_output_0");
        for (const std::string& input : inputs) {
            node.add_input(input);
        }
        for (const auto& [key, held] : attributes) {
            put(*node.add_attribute(), key, held);
        }
        return node.output(0);
    }

    /// Numbers that are not all equal, like those of a parameter.
    std::string weight(const std::string& name, const OnnxSizes& sizes) {
        auto& tensor = *graph().add_initializer();
        const auto count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
        for (std::int64_t i = 0; i < count; ++i) {
            tensor.add_float_data(0.25F + static_cast<float>(i % 7));
        }
        return start(tensor, name, sizes, ::onnx::TensorProto::FLOAT);
    }
    /// The same number everywhere.
    std::string filled(const std::string& name, const OnnxSizes& sizes, float number) {
        auto& tensor = *graph().add_initializer();
        const auto count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
        const std::vector<float> numbers(static_cast<std::size_t>(count), number);
        tensor.set_raw_data(numbers.data(), numbers.size() * sizeof(float));
        return start(tensor, name, sizes, ::onnx::TensorProto::FLOAT);
    }
    std::string list(const std::string& name, const OnnxSizes& numbers) {
        auto& tensor = *graph().add_initializer();
        tensor.set_raw_data(numbers.data(), numbers.size() * sizeof(std::int64_t));
        return start(tensor, name, {static_cast<std::int64_t>(numbers.size())}, ::onnx::TensorProto::INT64);
    }

    /// A convolution with kernel 3 and padding 1, with its weights, in a module of that name.
    std::string conv(const std::string& module, const std::string& input, std::int64_t in, std::int64_t out,
                     std::size_t axes = 3) {
        OnnxSizes sizes{out, in};
        sizes.resize(axes + 2, 3);
        return node("Conv", "/" + module + "/Conv",
                    {input, weight(module + ".weight", sizes), weight(module + ".bias", {out})},
                    {{"pads", OnnxSizes(2 * axes, 1)}, {"kernel_shape", OnnxSizes(axes, 3)}});
    }
    std::string batchNorm(const std::string& module, const std::string& input, std::int64_t channels,
                          bool trains = true) {
        std::vector<std::string> inputs{input};
        for (const char* role : {"weight", "bias", "running_mean", "running_var"}) {
            inputs.push_back(weight(module + "." + role, {channels}));
        }
        return node("BatchNormalization", "/" + module + "/BatchNormalization", inputs,
                    {{"training_mode", std::int64_t{trains}}});
    }

    void output(const std::string& name) { graph().add_output()->set_name(name); }
    std::string bytes() const { return model.SerializeAsString(); }

    ::onnx::ModelProto model;

private:
    static std::string start(::onnx::TensorProto& tensor, const std::string& name, const OnnxSizes& sizes,
                             ::onnx::TensorProto::DataType type) {
        tensor.set_name(name);
        tensor.set_data_type(type);
        for (const std::int64_t size : sizes) {
            tensor.add_dims(size);
        }
        return name;
    }
    static void put(::onnx::AttributeProto& attribute, const std::string& key, const OnnxAttribute& held) {
        attribute.set_name(key);
        if (const auto* whole = std::get_if<std::int64_t>(&held)) {
            attribute.set_type(::onnx::AttributeProto::INT);
            attribute.set_i(*whole);
        } else if (const auto* real = std::get_if<double>(&held)) {
            attribute.set_type(::onnx::AttributeProto::FLOAT);
            attribute.set_f(static_cast<float>(*real));
        } else if (const auto* text = std::get_if<std::string>(&held)) {
            attribute.set_type(::onnx::AttributeProto::STRING);
            attribute.set_s(*text);
        } else {
            attribute.set_type(::onnx::AttributeProto::INTS);
            for (const std::int64_t size : std::get<OnnxSizes>(held)) {
                attribute.add_ints(size);
            }
        }
    }
};

/// The layers of an experiment's text in the order of execution, without blocks, ids and references to them.
inline nlohmann::ordered_json layersOf(const nlohmann::ordered_json& stack) {
    auto layers = nlohmann::ordered_json::array();
    for (auto layer : stack) {
        if (layer["type"] == "block") {
            for (const auto& inner : layersOf(layer["layers"])) {
                layers.push_back(inner);
            }
            continue;
        }
        layer.erase("id");
        layer.erase("with");
        layers.push_back(layer);
    }
    return layers;
}

}  // namespace highwater::stack::testing
