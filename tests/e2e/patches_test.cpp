#include "core/wire/patches.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/stack/json/json.h"
#include "core/volume/sampler.h"
#include "core/volume/write_volume.h"
#include "tests/core/temporary_folder.h"
#include "tests/core/volume_of.h"
#include "tests/e2e/program.h"

/// Patches from the real engine.
namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

class EnginePatches : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string missing = missingPrograms(); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
    }
    void TearDown() override {
        for (const int fd : fds_) {
            ::close(fd);
        }
    }
    int handOver(const volume::Volume& volume) {
        fds_.push_back(*volume::temporaryFile());
        EXPECT_TRUE(volume::writeVolume(fds_.back(), volume));
        return fds_.back();
    }
    wire::PatchRequest request(const std::string& members) {
        wire::PatchRequest request;
        request.experiment =
            *stack::parseExperiment(R"({"schema": "highwater.experiment/1", )" + members +
                                        R"(, "stack": [{"type": "conv", "out_channels": 2, "padding": 1}]})",
                                    "test");
        request.folder = folder_.path();
        request.program = programPath("highwater-engine");
        return request;
    }
    test::TemporaryFolder folder_;
    std::vector<int> fds_;
};

volume::Volume numbered(const volume::Index3& size) {
    return volume::test::volumeOf(size, [](auto i, auto j, auto k) { return i + 100 * j + 10000 * k; });
}

TEST_F(EnginePatches, AreTheScansVoxelsWhereTheySayTheyAre) {
    auto asked = request(R"("input": {"scan": "a.nii", "patch": [4, 5, 6], "normalize": "none"},
        "target": {"threshold": 40000}, "loss": "dice", "step": {"seed": 11}, "data": {"augment": [{"type": "flip"}]})");
    const volume::Volume scan = numbered({20, 18, 16});
    asked.volumeFds = {handOver(scan)};
    asked.first = 1000;
    asked.count = 12;
    int said = 0;
    asked.progress = [&](int done) { said = done; };
    const auto made = wire::makePatches(asked);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->size(), 12U);
    EXPECT_EQ(said, 12);
    volume::Sampler sampler{{6, 5, 4}, false, 0, 11};
    int flipped = 0;
    for (std::size_t n = 0; n < 12; ++n) {
        const wire::SentPatch& patch = (*made)[n];
        EXPECT_EQ(patch.number, 1000 + static_cast<std::int64_t>(n));
        EXPECT_EQ(patch.start, sampler.box(scan, patch.number).start);
        std::array<bool, 3> flips{};
        for (const std::string& words : patch.augmentations) {
            for (const char axis : words.substr(std::string("flipped along ").size())) {
                if (axis >= 'i' && axis <= 'k') {
                    flips[static_cast<std::size_t>(axis - 'i')] = true;
                }
            }
        }
        flipped += patch.augmentations.empty() ? 0 : 1;
        const auto values = volume::mapVolumeFile(patch.channels.at(0)),
                   target = volume::mapVolumeFile(patch.target);
        ASSERT_TRUE(values && target);
        for (std::int64_t k = 0; k < 4; ++k) {
            for (std::int64_t j = 0; j < 5; ++j) {
                for (std::int64_t i = 0; i < 6; ++i) {
                    const double voxel = scan.at(patch.start[0] + (flips[0] ? 5 - i : i),
                                                 patch.start[1] + (flips[1] ? 4 - j : j),
                                                 patch.start[2] + (flips[2] ? 3 - k : k));
                    ASSERT_EQ(values->at(i, j, k), voxel);
                    ASSERT_EQ(target->at(i, j, k), voxel >= 40000 ? 1 : 0);
                }
            }
        }
    }
    EXPECT_GT(flipped, 3);
}

TEST_F(EnginePatches, OfACohortNameTheirCase) {
    auto asked =
        request(R"("input": {"cohort": "c", "patch": [4, 5, 6], "normalize": "none"}, "target": "labels",
        "loss": "cross_entropy")");
    const volume::Volume scans[] = {numbered({20, 18, 16}), numbered({6, 30, 9})};
    for (const volume::Volume& scan : scans) {
        asked.volumeFds.push_back(handOver(scan));
        asked.volumeFds.push_back(handOver(volume::test::volumeOf(
            scan.geometry().size, [](auto i, auto j, auto k) { return (i + j + k) % 2; })));
    }
    const auto made = wire::makePatches(asked);
    ASSERT_TRUE(made) << made.error().message;
    int of[2] = {};
    for (const wire::SentPatch& patch : *made) {
        ASSERT_LT(patch.theCase, 2);
        ++of[patch.theCase];
        const auto [i, j, k] = patch.start;
        EXPECT_EQ(volume::mapVolumeFile(patch.channels.at(0))->at(0, 0, 0), scans[patch.theCase].at(i, j, k));
        EXPECT_EQ(volume::mapVolumeFile(patch.target)->at(0, 0, 0), static_cast<double>((i + j + k) % 2));
    }
    EXPECT_GT(of[0], 0);
    EXPECT_GT(of[1], 0);
    asked.volumeFds.pop_back();
    const auto refused = wire::makePatches(asked);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "/input/cohort: 3 volumes were handed over, which is not a multiple of the 2 of a case");
}

TEST_F(EnginePatches, WhatCannotBeMadeIsTheEnginesLine) {
    auto asked = request(
        R"("input": {"scan": "a.nii", "patch": [4, 5, 6]}, "target": {"labels": "l.nii"}, "loss": "cross_entropy")");
    asked.volumeFds = {handOver(numbered({20, 18, 16}))};
    auto made = wire::makePatches(asked);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "/target/labels: the label map was not handed over with the scan");
    asked = request(R"("input": {"synthetic": [1, 8, 8, 8]}, "loss": "mean")");
    made = wire::makePatches(asked);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("/input/synthetic"));
    asked.volumeFds = {::dup(0)};
    fds_.push_back(asked.volumeFds[0]);
    EXPECT_THAT(wire::makePatches(asked).error().message, HasSubstr("volume 1"));
}

TEST_F(EnginePatches, CanBeCancelled) {
    auto asked = request(R"("input": {"scan": "a.nii", "patch": [128, 128, 128]}, "loss": "mean",
        "data": {"augment": [{"type": "blur", "p": 1, "amount": 16}]})");
    asked.volumeFds = {handOver(numbered({20, 18, 16}))};
    asked.count = 256;
    std::atomic<bool> cancel{false};
    asked.cancel = &cancel;
    asked.progress = [&](int) { cancel = true; };
    const auto made = wire::makePatches(asked);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "cancelled");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "patch-255-channel-1.hwvol"));
}

}  // namespace
}  // namespace highwater::e2e
