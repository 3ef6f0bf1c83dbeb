#include "core/predict/tables/asked_table.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/file.h"
#include "tests/core/predict/cuda/walks.h"
#include "tests/core/temporary_folder.h"

namespace highwater::predict {
namespace {

namespace fs = std::filesystem;
using namespace highwater::predict::testing;
using base::Bytes;
using stack::Experiment;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAskedForward = "conv3d/f/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1 -";
constexpr const char* kAskedWeight = "conv3d/b/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/gw -";

AskedKey askedOf(const char* id = "h100") {
    return askedKey(*loadProfile(id), {9, 19, 0});
}

std::string headerOf(const AskedKey& key) {
    return writeAskedTable(AskedTable(key));
}

TEST(AskedPlans, AreMadeOfAllPlansAndOfThoseThatAreTimed) {
    EXPECT_EQ(askedPlans({}), std::nullopt);
    const std::vector<Bytes> few{5, 9, 2};
    EXPECT_EQ(askedPlans(few), (AskedPlans{5, 2, 2, 9, 9}));
    const std::vector<Bytes> many{5, 9, 2, 4, 4, 4, 4, 4, 4, 3, 100, 0};  // ten are timed
    EXPECT_EQ(askedPlans(many), (AskedPlans{5, 0, 2, 9, 100}));
}

TEST(AskedTableText, ReadsBackWhatItWrites) {
    AskedTable table(askedOf());
    table.add(kAskedForward, AskedPlans{5, 0, 2, 9, 100});
    table.add(kAskedWeight, std::nullopt);
    const std::string text = writeAskedTable(table);
    const auto again = parseAskedTable(text, "t.txt");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->key(), table.key());
    EXPECT_EQ(again->rows(), table.rows());
    EXPECT_EQ(writeAskedTable(*again), text);
    EXPECT_EQ(askedFileName(table.key()), "cudnn-9.19.0_h100.txt");
}

TEST(AskedTableText, RefusesWhatIsNone) {
    const auto why = [](const std::string& row, std::string header = headerOf(askedOf())) {
        const auto table = parseAskedTable(header + row + "\n", "t.txt");
        return table ? "a table" : table.error().message;
    };
    const std::string row = kAskedForward;
    EXPECT_EQ(why(row + " 5 0 2 9 100"), "a table");
    EXPECT_EQ(why(row + " -"), "a table");
    EXPECT_THAT(why("conv9d - -"), AllOf(HasSubstr("t.txt: line 2"), HasSubstr("not a convolution")));
    EXPECT_THAT(why(row), HasSubstr("five workspaces"));
    EXPECT_THAT(why(row + " 5 0 2 9"), HasSubstr("five workspaces"));
    EXPECT_THAT(why(row + " 5 0 2 9 100 1"), HasSubstr("do not fit each other"));
    for (const char* wrong : {" 5 6 2 9 100", " 5 0 6 9 100", " 10 0 2 9 100", " 5 0 2 200 100",
                              " 5 -1 2 9 100", " 5 0 2 9 4503599627370497"}) {
        EXPECT_THAT(why(row + wrong), HasSubstr("do not fit each other")) << wrong;
    }
    const std::string both = "conv3d/b/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/gi/gw - -";
    EXPECT_THAT(why(both), HasSubstr("one part"));
    std::string benchmark = row;
    benchmark.replace(benchmark.size() - 1, 1, "benchmark");
    EXPECT_THAT(why(benchmark + " -"), HasSubstr("one part"));

    const auto with = [&](const std::string& from, const std::string& to) {
        std::string header = headerOf(askedOf());
        header.replace(header.find(from), from.size(), to);
        return why("", header);
    };
    EXPECT_THAT(with("asked-table/1", "asked-table/2"), AllOf(HasSubstr("line 1"), HasSubstr("/schema")));
    EXPECT_THAT(with("\"9.19.0\"", "\"9.19\""), HasSubstr("/cudnn"));
    EXPECT_THAT(with("\"device\":\"h100\"", "\"device\":\"../h100\""), HasSubstr("/device"));
    EXPECT_THAT(with("\"described\"", "\"descried\""), HasSubstr("descri"));
}

TEST(AskedTableFiles, TheUsersOwnGrowsAndAnotherDescriptionCountsAsEmpty) {
    const test::TemporaryFolder folder;
    const std::vector<fs::path> folders{folder.path() / "own", folder.path() / "shipped"};
    const AskedKey key = askedOf();
    AskedTable first(key), second(key);
    first.add(kAskedForward, AskedPlans{5, 0, 2, 9, 100});
    second.add(kAskedWeight, AskedPlans{7, 7, 7, 7, 7});
    ASSERT_TRUE(keepAnswers(first, folders[0]));
    ASSERT_TRUE(keepAnswers(second, folders[0]));
    EXPECT_EQ(loadAskedTable(key, folders).size(), 2U);

    AskedTable shipped(key);
    shipped.add(kAskedForward, AskedPlans{1, 1, 1, 1, 1});
    shipped.add("conv1d/f/n1/c4,8/i16/k3/s1/p1/d1/g1 -", AskedPlans{2, 2, 2, 2, 2});
    ASSERT_TRUE(keepAnswers(shipped, folders[1]));
    const AskedTable all = loadAskedTable(key, folders);
    EXPECT_EQ(all.size(), 3U);
    EXPECT_EQ((*all.find(kAskedForward))->first, 5) << "one's own comes first";

    DeviceProfile other = *loadProfile("h100");
    other.attributes->multiprocessors = 114;
    EXPECT_EQ(loadAskedTable(askedKey(other, {9, 19, 0}), folders).size(), 0U);
    std::ofstream(folders[0] / askedFileName(key)) << "nonsense\n";
    EXPECT_EQ(loadAskedTable(key, folders).size(), 2U) << "a damaged one counts as empty";
    ASSERT_TRUE(keepAnswers(second, folders[0]));
    EXPECT_EQ(loadAskedTable(key, folders).size(), 3U);
}

/// A changed profile invalidates its tables: docs/make-asked-tables makes them again.
TEST(CommittedAskedTables, AreOfTheProfilesAsTheyAre) {
    const fs::path folder = fs::path(HIGHWATER_SOURCE_DIR) / "resources" / "calibration" / "cudnn";
    const std::vector<fs::path> folders{folder};
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(folder)) {
        const auto table = parseAskedTable(*base::readFile(file.path()), file.path().filename().string());
        ASSERT_TRUE(table) << table.error().message;
        EXPECT_EQ(askedFileName(table->key()), file.path().filename().string());
        const auto profile = loadProfile(table->key().device);
        ASSERT_TRUE(profile) << profile.error().message;
        const AskedTable loaded =
            loadAskedTable(askedKey(*profile, *parseCudnnVersion(table->key().cudnn)), folders);
        EXPECT_GT(loaded.size(), 1000U) << file.path().filename();
        ++files;
    }
    EXPECT_GE(files, 60U);
}

