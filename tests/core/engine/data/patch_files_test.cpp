#include "core/engine/data/patch_files.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engine/data/data.h"
#include "tests/core/engine/training.h"
#include "tests/core/temporary_folder.h"
#include "tests/core/volume_of.h"

/// The displayed sample is the one that a run passes to the network.
namespace highwater::engine::testing {
namespace {

using ::testing::HasSubstr;

const std::string kPatchStack = R"("stack": [{"type": "conv", "out_channels": 2, "padding": 1}], )";
const std::string kAugment =
    R"("data": {"read_delay_ms": 60000, "augment": [{"type": "flip"}, {"type": "rotate90"},
       {"type": "rotate", "p": 0.3}, {"type": "scale", "p": 0.3}, {"type": "noise"}, {"type": "gamma"}]}, )";
const std::string kPatchInput =
    R"("input": {"cohort": "c", "channels": 2, "patch": [6, 6, 6]}, "step": {"seed": 4}, )";

RunRequest patchRequestOf(const std::string& members) {
    RunRequest request;
    request.experiment = parse(members);
    for (const volume::Index3& size : {volume::Index3{14, 13, 12}, volume::Index3{9, 20, 7}}) {
        CaseVolumes each;
        each.channels = {
            volume::test::volumeOf(size, [](auto i, auto j, auto k) { return (i * 7 + j * 5 + k * 3) % 31; }),
            volume::test::volumeOf(size, [](auto i, auto j, auto k) { return i - j + k; })};
        each.labels =
            volume::test::volumeOf(size, [](auto i, auto j, auto k) { return (i / 3 + j / 3 + k / 3) % 2; });
        request.cases.push_back(std::move(each));
    }
    return request;
}

std::vector<wire::SentPatch> written(const RunRequest& request, const std::filesystem::path& folder,
                                     std::int64_t first, int count) {
    std::vector<wire::SentPatch> patches;
    const auto done = writePatches(
        request, {first, count, folder}, [&](const wire::SentPatch& patch) { patches.push_back(patch); },
        false);
    EXPECT_TRUE(done) << done.error().message;
    return patches;
}

/// The file contains this tensor of a batch of one, i fastest.
void expectHolds(const std::filesystem::path& file, const at::Tensor& tensor) {
    const auto volume = volume::mapVolumeFile(file.string());
    ASSERT_TRUE(volume) << volume.error().message;
    const at::Tensor values = tensor.to(at::kDouble);
    for (std::int64_t k = 0; k < 6; ++k) {
        for (std::int64_t j = 0; j < 6; ++j) {
            for (std::int64_t i = 0; i < 6; ++i) {
                ASSERT_EQ(volume->at(i, j, k), values[k][j][i].item<double>()) << i << j << k;
            }
        }
    }
}

TEST(PatchFiles, HoldWhatARunSends) {
    struct Wanted {
        std::string members;
        bool target;
        volume::VoxelType type;
    };
    for (const Wanted& wanted :
         {Wanted{R"("target": "labels", "loss": "cross_entropy")", true, volume::VoxelType::I32},
          {R"("target": {"threshold": 14}, "loss": "dice")", true, volume::VoxelType::I32},
          {R"("target": {"classes": 2}, "loss": "dice")", false, volume::VoxelType::I32},
          {R"("loss": "mse")", false, volume::VoxelType::I32}}) {
        SCOPED_TRACE(wanted.members);
        const highwater::test::TemporaryFolder folder;
        RunRequest request = patchRequestOf(kPatchInput + kPatchStack + kAugment + wanted.members);
        const auto patches = written(request, folder.path(), 3, 6);
        ASSERT_EQ(patches.size(), 6U);
        request.experiment.data.readDelayMs = 0;
        DataSource data(request, *stack::inferShapes(request.experiment));
        bool changed = false, cases[2] = {};
        for (std::int64_t n = 0; n < 9; ++n) {
            data.next();
            if (n < 3) {
                continue;
            }
            const wire::SentPatch& patch = patches[static_cast<std::size_t>(n - 3)];
            EXPECT_EQ(patch.number, n);
            EXPECT_EQ(patch.theCase, data.firstSample().theCase);
            EXPECT_EQ(patch.start, data.firstPatch().start);
            EXPECT_EQ(patch.extent, (volume::Index3{6, 6, 6}));
            ASSERT_EQ(patch.channels.size(), 2U);
            expectHolds(patch.channels[0], data.input()[0][0]);
            expectHolds(patch.channels[1], data.input()[0][1]);
            EXPECT_EQ(patch.target.empty(), !wanted.target);
            if (wanted.target) {
                expectHolds(patch.target, data.target()[0]);
                EXPECT_EQ(volume::mapVolumeFile(patch.target)->header().type, wanted.type);
            }
            changed = changed || !patch.augmentations.empty();
            cases[patch.theCase] = true;
        }
        EXPECT_TRUE(changed && cases[0] && cases[1]);
    }
}

