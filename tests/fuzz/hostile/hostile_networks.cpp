#include <fmt/format.h>

#include "tests/fuzz/hostile/kinds.h"
#include "tests/fuzz/hostile/pickle_text.h"
#include "tests/fuzz/mutator.h"

/// Networks of torch.export and ONNX, and memory snapshots.
namespace highwater::fuzz {

namespace {

constexpr std::string_view kSizes = R"([{"as_int":2},{"as_int":1},{"as_int":8}])";
constexpr std::string_view kStrides = R"([{"as_int":8},{"as_int":8},{"as_int":1}])";

/// A program whose calls are written by hand.
class ProgramBuilder {
public:
    ProgramBuilder() { value("x"); }
    void value(const std::string& name) {
        values_ += fmt::format(R"({}"{}":{{"dtype":7,"sizes":{},"requires_grad":false,"strides":{}}})",
                               values_.empty() ? "" : ",", name, kSizes, kStrides);
    }
    void call(const std::string& target, const std::string& name, const std::string& inputs,
              const std::string& scopes = "") {
        value(name);
        nodes_ += fmt::format(
            R"({}{{"target":"torch.ops.aten.{}","inputs":[{}],"outputs":[{{"as_tensor":{{"name":"{}"}}}}],)"
            R"("metadata":{{"nn_module_stack":"{}"}}}})",
            nodes_.empty() ? "" : ",", target, inputs, name, scopes);
        last_ = name;
    }
    static std::string tensor(const std::string& key, const std::string& name) {
        return fmt::format(R"({{"name":"{}","arg":{{"as_tensor":{{"name":"{}"}}}}}})", key, name);
    }
    std::string text() const {
        return fmt::format(
            R"({{"program":{{"schema_version":{{"major":8,"minor":3}},"verifiers":["TRAINING"],)"
            R"("graph_module":{{"graph":{{"inputs":[{{"as_tensor":{{"name":"x"}}}}],"nodes":[{}],)"
            R"("tensor_values":{{{}}}}},"signature":{{"input_specs":[{{"user_input":{{"arg":{{"as_tensor":)"
            R"({{"name":"x"}}}}}}}}],"output_specs":[{{"user_output":{{"arg":{{"as_tensor":{{"name":"{}"}}}}}}}}]}}}}}}}})",
            nodes_, values_, last_);
    }
    std::string last_ = "x";

private:
    std::string values_, nodes_;
};

/// Protobuf's wire format: a length-delimited field.
std::string field(unsigned number, const std::string& bytes) {
    std::string made;
    for (std::uint64_t left = number << 3 | 2;; left >>= 7) {
        made += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
        if (left <= 0x7f) {
            break;
        }
    }
    for (std::uint64_t left = bytes.size();; left >>= 7) {
        made += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
        if (left <= 0x7f) {
            break;
        }
    }
    return made + bytes;
}

std::string times(std::size_t count, const std::string& bytes) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        all += bytes;
    }
    return all;
}

/// An input x of [2, 1, 8].
std::string onnxInput() {
    std::string shape;
    for (const char size : {'\x02', '\x01', '\x08'}) {
        shape += field(1, std::string("\x08") + size);  // dim { dim_value }
    }
    const std::string tensor = std::string("\x08\x01") + field(2, shape);  // elem_type FLOAT, shape
    return field(11, field(1, "x") + field(2, field(1, tensor)));
}

std::string onnxNode(const std::string& kind, const std::string& from, const std::string& to,
                     const std::string& name = "") {
    return field(1, field(1, from) + field(2, to) + (name.empty() ? "" : field(3, name)) + field(4, kind));
}

/// ir_version 8, the graph, opset 17.
std::string onnxModel(const std::string& graph) {
    return std::string("\x08\x08") + field(7, graph) + field(8, "\x10\x11");
}

}  // namespace