TEST(AskedDevice, EveryProfileDescribesItsGpu) {
    const auto profiles = loadProfiles();
    ASSERT_TRUE(profiles) << profiles.error().message;
    for (const DeviceProfile& profile : *profiles) {
        const std::string text = deviceForCudnn(profile);
        EXPECT_THAT(text, HasSubstr("\"deviceVer\":" + std::to_string(profile.architecture * 10)))
            << profile.id;
    }
    DeviceProfile without = *loadProfile("h100");
    without.attributes.reset();
    EXPECT_EQ(deviceForCudnn(without), "");
}

TEST(AskedQuestion, IsTheSameForAllPassesThatShareThePart) {
    const ConvKey pass =
        *parseConvKey("conv3d/b/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gi/gw/strided");
    EXPECT_EQ(questionName({pass, {}}, ConvPart::Forward), kAskedForward);
    EXPECT_EQ(questionName({pass, {.benchmark = true}}, ConvPart::WeightGradient), kAskedWeight);
    EXPECT_EQ(questionName({pass, {.deterministic = true}}, ConvPart::WeightGradient),
              std::string(kAskedWeight).substr(0, std::string(kAskedWeight).size() - 1) + "deterministic");
}

// --- predicting with answers

Target asked(const Experiment& e, const AskedPlans& forward, const AskedPlans& weight) {
    Target made = target(e, "2.11", "9.19.0");
    AskedTable table(askedOf());
    table.add(kAskedForward, forward);
    table.add(kAskedWeight, weight);
    made.asked = std::make_shared<const AskedTable>(std::move(table));
    return made;
}