TEST(PatchFiles, LieWhereTheirBoxDoes) {
    const highwater::test::TemporaryFolder folder;
    RunRequest request = patchRequestOf(kPatchInput + kPatchStack + kAugment + R"("loss": "mean")");
    for (CaseVolumes& each : request.cases) {
        for (volume::Volume& channel : each.channels) {
            volume::Header header = channel.header();
            header.geometry.spacing = {0.5, 1, 2};
            header.geometry.origin = {10, 20, 30};
            header.geometry.direction = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
            channel = volume::Volume(header, {channel.data(), [kept = channel](const std::byte*) {}});
        }
    }
    for (const wire::SentPatch& patch : written(request, folder.path(), 0, 4)) {
        const volume::Volume made = *volume::mapVolumeFile(patch.channels[1]);
        const volume::Geometry& scan =
            request.cases[static_cast<std::size_t>(patch.theCase)].channels[0].geometry();
        EXPECT_EQ(made.geometry().size, patch.extent);
        EXPECT_EQ(made.geometry().spacing, scan.spacing);
        EXPECT_EQ(made.geometry().direction, scan.direction);
        EXPECT_EQ(made.geometry().origin, scan.toMillimeters({static_cast<double>(patch.start[0]),
                                                              static_cast<double>(patch.start[1]),
                                                              static_cast<double>(patch.start[2])}));
        EXPECT_LE(made.header().min, made.header().mean);
        EXPECT_LE(made.header().mean, made.header().max);
    }
}

TEST(PatchFiles, WhatCannotBeIsOneLine) {
    const highwater::test::TemporaryFolder folder;
    const auto refusal = [&](const RunRequest& request, const PatchOrder& order, bool cancel = false) {
        int said = 0;
        const auto done = writePatches(request, order, [&](const wire::SentPatch&) { ++said; }, cancel);
        EXPECT_FALSE(done);
        EXPECT_EQ(said, 0);
        return done ? std::string() : done.error().message;
    };
    const RunRequest good = patchRequestOf(kPatchInput + kPatchStack + R"("loss": "mean")");
    EXPECT_THAT(refusal(patchRequestOf(R"("input": {"synthetic": [1, 8, 8, 8]}, "loss": "mean", )" +
                                       kPatchStack.substr(0, kPatchStack.size() - 2)),
                        {0, 1, folder.path()}),
                HasSubstr("/input/synthetic"));
    EXPECT_THAT(refusal(good, {0, 1, folder.path() / "none"}), HasSubstr("there is no such folder"));
    EXPECT_THAT(refusal(good, {-1, 1, folder.path()}), HasSubstr("starting at number -1"));
    EXPECT_EQ(refusal(good, {0, 1, folder.path()}, true), "cancelled");
    RunRequest wrong = good;
    wrong.cases[1].channels.pop_back();
    EXPECT_THAT(refusal(wrong, {0, 1, folder.path()}), HasSubstr("case 2"));
}

}  // namespace
}  // namespace highwater::engine::testing
