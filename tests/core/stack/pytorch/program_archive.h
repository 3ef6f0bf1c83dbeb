#pragma once

#include <fmt/format.h>
#include <zip.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Small programs of torch.export, and the archives around them.
namespace highwater::stack::testing {

using Json = nlohmann::ordered_json;
using Sizes = std::vector<std::int64_t>;

inline Json tensor(const std::string& name) {
    return {{"as_tensor", {{"name", name}}}};
}

/// Writes a program call by call. The result of a call has the call's name.
class ProgramText {
public:
    explicit ProgramText(Sizes input = {2, 1, 8, 8, 8}) { this->input("x", std::move(input)); }
    void input(const std::string& name, Sizes sizes, int dtype = 7) {
        value(name, std::move(sizes), dtype);
        inputs_.push_back({{"user_input", {{"arg", tensor(name)}}}});
    }
    void parameter(const std::string& name, Sizes sizes, bool trains = true) {
        value("p_" + name, std::move(sizes), 7, trains);
        inputs_.push_back({{"parameter", {{"arg", {{"name", "p_" + name}}}, {"parameter_name", name}}}});
    }
    /// `scopes`: "block:my.Block conv:torch.nn.modules.conv.Conv3d" without the network itself.
    void call(const std::string& target, const std::string& name, Sizes sizes, const Json& arguments,
              const std::string& scopes = "") {
        Json inputs = Json::array();
        for (const auto& [key, argument] : arguments.items()) {
            inputs.push_back({{"name", key}, {"arg", argument}});
        }
        calls_.push_back({{"target", "torch.ops.aten." + target},
                          {"inputs", inputs},
                          {"outputs", Json::array({tensor(name)})},
                          {"metadata", {{"nn_module_stack", stackOf(scopes)}}}});
        value(name, std::move(sizes));
    }
    void output(const std::string& name) { outputs_.push_back({{"user_output", {{"arg", tensor(name)}}}}); }
    /// The sizes of a tensor, the type of its numbers (7: float32).
    void value(const std::string& name, Sizes sizes, int dtype = 7, bool trains = false) {
        Json list = Json::array(), strides = Json::array();
        std::int64_t stride = 1;
        for (const std::int64_t size : sizes) {
            list.push_back({{"as_int", size}});
        }
        for (auto size = sizes.rbegin(); size != sizes.rend(); stride *= *size++) {
            strides.insert(strides.begin(), Json{{"as_int", stride}});
        }
        values_[name] = {{"dtype", dtype}, {"sizes", list}, {"requires_grad", trains}, {"strides", strides}};
    }
    Json json() const {
        Json names = Json::array();
        for (const Json& spec : inputs_) {
            names.push_back(spec.contains("user_input") ? spec["user_input"]["arg"]
                                                        : tensor(spec["parameter"]["arg"]["name"]));
        }
        return {{"graph_module",
                 {{"graph", {{"inputs", names}, {"nodes", calls_}, {"tensor_values", values_}}},
                  {"signature", {{"input_specs", inputs_}, {"output_specs", outputs_}}},
                  {"module_call_graph", Json::array({{{"fqn", ""}, {"signature", {{"out_spec", spec}}}}})}}},
                {"schema_version", {{"major", major}, {"minor", 3}}},
                {"verifiers", {"TRAINING"}}};
    }
    std::string text() const { return json().dump(); }

    int major = 8;
    Json spec = nullptr;  ///< of the result; null: positions

private:
    static std::string stackOf(const std::string& scopes) {
        std::string text = "L__self__,,my_module.Net";
        for (std::size_t at = 0; at < scopes.size();) {
            const std::size_t end = std::min(scopes.find(' ', at), scopes.size());
            const std::string scope = scopes.substr(at, end - at);
            const std::string name = scope.substr(0, scope.find(':'));
            text += fmt::format(";L__self___{},{},{}", name, name, scope.substr(name.size() + 1));
            at = end + 1;
        }
        return text;
    }
    Json inputs_ = Json::array(), calls_ = Json::array(), outputs_ = Json::array(), values_ = Json::object();
};

/// Two convolutions with in-place operators between them, in a block, without an output yet: the last call is
/// conv3d_1.
inline ProgramText programWithoutOutput() {
    ProgramText program;
    program.parameter("body.conv.weight", {4, 1, 3, 3, 3});
    program.parameter("body.conv.bias", {4});
    program.parameter("last.weight", {2, 4, 1, 1, 1});
    program.call("conv3d.default", "conv3d", {2, 4, 8, 8, 8},
                 {{"input", tensor("x")},
                  {"weight", tensor("p_body.conv.weight")},
                  {"bias", tensor("p_body.conv.bias")},
                  {"stride", {{"as_ints", {1, 1, 1}}}},
                  {"padding", {{"as_ints", {1, 1, 1}}}}},
                 "body:my_module.Body body.conv:torch.nn.modules.conv.Conv3d");
    program.call("relu_.default", "relu_", {2, 4, 8, 8, 8}, {{"self", tensor("conv3d")}},
                 "body:my_module.Body body.act:torch.nn.modules.activation.ReLU");
    program.call("conv3d.default", "conv3d_1", {2, 2, 8, 8, 8},
                 {{"input", tensor("relu_")}, {"weight", tensor("p_last.weight")}},
                 "last:torch.nn.modules.conv.Conv3d");
    return program;
}
inline ProgramText smallProgram() {
    ProgramText program = programWithoutOutput();
    program.output("conv3d_1");
    return program;
}

using ZipEntry = std::pair<std::string, std::string>;

/// An archive of these entries, in memory.
inline std::string zipped(const std::vector<ZipEntry>& entries, int method = ZIP_CM_STORE) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const target = zip_source_buffer_create(nullptr, 0, 0, &error);
    zip_t* const archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
    if (!archive) {
        throw std::runtime_error("no archive could be made");
    }
    zip_source_keep(target);
    for (const auto& [name, text] : entries) {
        const auto index = zip_file_add(
            archive, name.c_str(), zip_source_buffer(archive, text.data(), text.size(), 0), ZIP_FL_ENC_UTF_8);
        zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 1);
        zip_file_set_mtime(archive, static_cast<zip_uint64_t>(index), 1000000000, 0);
    }
    zip_close(archive);
    zip_stat_t facts;
    zip_source_stat(target, &facts);
    std::string bytes(facts.size, '\0');
    zip_source_open(target);
    zip_source_read(target, bytes.data(), bytes.size());
    zip_source_close(target);
    zip_source_free(target);
    return bytes;
}

/// In the formats of PyTorch up to 2.7, and of newer versions.
inline std::string olderArchive(const std::string& program) {
    return zipped({{"serialized_exported_program.json", program}, {"version", "7.3"}});
}
inline std::string newerArchive(const std::string& program, const std::string& weights = R"({"config": {}})",
                                int method = ZIP_CM_STORE) {
    return zipped({{"net/data/weights/weight_0", std::string(64, 'w')},
                   {"net/data/weights/model_weights_config.json", weights},
                   {"net/models/model.json", program},
                   {"net/archive_format", "pt2"}},
                  method);
}

}  // namespace highwater::stack::testing
