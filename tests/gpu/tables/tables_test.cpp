#include "tests/gpu/tables/tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/predict/fit/conv_cost.h"
#include "core/predict/ghost/walk.h"
#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/temporary_folder.h"

namespace highwater::reference {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

constexpr double kFp32 = 66.9e12, kMemory = 4.8e12;  // of the profile h200
constexpr base::Bytes kBytes = 150'015'000'000;      // as reported by this H200's driver

Json convolution(const std::string& pass, const std::string& switches, const Json& parts, double us) {
    Json json{{"pass", pass}, {"switches", switches}};
    json.update(parts);
    json["microseconds"] = us;
    return json;
}

std::string layer(int batch, const char* pass, const char* rest) {
    return fmt::format("conv3d/{}/n{}/c32,32/i64,64,64/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b{}", pass, batch,
                       rest);
}

stack::Experiment network(int batch, const char* input = "[32, 64, 64, 64]", int channels = 32) {
    auto made = stack::testing::experimentOf(
        input,
        fmt::format(
            R"({{"type": "conv", "dims": 3, "out_channels": {}, "kernel_size": 3, "padding": 1}},
               {{"type": "batch_norm"}}, {{"type": "relu"}})",
            channels),
        fmt::format(R"("loss": "mean", "step": {{"batch_size": {}}})", batch));
    EXPECT_TRUE(made) << made.error().message;
    return *made;
}

/// Its norm has so many channels that no single thread block limits its time.
stack::Experiment wideNetwork(int batch) {
    return network(batch, "[8, 32, 32, 32]", 2048);
}

/// The bytes of a layer in a phase according to the walk.
double bytesOf(const stack::Experiment& e, int at, memory::Phase phase) {
    const auto walk = predict::walk(e, *stack::inferShapes(e), *predict::gpuTarget("h200", e));
    double bytes = 0;
    for (const predict::WalkOp& op : walk->ops) {
        if (op.step == 1 && op.layer == at && op.phase == phase) {
            bytes += op.bytesMoved;
        }
    }
    return bytes;
}

/// A run in which norms reached this fraction of the memory's roof, and its activation took this long.
Json experimentOf(int batch, double share, const stack::Experiment& e, double activationUs = 0) {
    const auto info = stack::inferShapes(e);
    wire::RunResult result;
    for (const stack::LayerInfo& each : info->layers) {
        wire::LayerCost cost;
        cost.name = each.name;
        cost.type = each.type;
        cost.outputShape = each.output;
        result.layers.push_back(cost);
    }
    result.layers[1].forwardMs = bytesOf(e, 1, memory::Phase::Forward) / (kMemory * share) * 1e3;
    result.layers[2].forwardMs = activationUs * 1e-3;
    result.deviceAtPeak =
        wire::DeviceMemory{.tensors = 1, .context = (500 + batch) * base::kMiB, .capacity = kBytes};
    Json json = wire::toJson(result);
    for (const char* key : {"device", "device_name", "versions", "threads", "isa", "memory_bytes",
                            "architecture", "run_id", "losses"}) {
        json.erase(key);
    }
    return {{"name", fmt::format("batch {}", batch)},
            {"family", "made up"},
            {"experiment", stack::toJson(e)},
            {"result", std::move(json)}};
}

/// For a convolution that reached 0.45 (batch 1) to 0.70 (batch 6) of the roof besides moving its tensors.
double microsecondsOf(int batch) {
    const auto cost = predict::convCost(*predict::parseConvKey(layer(batch, "f", "")), false, false);
    EXPECT_EQ(cost.flops, 2.0 * batch * 32 * 32 * 27 * 64 * 64 * 64);
    return (cost.flops / (kFp32 * (0.4 + 0.05 * batch)) + cost.moved / (kMemory * kRestOfConvolution.moved)) *
           1e6;
}

