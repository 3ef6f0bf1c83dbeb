#include "core/predict/axes/cliffs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/predict/predict.h"
#include "core/stack/nnunet/nnunet.h"
#include "tests/core/predict/axes/versions.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"

namespace highwater::predict {
namespace {

using stack::Experiment;
using ::testing::AllOf;
using testing::cliffExperiment;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kOld;
using ::testing::Not;
using testing::versionsOf;

std::vector<Cliff> cliffsOf(const Experiment& e, const CudaVersions& versions) {
    const auto info = stack::inferShapes(e);
    EXPECT_TRUE(info) << info.error().message;
    return info ? findCliffs(e, *info, versions) : std::vector<Cliff>{};
}

bool has(const std::vector<Cliff>& cliffs, Cliff::Kind kind) {
    return std::any_of(cliffs.begin(), cliffs.end(), [&](const Cliff& c) { return c.kind == kind; });
}

/// Every safe size is accepted and has no cliff of that kind; the next accepted size toward the current one
/// has one.
void expectBothSides(const Experiment& e, const CudaVersions& versions, const Cliff& cliff) {
    for (const auto& [axis, sizes] : cliff.safe) {
        for (const std::int64_t size : sizes) {
            SCOPED_TRACE(axis + " " + std::to_string(size));
            const Experiment safe = *withAxis(e, axis, size);
            ASSERT_TRUE(stack::inferShapes(safe));
            EXPECT_FALSE(has(cliffsOf(safe, versions), cliff.kind));
            const auto now = axis == "batch_size" ? e.step.batchSize
                             : axis == "width"    ? stack::inferShapes(e)->input.back()
                             : axis == "height"   ? stack::inferShapes(e)->input.rbegin()[1]
                                                  : stack::inferShapes(e)->input.rbegin()[2];
            for (std::int64_t next = size;;) {
                next += size < now ? 1 : -1;
                const Experiment neighbor = *withAxis(e, axis, next);
                if (!stack::inferShapes(neighbor)) {
                    continue;
                }
                EXPECT_TRUE(has(cliffsOf(neighbor, versions), cliff.kind)) << next;
                break;
            }
        }
    }
}

const std::string k95024 = R"({"type": "conv", "out_channels": 32, "kernel_size": 3, "padding": 1})";
const std::string k128947 = R"({"type": "conv", "out_channels": 64, "kernel_size": 3})";

// --- cliffs

TEST(Cliffs, OfAnOrdinaryStackAreNone) {
    const Experiment e = cliffExperiment("[1, 64, 64, 64]", k95024 + ", {\"type\": \"relu\"}, " + k128947);
    EXPECT_THAT(cliffsOf(e, kOld), IsEmpty());
    EXPECT_THAT(cliffsOf(e, {}), IsEmpty());
}

TEST(Cliffs, FindTheIndexRangeWithTheNearestSafeSizes) {
    const Experiment e = cliffExperiment("[64, 362, 370, 251]", k95024, R"(, "precision": "fp16")");
    const auto cliffs = cliffsOf(e, kOld);
    ASSERT_EQ(cliffs.size(), 1U);
    EXPECT_EQ(cliffs[0].kind, Cliff::Kind::IndexRange);
    EXPECT_EQ(cliffs[0].layer, 0);
    EXPECT_EQ(cliffs[0].bytes, 116'187'056'640);
    // 2^31-1 elements over 64 channels are 33,554,431 voxels.
    EXPECT_THAT(cliffs[0].safe.at("depth"), ElementsAre(33'554'431 / (370 * 251)));
    EXPECT_THAT(cliffs[0].safe.at("height"), ElementsAre(33'554'431 / (362 * 251)));
    EXPECT_THAT(cliffs[0].safe.at("width"), ElementsAre(33'554'431 / (362 * 370)));
    EXPECT_FALSE(cliffs[0].safe.contains("batch_size"));
    EXPECT_THAT(cliffs[0].message,
                AllOf(HasSubstr("layer 1 conv: one sample's input has 2,151,"), HasSubstr("cuDNN"),
                      HasSubstr("with cuDNN 8.9.2 and LibTorch 2.0 (before 9.3 and 2.5)"),
                      HasSubstr("108 GiB"), HasSubstr("width 250 or less"), Not(HasSubstr("\n"))));
    expectBothSides(e, kOld, cliffs[0]);
    EXPECT_THAT(cliffsOf(e, versionsOf("2.5", "9.3")), IsEmpty());
}

TEST(Cliffs, SeeTheOtherReportsAlike) {
    const Experiment e = cliffExperiment("[256, 5, 1090, 1922]", k128947);  // #128947: depth 4 ran, 5 did not
    const auto cliffs = cliffsOf(e, versionsOf("2.3", "8.9.2"));
    ASSERT_EQ(cliffs.size(), 1U);
    EXPECT_EQ(cliffs[0].bytes, 173'266'698'240);
    EXPECT_THAT(cliffs[0].safe.at("depth"), ElementsAre(4));
    expectBothSides(e, versionsOf("2.3", "8.9.2"), cliffs[0]);
    // #136479: 128 channels, 248^3 ran and 256^3 did not.
    const std::string conv = R"({"type": "conv", "out_channels": 64, "kernel_size": 3, "padding": 1})";
    EXPECT_THAT(cliffsOf(cliffExperiment("[128, 248, 248, 248]", conv), kOld), IsEmpty());
    const auto cube = cliffsOf(cliffExperiment("[128, 256, 256, 256]", conv), kOld);
    ASSERT_EQ(cube.size(), 1U);
    EXPECT_EQ(cube[0].bytes, 128LL * 27 * 256 * 256 * 256 * 4);
    EXPECT_THAT(cube[0].safe.at("width"), ElementsAre(255));
}

TEST(Cliffs, GiveOnlySizesThatTheStackAccepts) {
    // A U-Net of three levels wants multiples of 4.
    const std::string unet = R"(
        {"type": "conv", "id": "a", "out_channels": 32, "kernel_size": 3, "padding": 1},
        {"type": "max_pool"}, {"type": "conv", "id": "b", "out_channels": 64, "kernel_size": 3, "padding": 1},
        {"type": "max_pool"}, {"type": "conv", "out_channels": 64, "kernel_size": 3, "padding": 1},
        {"type": "conv_transpose", "out_channels": 64, "stride": 2}, {"type": "concat", "with": "b"},
        {"type": "conv", "out_channels": 64, "kernel_size": 3, "padding": 1},
        {"type": "conv_transpose", "out_channels": 32, "stride": 2}, {"type": "concat", "with": "a"},
        {"type": "conv", "out_channels": 32, "kernel_size": 3, "padding": 1})";
    const Experiment e = cliffExperiment("[1, 320, 320, 440]", unet);
    const auto cliffs = cliffsOf(e, kOld);
    ASSERT_FALSE(cliffs.empty());
    for (const Cliff& cliff : cliffs) {
        for (const auto& [axis, sizes] : cliff.safe) {
            for (const std::int64_t size : sizes) {
                EXPECT_EQ(size % 4, 0) << axis;
            }
        }
        EXPECT_EQ(cliff.safe, cliffs[0].safe);
    }
    // 64 joined channels: 33,554,431 voxels; the next multiple of 4 below 327.7.
    EXPECT_THAT(cliffs[0].safe.at("width"), ElementsAre(324));
    expectBothSides(e, kOld, cliffs[0]);
}

/// A residual unit whose skip is strided too can start from a size that is not the current one.
TEST(Cliffs, GiveTheSizesOfStridedResiduals) {
    const Experiment e = cliffExperiment("[128, 256, 256, 256]", R"(
        {"type": "conv", "id": "in", "out_channels": 128, "kernel_size": 3, "padding": 1},
        {"type": "conv", "id": "skip", "out_channels": 16, "kernel_size": 1, "stride": 2},
        {"type": "branch", "with": "in"},
        {"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1, "stride": 2},
        {"type": "add", "with": "skip"})");
    const auto cliffs = cliffsOf(e, kOld);
    ASSERT_FALSE(cliffs.empty());
    for (const char* axis : {"depth", "height", "width"}) {
        ASSERT_TRUE(cliffs[0].safe.contains(axis)) << cliffs[0].message;
        EXPECT_THAT(cliffs[0].safe.at(axis), ElementsAre(255));
    }
    EXPECT_THAT(cliffs[0].message, AllOf(HasSubstr("width 255 or less"), Not(HasSubstr("no other size"))));
    expectBothSides(e, kOld, cliffs[0]);
}

/// The network of nnU-Net's residual encoder needs multiples of 32, and branches in all stages except the
/// first.
TEST(Cliffs, GiveTheSizesOfNnunetsResidualEncoder) {
    auto plans = stack::testing::newerPlans();
    plans["configurations"]["resenc"]["patch_size"] = {352, 352, 352};
    plans["configurations"]["resenc"]["batch_size"] = 1;
    stack::NnunetOptions options;
    options.configuration = "resenc";
    const auto made = stack::importNnunet(plans.dump(), "plans.json", options);
    ASSERT_TRUE(made) << made.error().message;
    const auto cliffs = cliffsOf(made->experiment, kOld);
    ASSERT_FALSE(cliffs.empty());
    // 64 joined channels at the full resolution: 33,554,431 voxels are 270.8 planes of 352 x 352.
    for (const char* axis : {"depth", "height", "width"}) {
        ASSERT_TRUE(cliffs[0].safe.contains(axis)) << cliffs[0].message;
        EXPECT_THAT(cliffs[0].safe.at(axis), ElementsAre(256));
    }
    expectBothSides(made->experiment, kOld, cliffs[0]);
}

TEST(Cliffs, FindWhatLowPrecisionLoses) {
    const Experiment e = cliffExperiment("[1, 64, 64, 64]", k95024, R"(, "precision": "bf16")");
    const auto cliffs = cliffsOf(e, versionsOf("2.9", "9.10.2"));
    ASSERT_EQ(cliffs.size(), 1U);
    EXPECT_EQ(cliffs[0].kind, Cliff::Kind::Autocast);
    EXPECT_EQ(cliffs[0].bytes, 27LL * 64 * 64 * 64 * 2);
    EXPECT_THAT(cliffs[0].safe, IsEmpty());
    EXPECT_THAT(cliffs[0].message, AllOf(HasSubstr("bf16 conv3d"), HasSubstr("9.10.2"), HasSubstr("9.15"),
                                         HasSubstr("channels_last")));
    EXPECT_THAT(cliffsOf(e, versionsOf("2.9", "9.15")), IsEmpty());
    EXPECT_THAT(cliffsOf(e, versionsOf("2.8", "9.10.2")), IsEmpty());
    EXPECT_THAT(cliffsOf(cliffExperiment("[1, 64, 64, 64]", k95024), versionsOf("2.9", "9.10.2")), IsEmpty());
    const auto turing = cliffsOf(e, versionsOf("2.8", "9.10.2", 75));
    ASSERT_EQ(turing.size(), 1U);
    EXPECT_THAT(turing[0].message, HasSubstr("compute capability 7.5"));
}

TEST(Cliffs, CallAlgorithmRegimesAGuess) {
    const auto layers = [](int kernel) {
        return R"({"type": "conv", "out_channels": 64, "kernel_size": )" + std::to_string(kernel) +
               R"(, "padding": "same"})";
    };
    // #26950: the same layer with a kernel of 5 and of 7.
    const Experiment seven = cliffExperiment("[64, 128, 128, 128]", layers(7));
    const auto cliffs = cliffsOf(seven, versionsOf("2.4", "9.1"));
    ASSERT_EQ(cliffs.size(), 1U);
    EXPECT_EQ(cliffs[0].kind, Cliff::Kind::Algorithm);
    EXPECT_GT(cliffs[0].bytes, base::kGiB);
    EXPECT_THAT(cliffs[0].message, AllOf(HasSubstr("a guess"), HasSubstr("kernel of 7")));
    expectBothSides(seven, versionsOf("2.4", "9.1"), cliffs[0]);
    EXPECT_THAT(cliffsOf(cliffExperiment("[64, 128, 128, 128]", layers(5)), versionsOf("2.4", "9.1")),
                IsEmpty());
    Experiment exact = seven;
    exact.backend.deterministic = true;
    EXPECT_THAT(cliffsOf(exact, versionsOf("2.4", "9.1")), IsEmpty());
}

TEST(Cliffs, HaveSafeSizesOnBothSidesWhereThereAreTwo) {
    // A plane of up to 256 is transformed as a whole, a larger one in tiles.
    const Experiment e = cliffExperiment(
        "[256, 240, 240]", R"({"type": "conv", "out_channels": 256, "kernel_size": 7, "padding": 3})");
    const auto cliffs = cliffsOf(e, versionsOf("2.4", "9.1"));
    ASSERT_EQ(cliffs.size(), 1U);
    ASSERT_EQ(cliffs[0].safe.at("width").size(), 2U);
    EXPECT_LT(cliffs[0].safe.at("width")[0], 240);
    EXPECT_EQ(cliffs[0].safe.at("width")[1], 251);
    expectBothSides(e, versionsOf("2.4", "9.1"), cliffs[0]);
}

TEST(Cliffs, AreFoundInsideBlocksAndSeparableConvolutions) {
    const Experiment e = cliffExperiment("[16, 400, 300, 300]", R"(
        {"type": "relu"},
        {"type": "block", "name": "deep", "layers": [
            {"type": "separable_conv", "out_channels": 64, "kernel_size": 3, "padding": 1}]})");
    const auto cliffs = cliffsOf(e, kOld);
    ASSERT_EQ(cliffs.size(), 1U);  // the pointwise part's output; depthwise has no column buffer
    EXPECT_EQ(cliffs[0].layer, 2);
    EXPECT_EQ(cliffs[0].bytes, 16LL * 400 * 300 * 300 * 4);
    expectBothSides(e, kOld, cliffs[0]);
}

TEST(Cliffs, HaveKeysForFiles) {
    EXPECT_EQ(cliffKey(Cliff::Kind::IndexRange), "index_range");
    EXPECT_EQ(cliffKey(Cliff::Kind::Autocast), "autocast");
    EXPECT_EQ(cliffKey(Cliff::Kind::Algorithm), "algorithm");
}

// --- axes

TEST(WithAxis, ChangesOneSizeOfTheInput) {
    const Experiment e = cliffExperiment("[2, 10, 20, 30]", k95024);
    const auto shape = [](const Experiment& changed) {
        return std::get<stack::SyntheticInput>(changed.input).shape;
    };
    EXPECT_THAT(shape(*withAxis(e, "depth", 11)), ElementsAre(2, 11, 20, 30));
    EXPECT_THAT(shape(*withAxis(e, "height", 11)), ElementsAre(2, 10, 11, 30));
    EXPECT_THAT(shape(*withAxis(e, "width", 11)), ElementsAre(2, 10, 20, 11));
    EXPECT_THAT(shape(*withAxis(e, "patch", 20)), ElementsAre(2, 20, 40, 60));
    EXPECT_EQ(withAxis(e, "batch_size", 7)->step.batchSize, 7);
    Experiment scan = e;
    scan.input = stack::testing::scanInput({"a.nii"}, {64});
    EXPECT_THAT(std::get<stack::ScanInput>(withAxis(scan, "height", 32)->input).patch,
                ElementsAre(64, 32, 64));
    EXPECT_EQ(withAxis(scan, "patch", 48)->input, stack::testing::scanInput({"a.nii"}, {48, 48, 48}));
}

TEST(WithAxis, RefusesAnAxisThatIsNotThere) {
    const Experiment flat = cliffExperiment("[2, 20, 30]", R"({"type": "conv", "out_channels": 4})");
    EXPECT_THAT(withAxis(flat, "depth", 4).error().message,
                AllOf(HasSubstr("\"depth\""), HasSubstr("height, width, batch_size and patch")));
    EXPECT_FALSE(withAxis(flat, "", 4));
    EXPECT_FALSE(withAxis(flat, "length", 4));
    EXPECT_THAT(withAxis(flat, "width", 0).error().message, HasSubstr("from 1 to"));
    EXPECT_FALSE(withAxis(flat, "width", std::int64_t{1} << 40));
    const Experiment line = cliffExperiment("[2, 30]", R"({"type": "conv", "out_channels": 4})");
    EXPECT_TRUE(withAxis(line, "width", 4));
    EXPECT_EQ(*withAxis(line, "width", 4), *withAxis(line, "length", 4));
}

}  // namespace
}  // namespace highwater::predict
