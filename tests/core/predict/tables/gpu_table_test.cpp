#include "core/predict/tables/gpu_table.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/file.h"
#include "core/predict/predict.h"
#include "core/predict/workspaces/workspace.h"
#include "tests/core/predict/cuda/walks.h"
#include "tests/core/temporary_folder.h"
#include "tests/gpu/convolutions/gpu_convolutions.h"

namespace highwater::predict {
namespace {

namespace fs = std::filesystem;
using namespace highwater::predict::testing;
using stack::Experiment;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTableHeader =
    R"({"schema":"highwater.gpu-table/1","libtorch":"2.11","cudnn":"9.19.0","architecture":90,"device":"h200","machine":"NVIDIA H200"})";
constexpr const char* kForwardRow = "conv3d/f/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b";
constexpr const char* kBackward = "conv3d/b/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gi/gw";
const GpuKey kKey{"2.11", "9.19.0", 90, "h200"};

ConvKey tableKey(const std::string& text) {
    const auto parsed = parseConvKey(text);
    EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
    return *parsed;
}

std::string whyNoTable(const std::string& row, const std::string& header = kTableHeader) {
    const auto table = parseGpuTable(header + "\n" + row + "\n", "t.txt");
    return table ? "a table" : table.error().message;
}

TEST(GpuTableText, ReadsBackWhatWasWritten) {
    GpuTable table(kKey);
    table.machine = "NVIDIA H200";
    table.add({tableKey(kForwardRow), {}}, {.forward = 4096, .microseconds = 12.5});
    table.add({tableKey(kForwardRow), {.tf32 = true, .benchmark = true}}, {.forward = 0, .microseconds = 0});
    table.add({tableKey(kBackward), {.deterministic = true}},
              {.inputGradient = 1 << 20, .weightGradient = 3, .microseconds = 40});
    const std::string text = writeGpuTable(table);
    EXPECT_EQ(text, std::string(kTableHeader) + "\n" + kBackward + " deterministic 40 i:1048576 w:3\n" +
                        kForwardRow + " - 12.5 f:4096\n" + kForwardRow + " tf32,benchmark 0 f:0\n");
    const auto again = parseGpuTable(text, "t.txt");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->key(), kKey);
    EXPECT_EQ(again->machine, table.machine);
    EXPECT_EQ(again->rows(), table.rows());
}

TEST(GpuTableText, IsRefusedNamingTheLine) {
    const std::string forward = kForwardRow, backward = kBackward;
    EXPECT_EQ(whyNoTable(forward + " - 1 f:0"), "a table");
    EXPECT_THAT(whyNoTable("conv9d - 1 f:0"),
                AllOf(HasSubstr("t.txt: line 2"), HasSubstr("not a convolution")));
    EXPECT_THAT(whyNoTable(forward + " benchmark,tf32 1 f:0"), HasSubstr("switches are needed"));
    EXPECT_THAT(whyNoTable(forward + "/fp16 tf32 1 f:0"), HasSubstr("tf32 with fp32 alone"));
    EXPECT_THAT(whyNoTable(forward + " - -1 f:0"), HasSubstr("microseconds"));
    EXPECT_THAT(whyNoTable(forward + " - nan f:0"), HasSubstr("microseconds"));
    for (const char* end : {"", " f:", " f:-1", " f:4503599627370497", " i:0", " f:0 w:0"}) {
        EXPECT_THAT(whyNoTable(forward + " - 1" + end), AllOf(HasSubstr("line 2"), HasSubstr("f:BYTES")))
            << end;
    }
    EXPECT_THAT(whyNoTable(backward + " - 1 w:0 i:0"), HasSubstr("i:BYTES and w:BYTES"));
    EXPECT_THAT(whyNoTable(backward + " - 1 i:0"), HasSubstr("i:BYTES and w:BYTES"));
    EXPECT_THAT(whyNoTable("conv1d/b/n1/c1,1/i8/k1/s1/p0/d1/g1 - 1"), HasSubstr("without a wanted gradient"));
    EXPECT_THAT(whyNoTable(forward + " - 1 f:0\n" + forward + " - 2 f:0"),
                AllOf(HasSubstr("line 3"), HasSubstr("already has a row")));
}

TEST(GpuTableText, RefusesAHeaderThatNamesNoTable) {
    const auto with = [](std::string from, const std::string& to) {
        std::string header = kTableHeader;
        header.replace(header.find(from), from.size(), to);
        return whyNoTable("", header);
    };
    EXPECT_THAT(with("gpu-table/1", "gpu-table/2"), AllOf(HasSubstr("line 1"), HasSubstr("/schema")));
    EXPECT_THAT(with("\"2.11\"", "\"2.11.0\""), HasSubstr("/libtorch"));
    EXPECT_THAT(with("\"9.19.0\"", "\"9.19\""), HasSubstr("/cudnn"));
    EXPECT_THAT(with("90", "9000"), HasSubstr("/architecture"));
    EXPECT_THAT(with("\"h200\"", "\"../h200\""), HasSubstr("/device"));
    EXPECT_THAT(with("\"machine\"", "\"engine\""), HasSubstr("engine"));
    EXPECT_THAT(whyNoTable("", "not JSON"), HasSubstr("t.txt"));
}

TEST(GpuTable, AnswersForEachPartWhateverElseThePassWants) {
    GpuTable table(kKey);
    table.add({tableKey(kBackward), {}}, {.inputGradient = 10, .weightGradient = 20});
    const std::string shape = "conv3d/b/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1";
    for (const char* rest : {"/b/gw", "/gi/gw/strided", "/gw"}) {
        EXPECT_EQ(table.workspace({tableKey(shape + rest), {}}, ConvPart::WeightGradient), 20) << rest;
        EXPECT_EQ(table.find({tableKey(shape + rest), {}}), nullptr) << rest;
    }
    EXPECT_EQ(table.workspace({tableKey(kForwardRow), {}}, ConvPart::InputGradient), 10);
    EXPECT_EQ(table.workspace({tableKey(kForwardRow), {}}, ConvPart::Forward), std::nullopt);
    EXPECT_EQ(table.workspace({tableKey(kBackward), {.tf32 = true}}, ConvPart::InputGradient), std::nullopt);
    EXPECT_EQ(table.workspace({tableKey(std::string(kBackward) + "/cl"), {}}, ConvPart::InputGradient),
              std::nullopt);
    // TF32 does not affect fp16.
    table.add({tableKey(std::string(kForwardRow) + "/fp16"), {}}, {.forward = 30});
    EXPECT_EQ(
        table.workspace({tableKey(std::string(kForwardRow) + "/fp16"), {.tf32 = true}}, ConvPart::Forward),
        30);
}

TEST(GpuTableFiles, AreNamedAfterTheirKey) {
    EXPECT_EQ(gpuTableFileName(kKey), "libtorch-2.11_cudnn-9.19.0_sm90_h200.txt");
    EXPECT_EQ(keyOfGpuTableName(gpuTableFileName(kKey)), kKey);
    for (const char* name :
         {"", ".txt", "libtorch-2.11_cudnn-9.19.0_sm90_h200", "libtorch-2.11_cudnn-9.19.0",
          "libtorch-2.11_cudnn-9.19.0_smx_h200.txt", "libtorch-2.11_cudnn-9.19.0_sm090_h200.txt",
          "libtorch-1.13.0_onednn-2.6.3_avx2_1.txt"}) {
        EXPECT_EQ(keyOfGpuTableName(name), std::nullopt) << name;
    }
}

void write(const fs::path& folder, const GpuTable& table) {
    fs::create_directories(folder);
    ASSERT_TRUE(base::writeFileAtomically(folder / gpuTableFileName(table.key()), writeGpuTable(table)));
}

GpuTable tableOf(const GpuKey& of, base::Bytes forward, double microseconds) {
    GpuTable table(of);
    table.add({tableKey(kForwardRow), {}}, {.forward = forward, .microseconds = microseconds});
    return table;
}

TEST(GpuTableFiles, HoldForTheArchitectureButTimesForTheDevice) {
    const highwater::test::TemporaryFolder folder;
    GpuKey h100 = kKey, newer = kKey, ampere = kKey;
    h100.device = "h100", newer.cudnn = "9.26.0", ampere.architecture = 80;
    const std::vector<fs::path> folders{folder.path() / "mine", folder.path() / "program"};
    write(folders[1], tableOf(h100, 7, 70));
    write(folders[1], tableOf(newer, 8, 80));
    write(folders[1], tableOf(ampere, 9, 90));
    std::ofstream(folders[1] / "readme.txt") << "no table";
    const auto only = loadGpuTable(kKey, folders);
    ASSERT_TRUE(only) << only.error().message;
    ASSERT_NE(only->find({tableKey(kForwardRow), {}}), nullptr);
    EXPECT_EQ(*only->find({tableKey(kForwardRow), {}}), (GpuOpRow{.forward = 7}));
    EXPECT_EQ(only->workspace({tableKey(kForwardRow), {}}, ConvPart::Forward), 7);

    write(folders[1], tableOf(kKey, 5, 50));
    EXPECT_EQ(*loadGpuTable(kKey, folders)->find({tableKey(kForwardRow), {}}),
              (GpuOpRow{.forward = 5, .microseconds = 50}));
    write(folders[0], tableOf(kKey, 4, 40));  // the user's own comes first
    EXPECT_EQ(*loadGpuTable(kKey, folders)->find({tableKey(kForwardRow), {}}),
              (GpuOpRow{.forward = 4, .microseconds = 40}));
    EXPECT_EQ(loadGpuTable({"2.12", "9.20.0", 90, "h200"}, folders)->size(), 0U);
}

TEST(GpuTableFiles, ThatAreBrokenAreNamed) {
    const highwater::test::TemporaryFolder folder;
    const std::vector<fs::path> folders{folder.path()};
    write(folder.path(), tableOf(kKey, 5, 50));
    GpuKey other = kKey;
    other.device = "h100";
    fs::rename(folder.path() / gpuTableFileName(kKey), folder.path() / gpuTableFileName(other));
    EXPECT_THAT(loadGpuTable(kKey, folders).error().message,
                AllOf(HasSubstr("h100.txt: line 1"), HasSubstr("another device")));
    std::ofstream(folder.path() / gpuTableFileName(other)) << kTableHeader << "\nnonsense\n";
    EXPECT_THAT(loadGpuTable(kKey, folders).error().message, HasSubstr("h100.txt: line 2"));
}

// --- predicting with a table

Target measured(const Experiment& e, const GpuTable& table) {
    Target made = target(e, "2.11", "9.19.0", "h200");
    made.gpuTable = std::make_shared<const GpuTable>(table);
    return made;
}

GpuTable bothPasses(const GpuSwitches& switches = {}) {
    GpuTable table(kKey);
    table.add({tableKey(kForwardRow), switches}, {.forward = 1000, .microseconds = 1500});
    table.add({tableKey("conv3d/b/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b/gw"), switches},
              {.weightGradient = 3000, .microseconds = 2500});
    return table;
}

TEST(GpuTablePrediction, TakesMeasuredWorkspacesAsTheyAre) {
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8);
    const Walk w = walkOf(e, measured(e, bothPasses()));
    EXPECT_THAT(sizesOf(w, "cudnn workspace", 1), ElementsAre(1000, 3000));
    for (const WalkBlock& block : w.blocks) {
        EXPECT_TRUE(block.bytes.exact()) << block.label;
    }
    EXPECT_EQ(w.passesWithoutRow, 0U);
    EXPECT_EQ(w.convolutionPasses, 2U);
}