/// A file in the kit's format with made-up values.
Json reference(const char* kind = "gpu") {
    Json root{{"schema", "highwater.gpu-reference/1"}, {"kind", kind}, {"when", "2026-01-02T03:04:05Z"}};
    root["environment"] = {{"device", "cuda:0"},
                           {"device_name", "NVIDIA H200"},
                           {"versions", {{"libtorch", "2.11.0+cu130"}, {"cudnn", "9.19.0"}}},
                           {"threads", 1},
                           {"isa", "avx512"},
                           {"memory_bytes", kBytes},
                           {"architecture", 90}};
    root["experiments"] = Json::array();
    for (int batch = 1; batch <= 5; ++batch) {
        root["experiments"].push_back(experimentOf(batch, 0.3 + 0.05 * batch, wideNetwork(batch)));
    }
    root["convolutions"] = Json::array();
    Json& all = root["convolutions"];
    for (int batch = 1; batch <= 6; ++batch) {
        all.push_back(convolution(layer(batch, "f", ""), "-", {{"forward_bytes", 1000 + batch}},
                                  microsecondsOf(batch)));
    }
    all.push_back(convolution(layer(2, "b", "/gw"), "-", {{"weight_gradient_bytes", 77}}, 0));
    all.push_back(convolution(layer(1, "f", ""), "tf32,benchmark", {{"forward_bytes", 5}}, 0));
    for (int size = 8; size < 16; ++size) {  // only launches
        all.push_back(convolution(fmt::format("conv1d/f/n1/c1,1/i{}/k3/s1/p1/d1/g1/b", size), "-",
                                  {{"forward_bytes", 0}}, 12));
    }
    return root;
}

class GpuTables : public ::testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(resources());
        fs::copy(fs::path(HIGHWATER_SOURCE_DIR) / "resources/profiles", resources() / "profiles");
        fs::create_directories(references());
        put("h200.json", reference());
    }
    void TearDown() override { ::unsetenv("HIGHWATER_RESOURCES"); }

    fs::path resources() const { return folder_.path() / "resources"; }
    fs::path references() const { return folder_.path() / "reference"; }
    fs::path table() const {
        return resources() / "calibration/gpu/libtorch-2.11_cudnn-9.19.0_sm90_h200.txt";
    }
    void put(const char* name, const Json& root) const { std::ofstream(references() / name) << root.dump(); }
    void clear() const { fs::remove(references() / "h200.json"); }
    std::string whyNot() const {
        const auto said = makeTables(references(), resources());
        return said ? "made" : said.error().message;
    }
    std::vector<std::string> make() const {
        const auto said = makeTables(references(), resources());
        EXPECT_TRUE(said) << said.error().message;
        return said ? *said : std::vector<std::string>{};
    }
    Json profile(const std::string& id) const {
        return Json::parse(*base::readFile(resources() / "profiles" / (id + ".json")));
    }

private:
    test::TemporaryFolder folder_;
};

TEST_F(GpuTables, HoldTheRowsOfTheFile) {
    EXPECT_THAT(make(), Contains(HasSubstr("16 rows")));
    const auto made = predict::parseGpuTable(*base::readFile(table()), "table");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->key(), (predict::GpuKey{"2.11", "9.19.0", 90, "h200"}));
    EXPECT_EQ(made->machine, "NVIDIA H200");
    EXPECT_EQ(made->size(), 16U);
    const auto op = predict::parseConvKey(layer(3, "f", ""));
    EXPECT_EQ(made->workspace({*op, {}}, predict::ConvPart::Forward), 1003);
}

TEST_F(GpuTables, AreUsedByPredictions) {
    make();
    const stack::Experiment e = network(2);
    const auto info = stack::inferShapes(e);
    const auto target = predict::gpuTarget("h200", e);
    ASSERT_TRUE(target) << target.error().message;
    const auto walk = predict::walk(e, *info, *target);
    ASSERT_TRUE(walk);
    std::vector<base::Bytes> workspaces;
    for (const predict::WalkEvent& event : walk->events) {
        if (event.step == 1 && event.layer == 0 && event.kind == predict::WalkEvent::Kind::Allocate &&
            walk->blocks[event.block].label == "cudnn workspace") {
            EXPECT_TRUE(walk->blocks[event.block].bytes.exact());
            workspaces.push_back(walk->blocks[event.block].bytes.expected);
        }
    }
    EXPECT_THAT(workspaces, ::testing::ElementsAre(1002, 77));
    const auto prediction = predict::predict(e, *info, *target);
    ASSERT_TRUE(prediction);
    EXPECT_EQ(prediction->withoutRow, 0U);
    EXPECT_THAT(prediction->guesses, Not(Contains(HasSubstr("have not been measured"))));
    EXPECT_THAT(prediction->guesses, Contains(HasSubstr("efficiencies measured on the NVIDIA H200")));
    EXPECT_NEAR(prediction->layers[0].forwardMs.expected, microsecondsOf(2) * 1e-3, 1e-3);
    // A device of the same architecture uses the workspaces, but not the times.
    const auto h100 = predict::gpuTarget("h100", e);
    ASSERT_TRUE(h100 && h100->gpuTable);
    EXPECT_EQ(predict::predict(e, *info, *h100)->withoutRow, 0U);
}

