#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "core/stack/onnx/onnx.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/onnx/onnx_text.h"
#include "tests/fuzz/hostile/kinds.h"
#include "tests/fuzz/imports.h"
#include "tests/fuzz/mutator.h"

namespace highwater::stack {
namespace {

using namespace testing;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// A network with every kind of operator.
OnnxText seedModel() {
    OnnxText text({2, 2, 8, 8, 8});
    const std::string conv =
        text.node("Relu", "/a/Relu", {text.batchNorm("a.norm", text.conv("a.conv", "x", 2, 4), 4)});
    text.input("mask", {2, 4, 8, 8, 8});
    text.input("time", {2}, ::onnx::TensorProto::INT64);
    const std::string masked = text.node("Mul", "/Mul", {conv, "mask"});
    const std::string low = text.filled("val_1", {}, 0), high = text.filled("val_2", {}, 6);
    const std::string clip = text.node("Clip", "/b/Clip", {masked, low, high});
    const std::string pool =
        text.node("MaxPool", "/c/MaxPool", {clip},
                  {{"kernel_shape", OnnxSizes{2, 2, 2}}, {"strides", OnnxSizes{2, 2, 2}}});
    const std::string up =
        text.node("ConvTranspose", "/d/ConvTranspose", {pool, text.weight("d.weight", {4, 4, 2, 2, 2})},
                  {{"strides", OnnxSizes{2, 2, 2}}, {"kernel_shape", OnnxSizes{2, 2, 2}}});
    const std::string both = text.node("Concat", "/Concat", {up, conv}, {{"axis", std::int64_t{1}}});
    const std::string sizes = text.node(
        "Concat", "/Concat_1",
        {text.node("Slice", "/Slice",
                   {text.node("Shape", "/Shape", {both}), text.list("zero", {0}), text.list("two", {2})}),
         text.list("eights", {16, 16, 16})},
        {{"axis", std::int64_t{0}}});
    const std::string wide =
        text.node("Resize", "/Resize", {both, "", "", sizes}, {{"mode", std::string("linear")}});
    const std::string cut =
        text.node("Slice", "/Slice_1",
                  {wide, text.list("starts", {1, 2}), text.list("ends", {9, 12}), text.list("axes", {2, 3})});
    const std::string padded =
        text.node("Pad", "/Pad", {cut, text.list("pads", {0, 0, 1, 1, 1, 0, 0, 2, 2, 2})});
    const std::string prelu = text.node("PRelu", "/e/PRelu", {padded, text.weight("e.weight", {8, 1, 1, 1})});
    const std::string groups = text.node("Reshape", "/n/Reshape", {prelu, text.list("groups", {0, 2, -1})});
    const std::string normed = text.node("InstanceNormalization", "/n/InstanceNormalization",
                                         {groups, text.filled("ones", {2}, 1), text.filled("zeros", {2}, 0)});
    const std::string back =
        text.node("Reshape", "/n/Reshape_1", {normed, text.node("Shape", "/n/Shape", {prelu})});
    const std::string scaled = text.node("Mul", "/n/Mul", {back, text.weight("onnx::Mul_1", {8, 1, 1, 1})});
    const std::string shifted =
        text.node("Add", "/n/Add", {scaled, text.weight("onnx::Add_1", {8, 1, 1, 1})});
    const std::string silu = text.node("Mul", "/s/Mul", {shifted, text.node("Sigmoid", "/s/S", {shifted})});
    const std::string mean = text.node("ReduceMean", "/ReduceMean", {silu},
                                       {{"axes", OnnxSizes{2, 3, 4}}, {"keepdims", std::int64_t{0}}});
    text.output(text.node("Gemm", "/f/Gemm",
                          {mean, text.weight("f.weight", {5, 8}), text.weight("f.bias", {5})},
                          {{"transB", std::int64_t{1}}}));
    return text;
}

/// Every nested message, and the message itself.
void collect(Message& message, std::vector<Message*>& all) {
    all.push_back(&message);
    const auto* reflection = message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
            continue;
        }
        if (!field->is_repeated()) {
            collect(*reflection->MutableMessage(&message, field), all);
            continue;
        }
        for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
            collect(*reflection->MutableRepeatedMessage(&message, field, i), all);
        }
    }
}

/// Changes one field: a number becomes a boundary value, a text becomes another one, an item is removed.
void strike(Message& message, std::mt19937_64& random) {
    static constexpr std::array<std::int64_t, 12> kNumbers = {0,
                                                              1,
                                                              -1,
                                                              2,
                                                              3,
                                                              7,
                                                              1 << 20,
                                                              std::int64_t{1} << 31,
                                                              std::int64_t{1} << 40,
                                                              -(std::int64_t{1} << 40),
                                                              std::numeric_limits<std::int64_t>::max(),
                                                              std::numeric_limits<std::int64_t>::min()};
    static const std::array<std::string, 8> kTexts = {
        "x", "", "Conv", "/a/Relu_output_0", "a.conv.weight", "If", "same", "Shape"};
    const auto* reflection = message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    if (fields.empty()) {
        return;
    }
    const FieldDescriptor* field = fields[random() % fields.size()];
    const std::int64_t number = kNumbers[random() % kNumbers.size()];
    const std::string& word = kTexts[random() % kTexts.size()];
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 0;
    const int at = count > 0 ? static_cast<int>(random() % static_cast<std::uint64_t>(count)) : 0;
    if (field->is_repeated() && random() % 3 == 0) {
        return reflection->RemoveLast(&message, field);
    }
    switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT64:
            return field->is_repeated() ? reflection->SetRepeatedInt64(&message, field, at, number)
                                        : reflection->SetInt64(&message, field, number);
        case FieldDescriptor::CPPTYPE_INT32:
            return field->is_repeated() ? void()
                                        : reflection->SetInt32(&message, field, static_cast<int>(number));
        case FieldDescriptor::CPPTYPE_FLOAT:
            return field->is_repeated() ? void()
                                        : reflection->SetFloat(&message, field, static_cast<float>(number));
        case FieldDescriptor::CPPTYPE_STRING:
            return field->is_repeated() ? reflection->SetRepeatedString(&message, field, at, word)
                                        : reflection->SetString(&message, field, word);
        default:
            return reflection->ClearField(&message, field);
    }
}

/// Damages some fields, so that the file stays valid Protobuf and reaches the later checks.
std::string struckModel(OnnxText text, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        std::vector<Message*> all;
        collect(text.model, all);
        strike(*all[random() % all.size()], random);
    }
    return text.bytes();
}

/// A third of the files have damaged bytes, the others have fields of other messages.
TEST(OnnxFuzz, GivesAValidExperimentOrOneLine) {
    const OnnxText seed = seedModel();
    const std::string whole = seed.bytes();
    ASSERT_TRUE(importOnnx(whole, "fuzz", {})) << importOnnx(whole, "fuzz", {}).error().message;
    fuzz::expectExperimentsOrLines([&](std::uint64_t round) {
        return importOnnx(round % 3 == 0 ? fuzz::mutate(whole, round) : struckModel(seed, round), "fuzz", {});
    });
}

/// What a memory budget rejects, and what it accepts.
TEST(OnnxFuzz, HostileFilesGiveAnExperimentOrOneLine) {
    for (std::uint64_t round = 0; round < fuzz::rounds(60); ++round) {
        fuzz::Draw draw(round, 1);
        const auto made = importOnnx(fuzz::hostileOnnx(draw).files.front().second, "fuzz", {});
        if (!made) {
            fuzz::expectOneLine(made.error().message);
        }
    }
}

}  // namespace
}  // namespace highwater::stack