TEST(GpuTablePrediction, TakesTheRangeForTheRestAndCountsIt) {
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8 + "," + kConv8);
    const Walk w = walkOf(e, measured(e, bothPasses()));
    EXPECT_EQ(w.convolutionPasses, 4U);
    EXPECT_EQ(w.passesWithoutRow, 2U);
    const auto info = stack::inferShapes(e);
    const auto prediction = predict(e, *info, measured(e, bothPasses()));
    ASSERT_TRUE(prediction);
    EXPECT_THAT(
        prediction->guesses,
        ::testing::Contains(HasSubstr("workspaces of 2 of 4 convolution passes have not been measured")));
}

TEST(GpuTablePrediction, IsOfOneArchitectureAndItsTimesOfOneDevice) {
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8);
    const auto times = [&](const Target& on) {
        const Walk w = walkOf(e, on);
        std::vector<double> us;
        for (const WalkOp& op : w.ops) {
            if (op.step == 1 && op.convolution >= 0) {
                us.push_back(op.measuredUs);
            }
        }
        return us;
    };
    Target on = measured(e, bothPasses());
    EXPECT_THAT(times(on), ElementsAre(1500, 2500));
    on.id = "another of its kind";
    EXPECT_THAT(times(on), ElementsAre(0, 0));
    EXPECT_EQ(walkOf(e, on).passesWithoutRow, 0U);
    on.versions.architecture = 80;
    EXPECT_EQ(walkOf(e, on).passesWithoutRow, 2U);
}

