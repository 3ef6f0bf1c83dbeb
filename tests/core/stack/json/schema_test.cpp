#include <gtest/gtest.h>

#include <random>

#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "core/wire/events.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/json/field_schema.h"
#include "tests/core/stack/json/places.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/temporary_folder.h"

namespace highwater::stack {
namespace {

using PlainJson = nlohmann::json;
using highwater::testing::SchemaCheck;

const std::filesystem::path kResources = std::filesystem::path(HIGHWATER_SOURCE_DIR) / "resources";

testing::RandomLimits allLevers() {
    testing::RandomLimits limits;
    limits.levers = true;
    return limits;
}

PlainJson asJson(const Experiment& experiment) {
    return PlainJson::parse(toText(experiment));
}

TEST(Schemas, UseOnlyKeywordsThatAreChecked) {
    SchemaCheck check;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kResources / "schema")) {
        EXPECT_NO_THROW(check.walkAll(entry.path().filename().string())) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 16);
}

/// With HIGHWATER_WRITE_SCHEMA=1 the schema is written instead.
TEST(Schemas, OfExperimentsFollowTheFields) {
    const std::filesystem::path path = kResources / "schema" / "experiment.json";
    const std::string committed = *base::readFile(path);
    const std::string made =
        testing::experimentSchema(nlohmann::ordered_json::parse(committed)).dump(2) + "\n";
    if (const char* const write = std::getenv("HIGHWATER_WRITE_SCHEMA"); write && *write == '1') {
        std::ofstream(path) << made;
        return;
    }
    EXPECT_TRUE(made == committed) << "build/release/tests/stack_tests with HIGHWATER_WRITE_SCHEMA=1 writes "
                                      "resources/schema/experiment.json anew";
}

TEST(Schemas, AcceptEveryRandomExperiment) {
    SchemaCheck check;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const PlainJson json = asJson(testing::randomExperiment(seed, allLevers()));
        EXPECT_EQ(check.problem("experiment.json", json), "") << json.dump();
    }
}

TEST(Schemas, HaveEveryLayerTypeWithItsDefaults) {
    SchemaCheck check;
    const PlainJson& defs = check.load("experiment.json").at("$defs");
    EXPECT_EQ(defs.at("layer").at("anyOf").size(), typeNames().size());
    for (const std::string_view type : typeNames()) {
        const PlainJson& properties = defs.at(std::string(type)).at("properties");
        PlainJson layer = {{"type", type}};
        for (const auto& [key, property] : properties.items()) {
            if (property.contains("default") && key != "size") {
                layer[key] = property["default"];
            }
        }
        for (const PlainJson& key : defs.at(std::string(type)).at("required")) {
            if (!layer.contains(key.get<std::string>())) {
                layer[key.get<std::string>()] = key == "with"     ? PlainJson("x")
                                                : key == "layers" ? PlainJson::array()
                                                                  : PlainJson(1);
            }
        }
        const PlainJson document = {
            {"schema", "highwater.experiment/1"}, {"input", {{"synthetic", {1, 8}}}}, {"stack", {layer}}};
        const auto parsed = parseExperiment(document.dump(), "schema");
        ASSERT_TRUE(parsed) << parsed.error().message;
        EXPECT_EQ(parsed->stack[0].op.index(), makeOp(type)->index());
        if (type != "conv" && type != "conv_transpose") {
            continue;
        }
        EXPECT_EQ(parsed->stack[0].op, *makeOp(type));
    }
}

/// A change that violates a type: another type, another number, an additional or a missing key.
PlainJson damaged(PlainJson json, std::mt19937_64& random) {
    static const std::vector<PlainJson> values = {nullptr,
                                                  true,
                                                  0,
                                                  1,
                                                  -1,
                                                  2.5,
                                                  1e300,
                                                  "text",
                                                  "same",
                                                  "",
                                                  PlainJson::array(),
                                                  PlainJson::object(),
                                                  3000000000,
                                                  {1, 2},
                                                  {1, 1, 1},
                                                  0.0,
                                                  2.0,
                                                  "input",
                                                  {{"segments", 0}},
                                                  {{"classes", 2}}};
    std::vector<PlainJson::json_pointer> all;
    testing::places(json, PlainJson::json_pointer(), all);
    const auto at = all[1 + random() % (all.size() - 1)];
    PlainJson& parent = json[at.parent_pointer()];
    switch (random() % 4) {
        case 0:
            if (parent.is_object()) {
                parent.erase(at.back());
            }
            break;
        case 1:
            if (json[at].is_object()) {
                json[at][random() % 2 ? "padding" : "color"] = 1;
                break;
            }
            [[fallthrough]];
        default:
            json[at] = values[random() % values.size()];
    }
    return json;
}

