#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/engine/data/data.h"
#include "core/engine/data/patch_maker.h"
#include "tests/core/engine/training.h"
#include "tests/core/temporary_folder.h"
#include "tests/core/volume_of.h"

/// Training on several cases.
namespace highwater::engine::testing {
namespace {

using ::testing::HasSubstr;

constexpr volume::Index3 kSizes[] = {{20, 18, 16}, {11, 30, 9}, {12, 12, 40}};

const std::string kCohortStack = R"("stack": [{"type": "conv", "out_channels": 3, "padding": 1}])";
const std::string kCohortInput =
    R"("input": {"cohort": "c", "channels": 2, "patch": [4, 6, 8], "normalize": "none"},
    "step": {"batch_size": 3, "seed": 5}, )";

/// Voxel (i, j, k) of case n is 1e6 n + i + 100 j + 10000 k, the second channel's minus that; labels are
/// (i + j + k + n) % 3.
CaseVolumes caseOf(std::int64_t n, const volume::Index3& size, bool labels = true) {
    const auto value = [n](auto i, auto j, auto k) {
        return 1e6 * static_cast<double>(n) + i + 100 * j + 10000 * k;
    };
    CaseVolumes made;
    made.channels = {volume::test::volumeOf(size, value),
                     volume::test::volumeOf(size, [&](auto i, auto j, auto k) { return -value(i, j, k); })};
    if (labels) {
        made.labels =
            volume::test::volumeOf(size, [n](auto i, auto j, auto k) { return (i + j + k + n) % 3; });
    }
    return made;
}

struct MadeOfCohort {
    explicit MadeOfCohort(const std::string& members) {
        request.experiment = parse(members);
        request.runId = "test";
        for (std::int64_t n = 0; n < 3; ++n) {
            request.cases.push_back(caseOf(n, kSizes[n]));
        }
        const auto inferred = stack::inferShapes(request.experiment);
        EXPECT_TRUE(inferred.ok()) << inferred.error().message;
        info = *inferred;
    }
    RunRequest request;
    stack::StackInfo info;
};

TEST(Cohort, EveryPatchComesFromTheCaseItSays) {
    const MadeOfCohort made(kCohortInput + R"("target": "labels", "loss": "cross_entropy", )" + kCohortStack);
    ASSERT_TRUE(checkVolumes(made.request, made.info).ok());
    for (const std::int64_t workers : {0, 3}) {
        RunRequest request = made.request;
        request.experiment.data.workers = workers;
        DataSource data(request, made.info);
        std::set<std::int64_t> seen;
        for (std::int64_t step = 0; step < 20; ++step) {
            data.next();
            const SamplePlace& first = data.firstSample();
            EXPECT_EQ(first.number, 3 * step);
            EXPECT_EQ(first.theCase, volume::caseOf(5, first.number, 3));
            seen.insert(first.theCase);
            const auto [i, j, k] = first.box.start;
            const volume::Index3& size = kSizes[first.theCase];
            EXPECT_TRUE(i >= 0 && j >= 0 && k >= 0 && i + 8 <= size[0] && j + 6 <= size[1] &&
                        k + 4 <= size[2]);
            const double corner =
                1e6 * static_cast<double>(first.theCase) + static_cast<double>(i + 100 * j + 10000 * k);
            EXPECT_EQ(data.input()[0][0][0][0][0].item<double>(), corner);
            EXPECT_EQ(data.input()[0][1][3][5][7].item<double>(), -(corner + 7 + 500 + 30000));
            EXPECT_EQ(data.target()[0][1][2][3].item<std::int64_t>(),
                      (i + 3 + j + 2 + k + 1 + first.theCase) % 3);
            EXPECT_EQ(data.patchVolume().geometry().origin[2], static_cast<double>(k));
        }
        EXPECT_EQ(seen.size(), 3U);
    }
}

TEST(Cohort, OneCaseIsThatScan) {
    MadeOfCohort made(kCohortInput + R"("target": "labels", "loss": "cross_entropy", )" + kCohortStack);
    made.request.cases.resize(1);
    RunRequest scan = made.request;
    scan.cases.clear();
    scan.channels = made.request.cases[0].channels;
    scan.labels = made.request.cases[0].labels;
    scan.experiment.input =
        stack::ScanInput{{{"a", {}, 0}, {"b", {}, 0}}, {}, 1, {4, 6, 8}, {stack::Normalize::Kind::None}};
    DataSource cohort(made.request, made.info), alone(scan, made.info);
    for (int step = 0; step < 5; ++step) {
        cohort.next();
        alone.next();
        EXPECT_TRUE(at::equal(cohort.input(), alone.input()));
        EXPECT_TRUE(at::equal(cohort.target(), alone.target()));
        EXPECT_EQ(cohort.firstPatch(), alone.firstPatch());
    }
}

TEST(Cohort, EachCaseIsNormalizedForItself) {
    MadeOfCohort made(
        R"("input": {"cohort": "c", "channels": 2, "patch": [4, 4, 4], "normalize": "minmax"}, "loss": "mean",
                 "step": {"batch_size": 1}, )" +
        kCohortStack);
    DataSource data(made.request, made.info);
    std::set<std::int64_t> seen;
    for (int step = 0; step < 20; ++step) {
        data.next();
        const SamplePlace& first = data.firstSample();
        seen.insert(first.theCase);
        const volume::Volume& scan = made.request.cases[static_cast<std::size_t>(first.theCase)].channels[1];
        const auto& [low, high] = std::pair(scan.header().min, scan.header().max);
        const auto [i, j, k] = first.box.start;
        EXPECT_NEAR(data.input()[0][1][0][0][0].item<double>(), (scan.at(i, j, k) - low) / (high - low),
                    1e-6);
    }
    EXPECT_EQ(seen.size(), 3U);
}