TEST(GpuTablePrediction, TakesMeasuredTimes) {
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8);
    const auto info = stack::inferShapes(e);
    const auto prediction = predict(e, *info, measured(e, bothPasses()));
    ASSERT_TRUE(prediction);
    EXPECT_NEAR(prediction->layers[0].forwardMs.expected, 1.5, 1e-9);
    EXPECT_NEAR(prediction->layers[0].forwardMs.low, 1.2, 1e-9);
    EXPECT_GE(prediction->layers[0].backwardMs.expected, 2.5);
}

TEST(GpuTablePrediction, MindsTheSwitches) {
    const auto passes = [](const char* backend, const GpuSwitches& switches) {
        const Experiment e =
            experiment("[4, 16, 16, 16]", kConv8, "", std::string(R"(, "backend": {)") + backend + "}");
        return walkOf(e, measured(e, bothPasses(switches))).passesWithoutRow;
    };
    EXPECT_EQ(passes(R"("tf32": true)", {.tf32 = true}), 0U);
    EXPECT_EQ(passes(R"("tf32": true)", {}), 2U);
    EXPECT_EQ(passes(R"("deterministic": true)", {.deterministic = true}), 0U);
    EXPECT_EQ(passes(R"("deterministic": true)", {.benchmark = true}), 2U);
}