/// Checks of the parser that a JSON Schema cannot express: comparing numbers.
bool beyondSchema(const std::string& error) {
    return error.find("the second number must be larger") != std::string::npos;
}

#ifdef __SANITIZE_ADDRESS__
constexpr int kCompared = 10;  // the library of schemas is slow here; the release build compares every one
#else
constexpr int kCompared = 1;
#endif

TEST(Schemas, AgreeWithTheParserOnDamagedExperiments) {
    SchemaCheck check;
    std::mt19937_64 random(7);
    int accepted = 0, refused = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const PlainJson json = asJson(testing::randomExperiment(seed, allLevers()));
        for (int n = 0; n < 50; ++n) {
            const PlainJson changed = damaged(json, random);
            const auto parsed = parseExperiment(changed.dump(), "damaged");
            if (!parsed && beyondSchema(parsed.error().message)) {
                continue;
            }
            ++(parsed ? accepted : refused);
            if (n % kCompared != 0) {
                continue;
            }
            const std::string problem = check.problem("experiment.json", changed);
            ASSERT_EQ(parsed.ok(), problem.empty()) << (parsed ? "accepted" : parsed.error().message) << "\n"
                                                    << problem << "\n"
                                                    << changed.dump();
        }
    }
    EXPECT_GT(accepted, 100);
    EXPECT_GT(refused, 1000);
}

TEST(Presets, LoadFitTheirSchemaAndAreValid) {
    ::setenv("HIGHWATER_RESOURCES", kResources.c_str(), 1);
    const auto presets = loadPresets();
    ASSERT_TRUE(presets) << presets.error().message;
    std::vector<std::string> ids;
    SchemaCheck check;
    for (const Preset& preset : *presets) {
        ids.push_back(preset.id);
        EXPECT_FALSE(preset.title.empty());
        EXPECT_FALSE(preset.description.empty());
        const auto info = inferShapes(preset.experiment);
        EXPECT_TRUE(info) << preset.id << ": " << info.error().message;
        EXPECT_EQ(check.problem("experiment.json", asJson(preset.experiment)), "");
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"plain-3d", "residual-3d", "unet-3d", "plain-2d", "signal-1d"}));
}

TEST(Presets, TakeAScanInPlaceOfTheirSyntheticInput) {
    ::setenv("HIGHWATER_RESOURCES", kResources.c_str(), 1);
    const auto presets = loadPresets();
    for (const Preset& preset : *presets) {
        Experiment e = preset.experiment;
        if (std::get<SyntheticInput>(e.input).shape.size() != 4) {
            continue;
        }
        e.input = testing::scanInput({"a.nii"}, {32, 64, 48});
        EXPECT_TRUE(inferShapes(e)) << preset.id << ": " << inferShapes(e).error().message;
    }
}

TEST(Presets, SayWhenTheyAreMissing) {
    ::setenv("HIGHWATER_RESOURCES", test::nowhere().c_str(), 1);
    EXPECT_EQ(loadPresets().error().message, test::nowhere() + "/presets/index.json: no such file");
    ::unsetenv("HIGHWATER_RESOURCES");
}

TEST(Sample, FitsItsSchemaAndIsValid) {
    const auto e = loadExperiment(kResources / "samples" / "sample.json");
    ASSERT_TRUE(e) << e.error().message;
    EXPECT_EQ(std::get<ScanInput>(e->input).scans, (std::vector<ScanSource>{{"phantom:head", {}, 0}}));
    const auto info = inferShapes(*e);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->targetClasses, 2);
    SchemaCheck check;
    EXPECT_EQ(check.problem("experiment.json", asJson(*e)), "");
}

// --- events and results against the code that writes them

template <class T>
PlainJson wireJson(const T& value) {
    return PlainJson::parse(wire::toJson(value).dump());
}

constexpr wire::DeviceMemory kDevice{1, 2, 3, 4, 5, 6, 100, false};

void addGpuPart(wire::RunResult& result) {
    result.environment.architecture = 90;
    result.deviceAtPeak = result.deviceAtEnd = kDevice;
    result.peakDeviceUsed = 21;
    result.hostMs.forward = 0.5;
    result.before = wire::GpuConditions{1980, 1980, 2619, 54, 310.5, {}};
    result.after = wire::GpuConditions{1410, 1980, 2619, 84, std::nan(""), {"heat"}};
    result.workspaces = {{0, wire::Phase::Forward, 1 << 20}, {-1, wire::Phase::Backward, 1}};
    result.allocationRetries = 1;
    result.workspacesRefused = 2;
}