TEST_F(GpuTables, PutWhatWasMeasuredIntoTheProfile) {
    const Json before = profile("h200");
    make();
    const Json after = profile("h200");
    testing::SchemaCheck check;
    EXPECT_EQ(check.problem("profile.json", nlohmann::json::parse(after.dump())), "");
    EXPECT_EQ(after["memory"], (Json{{"bytes", kBytes}, {"source", "measured"}}));
    EXPECT_EQ(after["context"], (Json{{"low", 501 * base::kMiB},
                                      {"expected", 503 * base::kMiB},
                                      {"high", 505 * base::kMiB},
                                      {"source", "measured"}}));
    EXPECT_EQ(after["speed"]["launch_us"], 4);
    EXPECT_EQ(after["speed"]["source"], "datasheet");
    EXPECT_EQ(after["compute"]["conv_3d"], (Json{0.45, 0.6, 0.7}));
    EXPECT_EQ(after["compute"]["conv"], before["compute"]["conv"]);
    EXPECT_EQ(after["memory_efficiency"]["conv_3d"], before["memory_efficiency"]["conv_3d"]);
    EXPECT_EQ(after["memory_efficiency"]["norm"], (Json{0.35, 0.45, 0.55}));
    EXPECT_EQ(after["efficiency_source"], "measured");
    EXPECT_EQ(after["compute"]["depthwise"], before["compute"]["depthwise"]);
    EXPECT_EQ(after["workspace_table"], "libtorch-2.11_cudnn-9.19.0_sm90_h200.txt");
    EXPECT_EQ(profile("h100")["workspace_table"], after["workspace_table"]);
    EXPECT_EQ(profile("h100")["memory"]["source"], "datasheet");
    EXPECT_EQ(profile("a100-40")["workspace_table"], "");
    const std::string notes = after["notes"].dump();
    EXPECT_THAT(notes, AllOf(HasSubstr("h200.json"), HasSubstr("norm (5 values)"),
                             HasSubstr("conv_3d (6 values)"), Not(HasSubstr("nothing was measured"))));
    const auto loaded = predict::loadProfile("h200");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->contextSource, predict::DeviceProfile::Source::Measured);
    EXPECT_EQ(loaded->efficiencySource, predict::DeviceProfile::Source::Measured);
}

TEST_F(GpuTables, LearnNothingOfTheBandwidthFromNormsOfFewChannels) {
    Json root = reference();
    for (int batch = 1; batch <= 9; ++batch) {
        root["experiments"].push_back(experimentOf(batch, 0.2, network(batch)));
    }
    put("h200.json", root);
    make();
    EXPECT_EQ(profile("h200")["memory_efficiency"]["norm"], (Json{0.35, 0.45, 0.55}));
}

TEST_F(GpuTables, LearnNothingOfTensorCoresFromWhatNobodySearched) {
    const Json before = profile("h200");
    Json root = reference();
    for (int batch = 1; batch <= 9; ++batch) {
        for (const char* switches : {"-", "tf32"}) {
            const char* half = std::string(switches) == "-" ? "/fp16" : "";
            root["convolutions"].push_back(
                convolution(layer(batch, "f", half), switches, {{"forward_bytes", 0}}, 9000.0 * batch));
        }
    }
    put("h200.json", root);
    make();
    EXPECT_EQ(profile("h200")["memory_efficiency"]["conv_3d/gather"],
              before["memory_efficiency"]["conv_3d/gather"]);
    EXPECT_EQ(profile("h200")["memory_efficiency"]["conv_3d/gather/tf32"],
              before["memory_efficiency"]["conv_3d/gather/tf32"]);
}

TEST_F(GpuTables, TakeTheTimeOfAKernelFromWhatRanInAStep) {
    Json root = reference();
    for (int batch = 1; batch <= 5; ++batch) {
        root["experiments"].push_back(experimentOf(batch, 0.45, wideNetwork(batch), 2 + batch));
    }
    put("h200.json", root);
    make();
    EXPECT_EQ(profile("h200")["speed"]["launch_us"], 3);
}

TEST_F(GpuTables, AreTheSameWhenMadeAgain) {
    make();
    const std::string first = *base::readFile(table()), h200 = profile("h200").dump(2);
    make();
    EXPECT_EQ(*base::readFile(table()), first);
    EXPECT_EQ(profile("h200").dump(2), h200);
}