TEST(GpuTablePrediction, HoldsNoRangeWhereAnExperimentsOwnPassesWereMeasured) {
    for (const char* step :
         {"", R"(, "precision": "fp16", "channels_last": true)", R"(, "precision": "tf32")"}) {
        Experiment e = experiment("[4, 16, 16, 16]",
                                  kConv8 + R"(, {"type": "conv", "out_channels": 8, "kernel_size": 3,
                                     "padding": 1, "bias": false, "id": "a"}, {"type": "gelu"},)" +
                                      kConv8 + R"(, {"type": "concat", "with": "a"})",
                                  step);
        e.step.batchSize = 2;
        const auto info = stack::inferShapes(e);
        Target on = target(e, "2.11", "9.19.0", "h200");
        const auto passes = gpuConvolutionsOf(e, *info, on);
        EXPECT_EQ(passes.size(), 6U) << step;
        EXPECT_GT(predict(e, *info, on)->withoutRow, 0U);
        GpuTable table(kKey);
        for (const GpuConvolution& pass : passes) {
            table.add(pass, {.forward = 1, .inputGradient = 2, .weightGradient = 3});
        }
        on.gpuTable = std::make_shared<const GpuTable>(table);
        EXPECT_EQ(predict(e, *info, on)->withoutRow, 0U) << step;
        EXPECT_EQ(predict(e, *info, on)->convolutions, 6U) << step;
    }
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8);
    EXPECT_TRUE(gpuConvolutionsOf(e, *stack::inferShapes(e), Target{}).empty());
}

