#include <fmt/format.h>

#include "core/stack/onnx/onnx.h"
#include "core/stack/pytorch/pytorch.h"
#include "tests/core/stack/onnx/onnx_text.h"
#include "tests/core/stack/pytorch/program_archive.h"
#include "tests/fuzz/rounds.h"
#include "tests/fuzz/work/counted_work.h"

namespace highwater::fuzz {
namespace {

using namespace stack::testing;

/// Whether it is accepted or rejected, the work is the same.
void import(const std::string& text) {
    const auto made = stack::importPytorch(text, "program", {});
    if (!made) {
        expectOneLine(made.error().message);
    }
}

std::string whole(const ProgramText& program) {
    return Json{{"program", program.json()}}.dump();
}

Prepare programs(void (*add)(ProgramText&, std::size_t)) {
    return [add](std::size_t size) {
        ProgramText program = programWithoutOutput();
        add(program, size);
        program.output("conv3d_1");
        return [text = whole(program)] { import(text); };
    };
}

TEST(Work, CallsOfAProgram) {
    expectLinearWork(300, programs([](ProgramText& program, std::size_t size) {
                         std::string before = "conv3d";
                         for (std::size_t i = 0; i < size; ++i) {
                             const std::string name = fmt::format("relu_{}", i);
                             program.call("relu.default", name, {2, 4, 8, 8, 8}, {{"self", tensor(before)}});
                             before = name;
                         }
                         program.output(before);
                     }));
}

/// Each is a view of the previous one.
TEST(Work, ViewsOfViews) {
    expectLinearWork(300, programs([](ProgramText& program, std::size_t size) {
                         std::string before = "conv3d";
                         for (std::size_t i = 0; i < size; ++i) {
                             const std::string name = fmt::format("transpose_{}", i);
                             const bool turn = i % 2 == 0;
                             program.call(turn ? "slice.Tensor" : "transpose.int", name, {2, 4, 8, 8, 8},
                                          {{"self", tensor(before)},
                                           {"dim0", {{"as_int", 2}}},
                                           {"dim1", {{"as_int", 3 + static_cast<int>(i % 2)}}}});
                             before = name;
                         }
                         program.call("relu.default", "end", {2, 4, 8, 8, 8}, {{"self", tensor(before)}});
                         program.output("end");
                     }));
}

/// Equal layers outside of any module, all used again later, so that they need names.
TEST(Work, LayersThatNeedNames) {
    expectLinearWork(200, programs([](ProgramText& program, std::size_t size) {
                         std::string sum = "conv3d";
                         for (std::size_t i = 0; i < size; ++i) {
                             const std::string relu = fmt::format("relu_{}", i),
                                               add = fmt::format("add_{}", i);
                             program.call("relu.default", relu, {2, 4, 8, 8, 8}, {{"self", tensor(sum)}});
                             program.call("add.Tensor", add, {2, 4, 8, 8, 8},
                                          {{"self", tensor(relu)}, {"other", tensor(sum)}});
                             sum = add;
                         }
                         program.output(sum);
                     }));
}

/// An unknown operator that takes all previous values.
TEST(Work, ReadsOfOneCall) {
    expectLinearWork(
        800, programs([](ProgramText& program, std::size_t size) {
            Json all = Json::array();
            for (std::size_t i = 0; i < size; ++i) {
                const std::string name = fmt::format("relu_{}", i);
                program.call("relu.default", name, {2, 4, 8, 8, 8}, {{"self", tensor("conv3d")}});
                all.push_back({{"name", name}});
            }
            program.call("unheard_of.default", "end", {2, 4, 8, 8, 8}, {{"tensors", {{"as_tensors", all}}}});
            program.output("end");
        }));
}

TEST(Work, OtherNamesOfParameters) {
    expectLinearWork(300, [](std::size_t size) {
        ProgramText program = smallProgram();
        Json ties = Json::object();
        for (std::size_t i = 0; i < size; ++i) {
            program.parameter(fmt::format("weight{}", i), {4});
            ties.push_back({fmt::format("weight{}", i), "weight0"});
        }
        const std::string text = Json{{"program", program.json()}, {"ties", ties}}.dump();
        return [text] { import(text); };
    });
}

TEST(Work, NodesOfAnOnnxFile) {
    expectLinearWork(800, [](std::size_t size) {
        OnnxText text;
        std::string before = text.conv("a", "x", 1, 4);
        for (std::size_t i = 0; i < size; ++i) {
            before = text.node("Relu", fmt::format("/part.{}/Relu", i), {before});
        }
        text.output(before);
        return [bytes = text.bytes()] {
            const auto made = stack::importOnnx(bytes, "net.onnx", {}, {});
            if (!made) {
                expectOneLine(made.error().message);
            }
        };
    });
}

}  // namespace
}  // namespace highwater::fuzz
