#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/predict/predict.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/build.h"

/// Predicted times of single operators compared with measurements on an H200 (operators_h200.txt).
namespace highwater::predict {
namespace {

struct MeasuredOperator {
    std::string kind, type, layout;
    std::vector<int> shape;
    double forwardUs = 0, backwardUs = 0;  ///< 0: not measured
};

std::vector<MeasuredOperator> measuredOperators() {
    std::ifstream file(HIGHWATER_SOURCE_DIR "/tests/core/predict/fit/operators_h200.txt");
    std::vector<MeasuredOperator> all;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        MeasuredOperator& each = all.emplace_back();
        std::string shape, forward, backward;
        std::istringstream(line) >> each.kind >> shape >> each.type >> each.layout >> forward >> backward;
        std::istringstream sizes(shape);
        for (std::string size; std::getline(sizes, size, 'x');) {
            each.shape.push_back(std::stoi(size));
        }
        each.forwardUs = forward == "-" ? 0 : std::stod(forward);
        each.backwardUs = backward == "-" ? 0 : std::stod(backward);
    }
    return all;
}

/// The operator between two convolutions, which determine its layout.
stack::Experiment aroundIt(const MeasuredOperator& each) {
    const std::string kind = each.kind;
    const std::string options = kind == "group_norm"      ? R"(, "num_groups": 8)"
                                : kind == "instance_norm" ? R"(, "affine": true)"
                                : kind.ends_with("_pool") ? R"(, "kernel_size": 2)"
                                : kind == "upsample"      ? R"(, "scale_factor": 2)"
                                : kind == "concat"        ? R"(, "with": "a")"
                                                          : "";
    const std::size_t dims = each.shape.size() - 2;
    std::string input = "2";
    for (std::size_t i = 2; i < each.shape.size(); ++i) {
        input += fmt::format(", {}", each.shape[i]);
    }
    const auto conv = [&](int channels) {
        return fmt::format(
            R"({{"type": "conv", "dims": {}, "out_channels": {}, "kernel_size": 3, "padding": 1, "id": "{}"}})",
            dims, channels, channels == 1 ? "b" : "a");
    };
    auto made = stack::testing::experimentOf(
        "[" + input + "]",
        conv(each.shape[1]) + (kind == "concat" ? R"(, {"type": "leaky_relu"})" : "") + R"(, {"type": ")" +
            kind + '"' + options + "}, " + conv(1),
        fmt::format(R"("loss": "mean", "step": {{"batch_size": {}{}{}}})", each.shape[0],
                    each.type == "fp16" ? R"(, "precision": "fp16")" : "",
                    each.layout == "channels_last" ? R"(, "channels_last": true)" : ""));
    EXPECT_TRUE(made) << made.error().message;
    return *made;
}

TEST(Operators, TakeTheTimesThatWereMeasuredOnAnH200) {
    std::vector<double> ratios;
    std::string outside;
    std::size_t inside = 0;
    const auto compare = [&](const MeasuredOperator& each, const char* pass, double us,
                             const TimeEstimate& predicted) {
        if (us <= 0) {
            return;
        }
        ratios.push_back(us * 1e-3 / predicted.expected);
        if (predicted.low <= us * 1e-3 && us * 1e-3 <= predicted.high) {
            ++inside;
        } else {
            outside += fmt::format("{} {} {} {} {}: {} us, predicted {:.0f}\n", each.kind,
                                   fmt::join(each.shape, "x"), each.type, each.layout, pass, us,
                                   predicted.expected * 1e3);
        }
    };
    for (const MeasuredOperator& each : measuredOperators()) {
        const stack::Experiment e = aroundIt(each);
        const auto info = stack::inferShapes(e);
        ASSERT_TRUE(info) << each.kind << ": " << info.error().message;
        const auto target = gpuTarget("h200", e, memory::TorchVersion{2, 11}, CudnnVersion{9, 19, 0});
        ASSERT_TRUE(target) << target.error().message;
        const auto prediction = predict(e, *info, *target);
        ASSERT_TRUE(prediction) << prediction.error().message;
        const LayerPrediction& layer = prediction->layers.at(each.kind == "concat" ? 2 : 1);
        compare(each, "forward", each.forwardUs, layer.forwardMs);
        compare(each, "backward", each.backwardUs, layer.backwardMs);
    }
    ASSERT_EQ(ratios.size(), 181U);
    EXPECT_GE(inside, 160U) << outside;  // 174, and 163 with the shares that the validation kit measured
    std::ranges::sort(ratios);
    EXPECT_GE(ratios[ratios.size() / 2], 0.95);
    EXPECT_LE(ratios[ratios.size() / 2], 1.1);
    EXPECT_GE(ratios.front(), 0.4);
    EXPECT_LE(ratios.back(), 2.5);
}

}  // namespace
}  // namespace highwater::predict