TEST(GpuTablePrediction, LeavesRoomForTheSearchInTheFirstStep) {
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8, "", R"(, "backend": {"benchmark": true})");
    const Walk w = walkOf(e, measured(e, bothPasses({.benchmark = true})));
    int searches = 0, workspaces = 0;
    for (const WalkEvent& event : w.events) {
        const WalkBlock& block = w.blocks[event.block];
        if (event.kind != WalkEvent::Kind::Allocate) {
            continue;
        }
        if (block.label == "cudnn search") {
            ++searches;
            EXPECT_EQ(event.step, 0);
            EXPECT_FALSE(block.bytes.exact());
            EXPECT_GE(block.bytes.low, 1000);
            EXPECT_TRUE(block.emptiesCache);
        } else if (block.label == "cudnn workspace") {
            ++workspaces;
            EXPECT_TRUE(block.bytes.exact());
            EXPECT_GE(block.bytes.low, 1000);
        }
    }
    EXPECT_EQ(searches, 2) << "one each for the forward pass and the weight";
    EXPECT_EQ(workspaces, 4);
}

TEST(GpuTablePrediction, EndsAtTheWorkspaceLimit) {
    const auto forward = [](const char* limit) {
        const Experiment e = experiment("[4, 16, 16, 16]", kConv8, "",
                                        std::string(R"(, "backend": {"workspace_limit": )") + limit + "}");
        const Target on = measured(e, bothPasses());
        return workspaceOf(tableKey(kForwardRow), ConvPart::Forward, on).bytes;
    };
    EXPECT_EQ(forward("1000"), Estimate::of(1000));
    EXPECT_EQ(forward("999"), (Estimate{0, 999, 999}));
}

TEST(GpuTablePrediction, ReadsTheTablesOfTheResources) {
    const highwater::test::TemporaryFolder folder;
    fs::create_symlink(fs::path(HIGHWATER_SOURCE_DIR) / "resources/profiles", folder.path() / "profiles");
    write(folder.path() / "calibration/gpu", bothPasses());
    ::setenv("HIGHWATER_RESOURCES", folder.path().c_str(), 1);
    const Experiment e = experiment("[4, 16, 16, 16]", kConv8);
    const auto h200 = gpuTarget("h200", e), h100 = gpuTarget("h100", e), a100 = gpuTarget("a100-40", e);
    const auto older = gpuTarget("h200", e, memory::TorchVersion{2, 4});
    // A changed table is read again.
    GpuTable more = bothPasses();
    more.add({tableKey(kForwardRow), {.tf32 = true}}, {.forward = 1});
    fs::remove_all(folder.path() / "calibration/gpu");
    write(folder.path() / "calibration/gpu", more);
    fs::last_write_time(folder.path() / "calibration/gpu" / gpuTableFileName(kKey),
                        fs::file_time_type::clock::now() + std::chrono::seconds(5));
    const auto again = gpuTarget("h200", e);
    ::unsetenv("HIGHWATER_RESOURCES");
    ASSERT_TRUE(h200 && h100 && a100 && older && again);
    ASSERT_TRUE(h200->gpuTable);
    EXPECT_EQ(h200->gpuTable->size(), 2U);
    ASSERT_TRUE(again->gpuTable);
    EXPECT_EQ(again->gpuTable->size(), 3U);
    ASSERT_TRUE(h100->gpuTable);
    EXPECT_EQ(h100->gpuTable->find({tableKey(kForwardRow), {}})->microseconds, 0);
    EXPECT_FALSE(a100->gpuTable);
    EXPECT_FALSE(older->gpuTable);
}

}  // namespace
}  // namespace highwater::predict