constexpr AskedPlans kPlans{3000, 0, 500, 9000, 100000};
constexpr AskedPlans kWeightPlans{4000, 4000, 4000, 4000, 4000};

Experiment oneConv(const std::string& backend = "") {
    return experiment("[4, 16, 16, 16]", kConv8, "", R"(, "backend": {)" + backend + "}");
}

std::vector<Estimate> workspaces(const Experiment& e, int step, const char* label = "cudnn workspace") {
    const Walk w = walkOf(e, asked(e, kPlans, kWeightPlans));
    std::vector<Estimate> sizes;
    for (const WalkEvent& event : w.events) {
        if (event.kind == WalkEvent::Kind::Allocate && event.step == step &&
            w.blocks[event.block].label == label) {
            sizes.push_back(w.blocks[event.block].bytes);
        }
    }
    return sizes;
}

TEST(AskedPrediction, TakesTheFirstPlan) {
    const Experiment e = oneConv();
    EXPECT_THAT(workspaces(e, 1), ElementsAre(Estimate::of(3000), Estimate::of(4000)));
    const Walk w = walkOf(e, asked(e, kPlans, kWeightPlans));
    EXPECT_EQ(w.passesAsked, 2U);
    EXPECT_EQ(w.passesWithoutRow, 0U);
    ASSERT_EQ(w.workspaces.size(), 2U);
    EXPECT_EQ(w.workspaces[0].source, Workspace::Source::Asked);
    EXPECT_EQ(w.workspaces[1].part, ConvPart::WeightGradient);
    EXPECT_EQ(w.workspaces[1].question, "");
}

TEST(AskedPrediction, WithBenchmarkHoldsTheLargestAndThenOneOfThoseTimed) {
    const Experiment e = oneConv(R"("benchmark": true)");
    EXPECT_THAT(workspaces(e, 0, "cudnn search"), ElementsAre(Estimate::of(100000), Estimate::of(4000)))
        << "while they are timed";
    EXPECT_THAT(workspaces(e, 1, "cudnn search"), ElementsAre());
    EXPECT_EQ(workspaces(e, 0)[0], workspaces(e, 1)[0]) << "then the fastest runs";
    EXPECT_EQ(workspaces(e, 1)[0], (Estimate{500, 3000, 9000}))
        << "which one is the fastest, only a device knows";
    EXPECT_EQ(workspaces(e, 1)[1], Estimate::of(4000));
}

/// Two convolutions of one shape are searched once, and the second one runs immediately. The search never
/// ends the run: its block is halved until it fits.
TEST(AskedPrediction, ASearchIsMadeOnceAShapeAndGivesItsMemoryBack) {
    const Experiment e =
        experiment("[8, 16, 16, 16]", kConv8 + "," + kConv8, "", R"(, "backend": {"benchmark": true})");
    Target on = target(e, "2.11", "9.19.0");
    AskedTable table(askedOf());
    const Bytes large = Bytes{1} << 30;
    const auto info = stack::inferShapes(e);
    const auto open = predict(e, *info, on);
    ASSERT_TRUE(open);
    for (const Workspace& each : open->workspaces) {
        table.add(each.question, AskedPlans{1000, 0, 1000, 1000, large});
    }
    on.asked = std::make_shared<const AskedTable>(std::move(table));
    EXPECT_THAT(sizesOf(walkOf(e, on), "cudnn search", 0), ElementsAre(large, large, large))
        << "forward, then the gradients of weight and input";
    const auto prediction = predict(e, *info, on);
    ASSERT_TRUE(prediction);
    EXPECT_TRUE(prediction->peakInFirstStep);
    EXPECT_LT(prediction->peakReserved.expected, large + (Bytes{64} << 20))
        << "the cache is emptied in between";
    on.gpu->context = Estimate::of(on.gpu->context.expected);
    on.gpu->memory = on.memory = on.gpu->context.expected + large / 2;
    const auto little = predict(e, *info, on);
    ASSERT_TRUE(little);
    EXPECT_EQ(little->outOfMemory, "");
}

