#include "core/engine/data/data.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/engine/training.h"
#include "tests/core/volume_of.h"

namespace highwater::engine::testing {
namespace {

using ::testing::HasSubstr;

/// A volume whose voxel (i, j, k) is i + 100 j + 10000 k.
volume::Volume ramp(const volume::Index3& size, bool labels = false) {
    return volume::test::volumeOf(size, [labels](auto i, auto j, auto k) {
        return labels ? (i + j + k) % 3 : i + 100 * j + 10000 * k;
    });
}

struct Made {
    explicit Made(const std::string& members, volume::Index3 size = {20, 18, 16}) {
        request.experiment = parse(members);
        request.channels = {ramp(size)};
        request.labels = ramp(size, true);
        const auto inferred = stack::inferShapes(request.experiment);
        EXPECT_TRUE(inferred.ok()) << inferred.error().message;
        info = *inferred;
    }
    RunRequest request;
    stack::StackInfo info;
};

const std::string kInput =
    R"("input": {"scan": "a.nii", "patch": [4, 6, 8], "normalize": "none"}, "step": {"batch_size": 3}, )";
const std::string kTwo = R"("stack": [{"type": "conv", "out_channels": 2, "padding": 1}])";
const std::string kThree = R"("stack": [{"type": "conv", "out_channels": 3, "padding": 1}])";

TEST(Data, PatchesLieInTheScanWithDepthFirst) {
    const Made made(kInput + kTwo + R"(, "loss": "mean")");
    ASSERT_TRUE(checkVolumes(made.request, made.info).ok());
    DataSource data(made.request, made.info);
    for (int round = 0; round < 5; ++round) {
        data.next();
        const at::Tensor x = data.input();
        ASSERT_EQ(x.sizes(), at::IntArrayRef({3, 1, 4, 6, 8}));
        const auto [i, j, k] = data.firstPatch().start;
        EXPECT_EQ(x[0][0][0][0][0].item<float>(), static_cast<float>(i + 100 * j + 10000 * k));
        EXPECT_EQ(x[0][0][3][5][7].item<float>(),
                  static_cast<float>(i + 7 + 100 * (j + 5) + 10000 * (k + 3)));
    }
}

TEST(Data, TheSeedDecidesEverything) {
    Made made(kInput + R"("target": {"classes": 2}, "loss": "cross_entropy", )" + kTwo);
    DataSource first(made.request, made.info), again(made.request, made.info);
    first.next();
    again.next();
    EXPECT_TRUE(at::equal(first.input(), again.input()));
    EXPECT_TRUE(at::equal(first.target(), again.target()));
    const at::Tensor before = first.input().clone();
    first.next();
    EXPECT_FALSE(at::equal(first.input(), before));
    made.request.experiment.step.seed = 1;
    DataSource other(made.request, made.info);
    other.next();
    EXPECT_FALSE(at::equal(other.input(), again.input()));
}

TEST(Data, ThresholdAndLabelsFollowThePatch) {
    const Made threshold(kInput + R"("target": {"threshold": 50000}, "loss": "dice", )" + kTwo);
    DataSource data(threshold.request, threshold.info);
    data.next();
    EXPECT_TRUE(at::equal(data.target(), data.input().squeeze(1).ge(50000).to(at::kLong)));

    const Made labels(kInput + R"("target": {"labels": "l.nii"}, "loss": "cross_entropy", )" + kThree);
    ASSERT_TRUE(checkVolumes(labels.request, labels.info).ok());
    DataSource labeled(labels.request, labels.info);
    labeled.next();
    const auto [i, j, k] = labeled.firstPatch().start;
    EXPECT_EQ(labeled.target()[0][1][2][3].item<std::int64_t>(), (i + 3 + j + 2 + k + 1) % 3);
}

TEST(Data, NormalizesWithTheWholeScansStatistics) {
    const auto make = [](const std::string& normalize) {
        return R"("input": {"scan": "a.nii", "patch": [16, 18, 20], "normalize": )" + normalize +
               R"(}, "loss": "mean", )" + kTwo;
    };
    const Made zscore(make("\"zscore\""));
    DataSource z(zscore.request, zscore.info);
    z.next();
    EXPECT_NEAR(z.input().mean().item<double>(), 0, 1e-3);
    EXPECT_NEAR(z.input().std(false).item<double>(), 1, 1e-3);
    const Made minmax(make("\"minmax\""));
    DataSource m(minmax.request, minmax.info);
    m.next();
    EXPECT_NEAR(m.input().min().item<double>(), 0, 1e-6);
    EXPECT_NEAR(m.input().max().item<double>(), 1, 1e-6);
    const Made window(make(R"({"window": [50000, 60000]})"));
    DataSource w(window.request, window.info);
    w.next();
    EXPECT_EQ(w.input().min().item<double>(), 0);
    EXPECT_EQ(w.input().max().item<double>(), 1);
}

/// The same experiment in channels_last; the data path supports what runs refuse on the CPU.
void expectEqualInAnotherOrder(const Made& made) {
    Made last = made;
    last.request.experiment.step.channelsLast = true;
    DataSource plain(made.request, made.info), ordered(last.request, last.info);
    for (int round = 0; round < 3; ++round) {
        plain.next();
        ordered.next();
        EXPECT_TRUE(ordered.input().is_contiguous(at::MemoryFormat::ChannelsLast3d));
        EXPECT_TRUE(at::equal(plain.input(), ordered.input()));
        EXPECT_EQ(plain.patchVolume().header().mean, ordered.patchVolume().header().mean);
        for (std::size_t i = 0; i < plain.targets().size(); ++i) {
            EXPECT_TRUE(at::equal(plain.targets()[i], ordered.targets()[i])) << i;
        }
    }
}

TEST(Data, ChannelsLastIsTheSameBatchInAnotherOrder) {
    const std::string heads =
        R"("stack": [{"type": "conv", "out_channels": 2, "stride": 2, "padding": 1},
                     {"type": "head", "out_channels": 2},
                     {"type": "conv_transpose", "out_channels": 2, "stride": 2}])";
    const std::string two =
        R"("input": {"scan": ["a.nii", "b.nii"], "patch": [4, 6, 8]}, "step": {"batch_size": 3}, )";
    for (const char* const rest : {R"("loss": "mse")", R"("loss": "cross_entropy", "target": {"classes": 2})",
                                   R"("loss": "dice", "target": {"threshold": 50000})"}) {
        SCOPED_TRACE(rest);
        Made made(two + heads + ", " + rest);
        made.request.channels = {ramp({20, 18, 16}), ramp({20, 18, 16}, true)};
        expectEqualInAnotherOrder(made);
        if (std::string_view(rest).find("mse") == std::string_view::npos) {
            expectEqualInAnotherOrder(Made(kInput + heads + ", " + rest));
        }
    }
}