wire::RunResult sampleResult() {
    wire::RunResult result;
    result.runId = "20261121-070512-3f9a2c";
    result.environment = {"cpu", "A CPU", {{"libtorch", "1.13.1"}}, 2, "avx2", 1 << 30};
    result.layers = {{"1 conv", "conv", {1, 2, 3}, 20, 24, 1.5, 2.5}};
    result.losses = {1.0, std::nan("")};
    addGpuPart(result);
    result.predicted = wire::Predicted{"cpu", 1, 2, 3, {}, 0.5, 1, std::nan(""), {24}, {"a guess"}};
    return result;
}

TEST(WireSchemas, FitEveryEvent) {
    SchemaCheck check;
    wire::Started started{"id", sampleResult().environment, sampleResult().layers, 20, 3, 1 << 20};
    wire::StepDone step;
    step.timeline = {{0.5, {}}, {1.5, {}}};
    step.marks = {{0.5, wire::Phase::Forward, 0}, {1, wire::Phase::Optimizer, -1}};
    wire::Failed failed{
        wire::RunStatus::OutOfMemory,     "why", 2, wire::Phase::Backward, "1 conv", 100, {}, kDevice,
        "a batch of 3 would have fitted", 3};
    step.host = wire::PhaseTimes{1, 2, 3, 4, 5};
    wire::LedgerSample sample;
    sample.device = kDevice;
    wire::RunResult ended = sampleResult();
    ended.failure = failed;
    for (const wire::Event& event :
         {wire::Event(started), wire::Event(wire::LedgerSample{}), wire::Event(sample), wire::Event(step),
          wire::Event(wire::StepDone{}), wire::Event(wire::LayerEvent{0, sampleResult().layers[0]}),
          wire::Event(wire::PatchSaved{"p.vol", {1, 2, 3}, 4}), wire::Event(wire::Warning{"careful"}),
          wire::Event(failed), wire::Event(wire::Finished{ended})}) {
        EXPECT_EQ(check.problem("event.json", wireJson(event)), "") << wire::toLine(event);
    }
}

/// Without a required key, both the schema and the reader refuse; so the two lists of keys agree.
TEST(WireSchemas, RequireWhatTheReaderRequires) {
    SchemaCheck check;
    wire::StepDone step;
    step.marks = {{0.5, wire::Phase::Forward, 0}};
    for (const wire::Event& event :
         {wire::Event(wire::Started{"id", sampleResult().environment, {}, 20, 3, 1 << 20}),
          wire::Event(wire::LedgerSample{}), wire::Event(step), wire::Event(wire::LayerEvent{}),
          wire::Event(wire::PatchSaved{}), wire::Event(wire::Warning{}), wire::Event(wire::Failed{})}) {
        const PlainJson whole = wireJson(event);
        for (const auto& [key, value] : whole.items()) {
            PlainJson less = whole;
            less.erase(key);
            if (key == "type" && whole.contains("output_shape")) {
                continue;  // the reader needs it; keys may be added, so the schema does not
            }
            EXPECT_EQ(check.problem("event.json", less).empty(), wire::parseEvent(less.dump()).ok())
                << key << " of " << whole.dump();
        }
    }
}

TEST(WireSchemas, FitAResult) {
    SchemaCheck check;
    EXPECT_EQ(check.problem("result.json", wireJson(sampleResult())), "");
    PlainJson bad = wireJson(sampleResult());
    bad["peak_by_category"]["gradients"] = -1;
    EXPECT_NE(check.problem("result.json", bad), "");
}

/// The parts of a GPU run: a missing key, or one of another type, is refused by the schema and by the reader.
TEST(WireSchemas, AgreeWithTheReaderOnAGpuRunsParts) {
    SchemaCheck check;
    const PlainJson whole = wireJson(sampleResult());
    ASSERT_EQ(check.problem("result.json", whole), "");
    const auto agree = [&](const PlainJson& json, const std::string& what) {
        const auto read = wire::resultFromJson(nlohmann::ordered_json::parse(json.dump()));
        EXPECT_EQ(check.problem("result.json", json).empty(), read.ok()) << what;
        return read.ok();
    };
    int refused = 0;
    for (const char* place :
         {"/device_at_peak", "/conditions/before", "/conditions/after", "/workspaces/0", "/host_ms"}) {
        const PlainJson::json_pointer at(place);
        for (const auto& [key, value] : whole[at].items()) {
            PlainJson changed = whole;
            changed[at].erase(key);
            refused += agree(changed, "without " + (at / key).to_string()) ? 0 : 1;
            for (const PlainJson& other :
                 {PlainJson(-5), PlainJson("x"), PlainJson(PlainJson::array({1})), PlainJson(nullptr)}) {
                changed[at][key] = other;
                if (key != "used") {
                    agree(changed, (at / key).to_string() + " = " + other.dump());
                }
            }
        }
    }
    EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace highwater::stack