TEST(AskedPrediction, NoPlanExceedsTheLimit) {
    EXPECT_EQ(workspaces(oneConv(R"("workspace_limit": 2000)"), 1)[0], (Estimate{0, 2000, 2000}));
    EXPECT_EQ(workspaces(oneConv(R"("workspace_limit": 8000, "benchmark": true)"), 1)[0],
              (Estimate{500, 3000, 8000}));
    EXPECT_EQ(workspaces(oneConv(R"("workspace_limit": 8000, "benchmark": true)"), 0, "cudnn search")[0],
              (Estimate{3000, 8000, 8000}));
}

TEST(AskedPrediction, AMeasuredRowWins) {
    const Experiment e = oneConv();
    Target on = asked(e, kPlans, kWeightPlans);
    GpuTable table({"2.11", "9.19.0", 90, "h100"});
    table.add({*parseConvKey("conv3d/f/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b"), {}},
              {.forward = 1000});
    on.gpuTable = std::make_shared<const GpuTable>(std::move(table));
    EXPECT_THAT(sizesOf(walkOf(e, on), "cudnn workspace", 1), ElementsAre(1000, 4000));
    const auto prediction = predict(e, *stack::inferShapes(e), on);
    ASSERT_TRUE(prediction);
    EXPECT_EQ(prediction->basis, "of 2 convolution passes: 1 by rule or measured, 1 asked of cuDNN 9.19.0");
    EXPECT_FALSE(prediction->exact());
    EXPECT_TRUE(prediction->layers[0].asked);
}

TEST(AskedPrediction, AnotherPlanRunsWhereMemoryIsShort) {
    const Experiment e = oneConv();
    const Bytes huge = Bytes{1} << 28;
    const auto outOfMemory = [&](Bytes least) {
        Target on = asked(e, AskedPlans{huge, least, huge, huge, huge}, kWeightPlans);
        on.gpu->context = Estimate::of(on.gpu->context.expected);
        on.gpu->memory = on.memory = on.gpu->context.expected + huge / 2;
        const auto prediction = predict(e, *stack::inferShapes(e), on);
        EXPECT_TRUE(prediction);
        return !prediction->outOfMemory.empty();
    };
    EXPECT_TRUE(outOfMemory(huge));
    EXPECT_FALSE(outOfMemory(1000));
    EXPECT_FALSE(outOfMemory(0));
}

TEST(AskedPrediction, WhatCudnnHasNoPlanForStaysAGuessAndIsNotAskedAgain) {
    const Experiment e = oneConv();
    Target on = asked(e, kPlans, kWeightPlans);
    AskedTable table(askedOf());
    table.add(kAskedForward, std::nullopt);
    on.asked = std::make_shared<const AskedTable>(std::move(table));
    const Walk w = walkOf(e, on);
    EXPECT_EQ(w.passesWithoutRow, 2U);
    EXPECT_EQ(w.workspaces[0].source, Workspace::Source::Guessed);
    EXPECT_EQ(w.workspaces[0].question, "");
    EXPECT_EQ(w.workspaces[1].question, kAskedWeight);
}

}  // namespace
}  // namespace highwater::predict