TEST(Data, OneSpatialAxisHasNoChannelsLast) {
    const Made made(R"("input": {"synthetic": [2, 16]}, "loss": "mean", "step": {"channels_last": true}, )"
                    R"("stack": [{"type": "conv", "out_channels": 2}])");
    ASSERT_EQ(dataWarnings(made.request, made.info).size(), 1U);
    EXPECT_THAT(dataWarnings(made.request, made.info)[0], HasSubstr("/step/channels_last"));
    EXPECT_TRUE(DataSource(made.request, made.info).input().is_contiguous());
}

TEST(Data, APatchLargerThanTheScanIsPaddedAndSaid) {
    const Made made(kInput + kTwo + R"(, "loss": "mean")", {5, 18, 16});
    EXPECT_EQ(dataWarnings(made.request, made.info).size(), 1U);
    DataSource data(made.request, made.info);
    data.next();
    EXPECT_EQ(data.input()[0][0][3][5][7].item<float>(), 0) << "the scan's lowest value";
    const Made fits(kInput + kTwo + R"(, "loss": "mean")");
    EXPECT_TRUE(dataWarnings(fits.request, fits.info).empty());
}

TEST(Data, WhatDoesNotFitIsNamed) {
    Made made(kInput + R"("target": {"labels": "l.nii"}, "loss": "cross_entropy", )" + kTwo);
    EXPECT_THAT(checkVolumes(made.request, made.info).error().message, HasSubstr("labels must be 0 to 1"));
    made.request.labels.reset();
    EXPECT_THAT(checkVolumes(made.request, made.info).error().message, HasSubstr("/target/labels"));
    made.request.labels = ramp({4, 4, 4}, true);
    EXPECT_THAT(checkVolumes(made.request, made.info).error().message, HasSubstr("4 x 4 x 4"));
    made.request.channels.push_back(ramp({20, 18, 16}));
    EXPECT_THAT(checkVolumes(made.request, made.info).error().message,
                HasSubstr("2 volumes were handed over"));
}

TEST(Data, ThePatchForViewingKeepsItsPlace) {
    const Made made(kInput + kTwo + R"(, "loss": "mean")");
    DataSource data(made.request, made.info);
    data.next();
    const volume::Volume patch = data.patchVolume();
    EXPECT_EQ(patch.geometry().size, (std::array<std::int64_t, 3>{8, 6, 4}));
    EXPECT_EQ(patch.at(1, 2, 3), data.input()[0][0][3][2][1].item<float>());
    EXPECT_EQ(patch.geometry().origin[1], static_cast<double>(data.firstPatch().start[1]));
}

}  // namespace
}  // namespace highwater::engine::testing