/// The foreground of the first case is below 100, that of the second above 1000; a single threshold would
/// miss one.
TEST(Cohort, ForegroundIsFoundByEachCasesOwnThreshold) {
    MadeOfCohort made(
        R"("input": {"cohort": "c", "patch": [3, 3, 3], "normalize": "none", "sampling": "foreground"},
                 "loss": "mean", "step": {"batch_size": 1}, )" +
        kCohortStack);
    made.request.cases.clear();
    for (const double level : {50.0, 5000.0}) {
        made.request.cases.push_back({{volume::test::volumeOf({30, 30, 30},
                                                              [level](auto i, auto j, auto k) {
                                                                  return i > 20 && j > 20 && k > 20 ? level
                                                                         : level > 1000             ? 200.0
                                                                                                    : 0.0;
                                                              })},
                                      {}});
    }
    DataSource data(made.request, made.info);
    int of[2] = {};
    for (int step = 0; step < 40; ++step) {
        data.next();
        const auto theCase = static_cast<std::size_t>(data.firstSample().theCase);
        ++of[theCase];
        EXPECT_EQ(data.input().max().item<double>(), theCase == 0 ? 50 : 5000);
    }
    EXPECT_GT(of[0], 5);
    EXPECT_GT(of[1], 5);
}

/// One foreground voxel in 27,000, and none: the first case's patches contain it, the others' are anywhere,
/// and the run warns once.
TEST(Cohort, RareForegroundIsFoundAndMissingForegroundIsSaid) {
    MadeOfCohort made(
        R"("input": {"cohort": "c", "patch": [3, 3, 3], "normalize": "none", "sampling": "foreground"},
                 "target": "labels", "loss": "cross_entropy", "step": {"batch_size": 1}, )" +
        kCohortStack);
    made.request.cases.clear();
    const auto image = volume::test::volumeOf({30, 30, 30}, [](auto i, auto, auto) { return i; });
    for (const int label : {1, 0, 0}) {
        made.request.cases.push_back(
            {{image}, volume::test::volumeOf({30, 30, 30}, [&](auto i, auto j, auto k) {
                 return i == 17 && j == 3 && k == 25 ? label : 0;
             })});
    }
    for (const std::int64_t workers : {0, 3}) {
        RunRequest request = made.request;
        request.experiment.data.workers = workers;
        DataSource data(request, made.info);
        std::set<volume::Index3> elsewhere;
        int rare = 0;
        for (int step = 0; step < 40; ++step) {
            data.next();
            const SamplePlace& first = data.firstSample();
            if (first.theCase == 0) {
                EXPECT_EQ(first.box.start, (volume::Index3{16, 2, 24}));
                EXPECT_EQ(data.target().max().item<std::int64_t>(), 1);
                ++rare;
            } else {
                elsewhere.insert(first.box.start);
            }
        }
        EXPECT_GT(rare, 5);
        EXPECT_GT(elsewhere.size(), 10U);
    }
    const auto warnings = [](const RunRequest& request) {
        std::vector<std::string> said;
        const auto result = run(
            request,
            [&](const wire::Event& event) {
                if (const auto* const warning = std::get_if<wire::Warning>(&event)) {
                    said.push_back(warning->message);
                }
            },
            false);
        EXPECT_TRUE(result) << result.error().message;
        return said;
    };
    made.request.steps = 2;
    made.request.warmup = 0;
    EXPECT_THAT(warnings(made.request),
                ::testing::ElementsAre("/input/sampling: 2 of the 3 cases have no foreground (all labels are "
                                       "0), the first is case 2: patches lie anywhere there"));
    made.request.cases.erase(made.request.cases.begin(), made.request.cases.begin() + 2);
    EXPECT_THAT(warnings(made.request),
                ::testing::ElementsAre(
                    "/input/sampling: no voxel is foreground (all labels are 0): patches lie anywhere"));
}