TEST_F(GpuTables, TakeTheLaterOfTwoMeasurements) {
    Json later = reference();
    later["when"] = "2026-02-02T00:00:00Z";
    later["convolutions"] = Json::array({convolution(layer(1, "f", ""), "-", {{"forward_bytes", 9}}, 1)});
    put("a.json", later);
    make();
    const auto made = predict::parseGpuTable(*base::readFile(table()), "table");
    EXPECT_EQ(made->workspace({*predict::parseConvKey(layer(1, "f", "")), {}}, predict::ConvPart::Forward),
              9);
    EXPECT_EQ(made->size(), 16U);
}

/// In one process, the plan that was chosen first runs both with and without benchmark.
TEST_F(GpuTables, LeaveOutWhatRanTheOtherOnesPlan) {
    Json both = reference();
    both["convolutions"].push_back(convolution(layer(2, "f", ""), "benchmark", {{"forward_bytes", 4096}}, 5));
    both["convolutions"].push_back(convolution(layer(9, "f", ""), "benchmark", {{"forward_bytes", 7}}, 5));
    put("h200.json", both);
    make();
    const auto workspace = [this](int batch, bool benchmark) {
        const auto made = predict::parseGpuTable(*base::readFile(table()), "table");
        predict::GpuSwitches switches;
        switches.benchmark = benchmark;
        const auto bytes = made->workspace({*predict::parseConvKey(layer(batch, "f", "")), switches},
                                           predict::ConvPart::Forward);
        return bytes.value_or(-1);
    };
    EXPECT_EQ(workspace(2, false), 1002);
    EXPECT_EQ(workspace(2, true), -1);
    EXPECT_EQ(workspace(9, true), 7);
    both["timed_apart"] = true;
    put("h200.json", both);
    make();
    EXPECT_EQ(workspace(2, true), 4096);
}

TEST_F(GpuTables, TakeTheWorkspaceOfCublasWhereCudnnWasOff) {
    Json root = reference();
    root["experiments"][0]["experiment"]["backend"]["cudnn"] = false;
    root["experiments"][0]["result"]["workspaces"] =
        Json::array({{{"layer", 0}, {"phase", "forward"}, {"bytes", 12345}}});
    put("h200.json", root);
    make();
    EXPECT_EQ(profile("h200")["cublas_workspace"], 12345);
}

TEST_F(GpuTables, AreNotMadeOfWhatIsNoMeasurement) {
    put("rehearsal.json", reference("cpu"));
    put("played.json", reference("standin"));
    EXPECT_THAT(make(), AllOf(Contains(HasSubstr("rehearsal.json: not a measurement")),
                              Contains(HasSubstr("played.json: not a measurement"))));
    clear();
    const Json before = profile("h200");
    fs::remove_all(resources() / "calibration");
    EXPECT_THAT(whyNot(), AllOf(HasSubstr("no measurement of a GPU"), HasSubstr("played.json")));
    EXPECT_FALSE(fs::exists(table()));
    EXPECT_EQ(profile("h200"), before);
}

TEST_F(GpuTables, NameWhatIsWrong) {
    clear();
    EXPECT_THAT(whyNot(), HasSubstr("no measurement of a GPU"));
    const auto with = [&](const std::function<void(Json&)>& change) {
        Json root = reference();
        change(root);
        put("x.json", root);
        return whyNot();
    };
    EXPECT_THAT(with([](Json& j) { j["environment"]["device_name"] = "NVIDIA GeForce 256"; }),
                AllOf(HasSubstr("x.json"), HasSubstr("no profile of the NVIDIA GeForce 256")));
    EXPECT_THAT(with([](Json& j) { j["environment"]["architecture"] = 80; }), HasSubstr("/architecture"));
    EXPECT_THAT(with([](Json& j) { j["environment"]["versions"].erase("cudnn"); }),
                HasSubstr("cuDNN version"));
    EXPECT_THAT(with([](Json& j) { j["convolutions"][3]["pass"] = "conv"; }),
                AllOf(HasSubstr("/convolutions/3/pass"), HasSubstr("not a convolution")));
    EXPECT_THAT(with([](Json& j) { j["convolutions"][2].erase("forward_bytes"); }),
                HasSubstr("/convolutions/2/forward_bytes"));
    EXPECT_THAT(with([](Json& j) { j["convolutions"][2]["forward_bytes"] = -1; }),
                HasSubstr("/convolutions/2/forward_bytes"));
    EXPECT_THAT(with([](Json& j) { j["convolutions"][2]["switches"] = "fast"; }), HasSubstr("switches"));
    EXPECT_THAT(with([](Json& j) { j["convolutions"][2]["color"] = 1; }), HasSubstr("color"));
}

}  // namespace
}  // namespace highwater::reference