HostileInput hostileSnapshot(Draw& draw) {
    std::string pickle, what;
    const std::size_t shape = draw.below(8);
    if (shape == 0) {
        what = "one segment many times";
        pickle = oneSegmentManyTimes(draw.count(5000));
    } else if (shape == 1) {
        what = "segments that share their blocks";
        pickle = segmentsThatShareBlocks(draw.count(400));
    } else if (shape == 2) {
        what = "devices that share their events";
        pickle = devicesThatShareEvents(draw.count(400));
    } else if (shape == 3) {
        what = "frames of long texts";
        pickle = framesOfLongTexts(draw.count(2000));
    } else if (shape == 4) {
        what = "devices without anything";
        pickle = emptyDevices(draw.count(30000));
    } else if (shape == 5) {
        what = "tuples in each other";
        pickle = ")" + times(draw.count(60000), "\x85") + ".";
    } else if (shape == 6) {
        what = "a list of itself, doubled";
        pickle = "]" + times(draw.count(30000), "2\x86") + ".";
    } else {
        what = "a damaged one";
        pickle = mutate(framesOfLongTexts(draw.count(100)), draw.seed());
    }
    constexpr const char* kExperiment = R"({"schema": "highwater.experiment/1",
        "input": {"synthetic": [1, 8, 8, 8]},
        "stack": [{"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]})";
    return {"snapshot: " + what,
            {{"experiment.json", kExperiment}, {"snapshot.pickle", pickle}},
            {"compare", "experiment.json", "snapshot.pickle", "--target", "rtx3060"}};
}

HostileInput hostileProgram(Draw& draw) {
    ProgramBuilder program;
    std::string what;
    const std::size_t shape = draw.below(6), count = draw.count(400);
    const auto self = [&] { return ProgramBuilder::tensor("self", program.last_); };
    if (shape == 0) {
        what = "views of views";
        for (std::size_t i = 0; i < count; ++i) {
            program.call(
                "transpose.int", fmt::format("t{}", i),
                self() + R"(,{"name":"dim0","arg":{"as_int":1}},{"name":"dim1","arg":{"as_int":2}})");
        }
    } else if (shape == 1) {
        what = "calls in many modules";
        const std::string scopes =
            times(60, ";" + std::string(40, 's') + "," + std::string(40, 'n') + ",my.Kind");
        for (std::size_t i = 0; i < count; ++i) {
            program.call("relu.default", fmt::format("r{}", i), self(), scopes.substr(1));
        }
    } else if (shape == 2) {
        what = "an operator of all values";
        std::string all;
        for (std::size_t i = 0; i < count; ++i) {
            program.call("relu.default", fmt::format("r{}", i), ProgramBuilder::tensor("self", "x"));
            all += fmt::format(R"({}{{"name":"r{}"}})", i == 0 ? "" : ",", i);
        }
        program.call(draw.below(2) == 0 ? "cat.default" : "unheard_of.default", "end",
                     fmt::format(R"({{"name":"tensors","arg":{{"as_tensors":[{}]}}}})", all));
    } else if (shape == 3) {
        what = "layers that need names";
        for (std::size_t i = 0; i < count; ++i) {
            const std::string before = program.last_;
            program.call("relu.default", fmt::format("r{}", i), self());
            program.call("add.Tensor", fmt::format("a{}", i),
                         self() + "," + ProgramBuilder::tensor("other", before));
        }
    } else if (shape == 4) {
        what = "a name twice";
        for (std::size_t i = 0; i < count; ++i) {
            program.call("relu.default", fmt::format("r{}", i / 2), self());
        }
    } else {
        what = "keys in place of a program";
        return {"program: " + what,
                {{"net.pt2", R"({"program":{)" + manyKeys(draw.count(8000)) + "}}"}},
                {"import", "pytorch", "net.pt2", "--out", "made.json"}};
    }
    std::string text = program.text();
    return {"program: " + what,
            {{"net.pt2", draw.below(4) == 0 ? "{" + mutate(text, draw.seed()) : text}},
            {"import", "pytorch", "net.pt2", "--out", "made.json"}};
}

HostileInput hostileOnnx(Draw& draw) {
    std::string graph = onnxInput(), what;
    const std::size_t shape = draw.below(8);
    if (shape == 0) {
        what = "empty nodes";
        graph += times(draw.count(30000), field(1, ""));
    } else if (shape == 1) {
        what = "empty tensors";
        graph += times(draw.count(30000), field(5, ""));
    } else if (shape == 2) {
        what = "empty inputs and values";
        graph += times(draw.count(10000), field(11, "")) + times(draw.count(10000), field(13, ""));
    } else if (shape == 3) {
        what = "a tensor with many axes";
        graph += field(5, field(1, std::string(draw.count(60000), '\x01')) + field(8, "w"));
    } else if (shape == 4) {
        what = "a chain of nodes";
        std::string before = "x";
        for (std::size_t i = draw.count(600); i > 0; --i) {
            const std::string next = "v" + std::to_string(i);
            graph += onnxNode(draw.below(2) == 0 ? "Relu" : "Identity", before, next);
            before = next;
        }
        graph += field(12, field(1, before));
    } else if (shape == 5) {
        what = "long paths as names";
        std::string before = "x";
        for (std::size_t i = draw.count(200); i > 0; --i) {
            const std::string next = "v" + std::to_string(i);
            graph +=
                onnxNode("Relu", before, next, times(50, "/" + std::string(30, 'p')) + std::to_string(i));
            before = next;
        }
        graph += field(12, field(1, before));
    } else if (shape == 6) {
        what = "graphs in each other";
        std::string inner = onnxNode("Relu", "x", "y");
        for (std::size_t i = 0; i < 10 + draw.below(150); ++i) {
            // attribute { name, g, type GRAPH } of a node If
            inner = field(1, field(1, "x") + field(2, "y") + field(4, "If") +
                                 field(5, field(1, "then_branch") + field(6, inner) + "\xa0\x01\x05"));
        }
        graph += inner + field(12, field(1, "y"));
    } else {
        what = "an unknown operator of many";
        std::string node = field(4, "Unheard");
        for (std::size_t i = 0; i < draw.count(1000); ++i) {
            node += field(1, "x") + field(2, "o" + std::to_string(i));
        }
        graph += field(1, node) + field(12, field(1, "o0"));
    }
    const std::string model = onnxModel(graph);
    return {"onnx: " + what,
            {{"net.onnx", draw.below(5) == 0 ? mutate(model, draw.seed()) : model}},
            {"import", "onnx", "net.onnx", "--out", "made.json"}};
}

}  // namespace highwater::fuzz