/// A quarter turn about an axis with a different spacing resamples other voxels: each case has its own
/// spacing.
TEST(Cohort, RotationsUseTheCasesSpacing) {
    MadeOfCohort made(kCohortInput +
                      R"("loss": "mean", "data": {"augment": [{"type": "rotate", "p": 1, "amount": 40}]}, )" +
                      kCohortStack);
    volume::Header header = made.request.cases[1].channels[0].header();
    for (volume::Volume& channel : made.request.cases[1].channels) {
        header = channel.header();
        header.geometry.spacing = {1, 1, 4};
        channel = volume::Volume(header, {channel.data(), [kept = channel](const std::byte*) {}});
    }
    const PatchMaker maker(made.request, made.info);
    int checked = 0;
    for (std::int64_t n = 0; n < 20; ++n) {
        const DrawnSample sample = maker.draw(n);
        const auto& space = sample.augmentation.space;
        // In millimeters the matrix is a rotation: its rows have length 1.
        const double z = sample.place.theCase == 1 ? 4 : 1;
        const double row[] = {space[2][0] * z, space[2][1] * z, space[2][2]};
        EXPECT_NEAR(row[0] * row[0] + row[1] * row[1] + row[2] * row[2], 1, 1e-9) << n;
        checked += sample.place.theCase == 1 ? 1 : 0;
    }
    EXPECT_GT(checked, 2);
}

TEST(Cohort, WhatDoesNotFitIsNamedWithItsCase) {
    const MadeOfCohort good(kCohortInput + R"("target": "labels", "loss": "cross_entropy", )" + kCohortStack);
    const auto refusal = [&](const auto& change) {
        MadeOfCohort made = good;
        change(made.request.cases);
        const auto status = checkVolumes(made.request, made.info);
        return status ? std::string() : status.error().message;
    };
    using Cases = std::vector<CaseVolumes>;
    EXPECT_EQ(refusal([](Cases&) {}), "");
    EXPECT_EQ(refusal([](Cases& cases) { cases.clear(); }), "/input/cohort: no case was handed over");
    EXPECT_EQ(refusal([](Cases& cases) { cases[1].channels.pop_back(); }),
              "/input/cohort: case 2: 1 volume was handed over, the experiment has 2");
    EXPECT_EQ(
        refusal([](Cases& cases) { cases[2].channels[1] = cases[0].channels[1]; }),
        "/input/cohort: case 3: channels must have equal sizes, not 12 x 12 x 40 and 20 x 18 x 16 voxels");
    EXPECT_THAT(refusal([](Cases& cases) { cases[2].labels = cases[0].labels; }),
                HasSubstr("/target/labels: case 3: the label map has 20 x 18 x 16 voxels"));
    EXPECT_THAT(refusal([](Cases& cases) { cases[0].labels.reset(); }),
                HasSubstr("/target/labels: case 1: "));
    EXPECT_THAT(refusal([](Cases& cases) { cases[1].labels = cases[1].channels[0]; }),
                HasSubstr("case 2: labels reach from 1e+06"));
}

TEST(Cohort, SmallCasesAreCounted) {
    MadeOfCohort made(kCohortInput + R"("loss": "mean", )" + kCohortStack);
    EXPECT_TRUE(dataWarnings(made.request, made.info).empty());
    made.request.cases.push_back(caseOf(3, {7, 30, 30}));
    made.request.cases.push_back(caseOf(4, {30, 30, 2}));
    ASSERT_EQ(dataWarnings(made.request, made.info).size(), 1U);
    EXPECT_THAT(dataWarnings(made.request, made.info)[0], HasSubstr("2 of the 5 cases have fewer voxels"));
}

TEST(Cohort, ARunSaysWhichSampleItsPatchIs) {
    const highwater::test::TemporaryFolder folder;
    MadeOfCohort made(kCohortInput + R"("target": "labels", "loss": "cross_entropy", )" + kCohortStack);
    made.request.previewFolder = folder.path().string();
    made.request.steps = 3;
    made.request.warmup = 1;
    std::vector<wire::PatchSaved> saved;
    const auto result = run(
        made.request,
        [&](const wire::Event& event) {
            if (const auto* const patch = std::get_if<wire::PatchSaved>(&event)) {
                saved.push_back(*patch);
            }
        },
        false);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->status, wire::RunStatus::Done);
    EXPECT_EQ(result->cases, 3);
    ASSERT_FALSE(saved.empty());
    const PatchMaker maker(made.request, made.info);
    for (const wire::PatchSaved& each : saved) {
        EXPECT_EQ(each.sample, 3 * each.step);
        const SamplePlace place = maker.draw(each.sample).place;
        EXPECT_EQ(each.theCase, place.theCase);
        EXPECT_EQ(each.start, stack::Sizes(place.box.start.begin(), place.box.start.end()));
    }
}

}  // namespace
}  // namespace highwater::engine::testing
