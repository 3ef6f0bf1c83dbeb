#include <gtest/gtest.h>

#include <random>

#include "core/stack/onnx/onnx.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/onnx/onnx_text.h"

namespace highwater::stack {
namespace {

using namespace testing;
using Json = nlohmann::ordered_json;

/// A network of random layers: the file, the expected layers and their shapes, both derived from the
/// standards, not from the code under test.
class RandomNet {
public:
    explicit RandomNet(std::uint64_t seed)
        : random_(seed), axes_(1 + random_() % 3), shape_(startShape()), text(shape_, 17) {
        for (std::uint64_t count = 1 + random_() % 8; count > 0; --count) {
            add();
        }
        residual();  // something has to train
        text.output(last_);
    }

private:
    std::mt19937_64 random_;
    std::size_t axes_;
    OnnxSizes shape_;
    std::string last_ = "x";
    int count_ = 0;

public:
    OnnxText text;
    Json layers = Json::array();
    std::vector<OnnxSizes> shapes;

private:
    std::int64_t below(std::int64_t most) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most));
    }
    OnnxSizes startShape() {
        OnnxSizes shape{1 + below(3), 1 + below(4)};
        for (std::size_t axis = 0; axis < axes_; ++axis) {
            shape.push_back(8 + below(9));
        }
        return shape;
    }
    std::string module() { return "m" + std::to_string(count_++); }
    void put(const Json& layer) {
        layers.push_back(layer);
        shapes.push_back(shape_);
    }
    static Json sizesJson(const OnnxSizes& sizes) {
        const bool alike = std::equal(sizes.begin() + 1, sizes.end(), sizes.begin());
        return alike ? Json(sizes.front()) : Json(sizes);
    }
    void add();
    void conv();
    void pool();
    void residual();
};

void RandomNet::conv() {
    const std::string name = module();
    const bool grouped = below(3) == 0, bias = below(2) == 0;
    const std::int64_t groups = grouped ? shape_[1] : 1, out = groups * (1 + below(3));
    OnnxSizes kernel, stride, pads;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
        kernel.push_back(1 + below(3));
        stride.push_back(1 + below(2));
        pads.push_back(below(2));
    }
    OnnxSizes weight{out, shape_[1] / groups}, both = pads;
    weight.insert(weight.end(), kernel.begin(), kernel.end());
    both.insert(both.end(), pads.begin(), pads.end());
    std::vector<std::string> inputs{last_, text.weight(name + ".weight", weight)};
    if (bias) {
        inputs.push_back(text.weight(name + ".bias", {out}));
    }
    last_ = text.node("Conv", "/" + name + "/Conv", inputs,
                      {{"group", groups}, {"strides", stride}, {"pads", both}, {"kernel_shape", kernel}});
    shape_[1] = out;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
        shape_[axis + 2] = (shape_[axis + 2] + 2 * pads[axis] - kernel[axis]) / stride[axis] + 1;
    }
    Json layer{{"type", "conv"}, {"out_channels", out}, {"kernel_size", sizesJson(kernel)}};
    if (sizesJson(stride) != 1) {
        layer["stride"] = sizesJson(stride);
    }
    if (sizesJson(pads) != 0) {
        layer["padding"] = sizesJson(pads);
    }
    if (groups != 1) {
        layer["groups"] = groups;
    }
    if (!bias) {
        layer["bias"] = false;
    }
    put(layer);
}

void RandomNet::pool() {
    const bool average = below(2) == 0;
    const std::string name = module(), kind = average ? "AveragePool" : "MaxPool";
    last_ = text.node(kind, "/" + name + "/" + kind, {last_},
                      {{"kernel_shape", OnnxSizes(axes_, 2)}, {"strides", OnnxSizes(axes_, 2)}});
    for (std::size_t axis = 0; axis < axes_; ++axis) {
        shape_[axis + 2] /= 2;
    }
    put({{"type", average ? "avg_pool" : "max_pool"}, {"kernel_size", 2}});
}

/// A norm and its sum with, or concatenation with, its input.
void RandomNet::residual() {
    const std::string before = last_;
    last_ = text.batchNorm(module(), last_, shape_[1]);
    put({{"type", "batch_norm"}});
    const bool joins = below(2) == 0;
    last_ = joins ? text.node("Concat", "/Concat_" + module(), {last_, before}, {{"axis", std::int64_t{1}}})
                  : text.node("Add", "/Add_" + module(), {last_, before});
    shape_[1] *= joins ? 2 : 1;
    put({{"type", joins ? "concat" : "add"}});
}

void RandomNet::add() {
    const bool wide = *std::min_element(shape_.begin() + 2, shape_.end()) >= 4;
    switch (below(5)) {
        case 0:
        case 1:
            return wide ? conv() : residual();
        case 2:
            return wide ? pool() : residual();
        case 3:
            // The input itself has no id yet: a reference to it inserts a layer in front.
            return last_ == "x" ? conv() : residual();
        default:
            last_ = text.node("Relu", "/" + module() + "/Relu", {last_});
            put({{"type", "relu"}});
    }
}

TEST(OnnxRandom, NodesBecomeTheExpectedStackWithTheirShapes) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const RandomNet net(seed);
        const auto made = importOnnx(net.text.bytes(), "net.onnx", {});
        ASSERT_TRUE(made) << seed << ": " << made.error().message;
        const Json stack = Json::parse(made->text)["stack"];
        auto layers = layersOf(stack);
        auto shapes = net.shapes;
        const auto info = inferShapes(made->experiment);
        ASSERT_TRUE(info) << seed;
        std::vector<OnnxSizes> found;
        for (const auto& layer : info->layers) {
            found.push_back(layer.output);
        }
        if (layers.size() ==
            net.layers.size() + 1) {  // a layer that does nothing, so that the input has an id
            layers.erase(0);
            found.erase(found.begin());
        }
        ASSERT_EQ(layers, net.layers) << seed;
        ASSERT_EQ(found, shapes) << seed;
    }
}

}  // namespace
}  // namespace highwater::stack
