#include "core/study/sweep.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/stack/json/json.h"
#include "core/study/toggles.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/temporary_folder.h"

namespace highwater::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

const char* const kBase = R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 16, 16]},
    "stack": [{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "batch_norm"},
              {"type": "leaky_relu"},
              {"type": "block", "layers": [{"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]}],
    "step": {"batch_size": 2}})";

/// A sweep's text: `axes` is the content of the list, `more` are further keys.
std::string text(const std::string& axes, const std::string& more = "", const std::string& base = kBase) {
    return R"({"schema": "highwater.sweep/1", "base": )" + base + R"(, "axes": [)" + axes + "]" +
           (more.empty() ? "" : ", " + more) + "}";
}

Sweep parse(const std::string& axes, const std::string& more = "") {
    auto sweep = parseSweep(text(axes, more), "test", "/data");
    EXPECT_TRUE(sweep) << sweep.error().message;
    return sweep ? *sweep : Sweep();
}

std::string refusal(const std::string& whole) {
    const auto sweep = parseSweep(whole, "test", "/data");
    if (sweep) {
        return "no error";
    }
    EXPECT_THAT(sweep.error().message, StartsWith("test: "));
    EXPECT_EQ(sweep.error().message.find('\n'), std::string::npos);
    return sweep.error().message.substr(6);
}

std::vector<Cell> cells(const std::string& axes, const std::string& more = "", bool cuda = false) {
    const auto expanded = expand(parse(axes, more), cuda);
    EXPECT_TRUE(expanded) << expanded.error().message;
    return expanded ? *expanded : std::vector<Cell>();
}

std::vector<std::string> names(const std::vector<Cell>& all) {
    std::vector<std::string> found;
    for (const Cell& cell : all) {
        found.push_back(cell.subject.name);
    }
    return found;
}

const std::string kBatch = R"({"path": "/step/batch_size", "values": [1, 2]})";
const std::string kInplace = R"({"toggle": "inplace"})";

TEST(Sweep, ReadsWhatIsGivenAndItsDefaults) {
    const Sweep plain = parse(kBatch);
    EXPECT_EQ(plain.mode, SweepMode::Grid);
    EXPECT_EQ(plain.repeats, 1);
    EXPECT_TRUE(plain.interleave);
    EXPECT_EQ(plain.name, "");
    EXPECT_EQ(plain.axes, (std::vector<Axis>{{"batch_size", {"/step/batch_size"}, {"1", "2"}, ""}}));
    EXPECT_EQ(plain.base.step.batchSize, 2);
    const Sweep full = parse(
        R"({"name": "sizes", "paths": ["/input/synthetic/1", "/input/synthetic/2"], "values": [8, 16]})" +
            (", " + kInplace),
        R"("name": "two", "mode": "factorial", "repeats": 5, "interleave": false)");
    EXPECT_EQ(full.name, "two");
    EXPECT_EQ(full.mode, SweepMode::Factorial);
    EXPECT_EQ(full.repeats, 5);
    EXPECT_FALSE(full.interleave);
    EXPECT_EQ(full.axes[1], (Axis{"inplace", {}, {}, "inplace"}));
    EXPECT_EQ(parse(kInplace, R"("mode": "factorial")").repeats, 3);
    EXPECT_EQ(parse(R"({"path": "/input/synthetic/1", "values": [8]})").axes[0].name, "synthetic/1");
}

TEST(Sweep, RefusesInOneLineThatSaysWhere) {
    EXPECT_THAT(refusal("[]"), HasSubstr("object"));
    EXPECT_THAT(refusal(R"({"schema": "highwater.sweep/2", "base": 1, "axes": []})"), HasSubstr("/schema"));
    EXPECT_THAT(refusal(R"({"schema": "highwater.sweep/1", "axes": [)" + kBatch + "]}"),
                HasSubstr("/base: is missing"));
    EXPECT_THAT(refusal(text(kBatch, "", "3")), StartsWith("/base: must be an experiment"));
    EXPECT_THAT(refusal(text(kBatch, "", R"({"schema": "highwater.experiment/1"})")), StartsWith("/base/"));
    EXPECT_THAT(refusal(text(kBatch, "", R"("none.json")")), HasSubstr("/data/none.json"));
    EXPECT_THAT(refusal(text(kBatch, R"("mod": "grid")")), HasSubstr("\"mode\""));
    EXPECT_THAT(refusal(text(kBatch, R"("mode": "all")")), StartsWith("/mode"));
    EXPECT_THAT(refusal(text(kBatch, R"("repeats": 0)")), StartsWith("/repeats"));
    EXPECT_THAT(refusal(text(kInplace, R"("mode": "factorial", "repeats": 1)")),
                StartsWith("/repeats: a factorial needs at least 2"));
    EXPECT_THAT(refusal(text("")), StartsWith("/axes: must be a list of 1"));
    EXPECT_THAT(refusal(text("3")), StartsWith("/axes/0"));
    EXPECT_THAT(refusal(text("{}")), StartsWith("/axes/0: must hold one of path, paths and toggle"));
    EXPECT_THAT(refusal(text(R"({"path": "/a", "toggle": "inplace"})")), HasSubstr("one of path"));
    EXPECT_THAT(refusal(text(R"({"path": "/a"})")), StartsWith("/axes/0/values: is missing"));
    EXPECT_THAT(refusal(text(R"({"path": "/a", "values": []})")), StartsWith("/axes/0/values"));
    EXPECT_THAT(refusal(text(R"({"path": "a", "values": [1]})")), HasSubstr("not a JSON Pointer"));
    EXPECT_THAT(refusal(text(R"({"paths": [], "values": [1]})")), StartsWith("/axes/0/paths"));
    EXPECT_THAT(refusal(text(R"({"toggle": "inplace", "values": [1]})")),
                HasSubstr("cannot be combined with"));
    EXPECT_THAT(refusal(text(R"({"toggle": "in_place"})")), HasSubstr("did you mean \"inplace\"?"));
    EXPECT_THAT(refusal(text(kBatch + "," + kInplace + R"(, {"toggle": "inplace", "name": "x"})")),
                StartsWith("/axes/2: inplace is already set by /axes/1"));
    EXPECT_THAT(refusal(text(kBatch + R"(, {"path": "/batch_size", "values": [1, 2]})")),
                StartsWith("/axes/1: is named \"batch_size\" as /axes/0 is"));
    EXPECT_THAT(refusal(text(R"({"path": "/a", "values": [1, 1]})")), HasSubstr("1 is given twice"));
    EXPECT_THAT(refusal(text(R"({"path": "/a", "values": [1]})", R"("mode": "factorial")")),
                HasSubstr("has 2 to 16 values, not 1"));
    EXPECT_THAT(refusal(text(R"({"path": "/a", "values": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]})",
                             R"("mode": "factorial")")),
                HasSubstr("has 2 to 16 values, not 17"));
    EXPECT_THAT(refusal(text(kBatch + R"(, {"path": "/a", "values": [1]})", R"("mode": "zip")")),
                StartsWith("/axes/1: a zip's axes"));
}

TEST(Sweep, MoreThanTheMostCellsAreRefused) {
    std::string axes;
    for (int i = 0; i < 13; ++i) {
        axes += (i > 0 ? "," : "") + (R"({"name": "a)" + std::to_string(i)) + R"(", "path": "/stack/)" +
                std::to_string(i) + R"(/x", "values": [1, 2]})";
    }
    EXPECT_THAT(refusal(text(axes)), HasSubstr("more than 4096 combinations"));
    for (int i = 13; i < 64; ++i) {  // 2^64 of them
        axes += R"(, {"name": "a)" + std::to_string(i) + R"(", "path": "/stack/)" + std::to_string(i) +
                R"(/x", "values": [1, 2]})";
    }
    EXPECT_THAT(refusal(text(axes)), HasSubstr("more than 4096 combinations"));
}

TEST(Sweep, AGridTurnsTheLastAxisFastest) {
    const auto all = cells(kBatch + R"(, {"name": "in-place", "toggle": "inplace"})");
    EXPECT_THAT(names(all), ElementsAre("batch_size 1, in-place off", "batch_size 1, in-place on",
                                        "batch_size 2, in-place off", "batch_size 2, in-place on"));
    EXPECT_THAT(all[2].levels, ElementsAre(1, 0));
    EXPECT_THAT(all[2].words, ElementsAre("2", "off"));
    for (const Cell& cell : all) {
        EXPECT_EQ(cell.problem, "");
    }
    EXPECT_EQ(all[0].subject.experiment.step.batchSize, 1);
    EXPECT_FALSE(std::get<stack::Activation>(all[2].subject.experiment.stack[2].op).inplace);
    EXPECT_TRUE(std::get<stack::Activation>(all[3].subject.experiment.stack[2].op).inplace);
    EXPECT_EQ(all[3].subject.experiment.name, "batch_size 2, in-place on");
}

TEST(Sweep, AZipTakesTheNthValuesTogether) {
    const auto all = cells(
        R"({"paths": ["/input/synthetic/1", "/input/synthetic/2"], "values": [8, 8, 16], "name": "size"},
           {"path": "/step/batch_size", "values": [4, 4, 1]})",
        R"("mode": "zip")");
    EXPECT_THAT(names(all),
                ElementsAre("size 8, batch_size 4", "size 8, batch_size 4 (2)", "size 16, batch_size 1"));
    EXPECT_EQ(std::get<stack::SyntheticInput>(all[2].subject.experiment.input).shape,
              (stack::Shape{1, 16, 16}));
}

TEST(Sweep, ValuesMayBeAnything) {
    const auto all = cells(R"({"path": "/step/precision", "values": ["fp32", "bf16"]},
                              {"path": "/windows", "values": [{"size": 8}, {"size": [8, 16]}]})",
                           "", true);
    EXPECT_THAT(all[3].words, ElementsAre("bf16", R"({"size":[8,16]})"));
    EXPECT_EQ(all[3].problem, "");
    EXPECT_EQ(all[3].subject.experiment.windows->size, (stack::Sizes{8, 16}));
}

TEST(Sweep, WhatCannotRunIsACellWithAProblem) {
    const auto problem = [](const std::string& axes, std::size_t cell, bool cuda = false) {
        const auto all = cells(axes, "", cuda);
        return cell < all.size() ? all[cell].problem : "no such cell";
    };
    EXPECT_THAT(problem(R"({"path": "/step/batch_size", "values": [1, 0, "two"]})", 1),
                HasSubstr("/step/batch_size"));
    EXPECT_THAT(problem(R"({"path": "/step/batch_size", "values": [1, 0, "two"]})", 2),
                HasSubstr("/step/batch_size"));
    EXPECT_THAT(problem(R"({"path": "/step/batchsize", "values": [1]})", 0), HasSubstr("batch_size"));
    EXPECT_THAT(problem(R"({"path": "/stack/9/padding", "values": [1]})", 0), HasSubstr("does not exist"));
    EXPECT_THAT(problem(R"({"path": "/stack/99999999999/padding", "values": [1]})", 0),
                HasSubstr("does not exist"));
    EXPECT_THAT(problem(R"({"path": "/stack/0/kernel_size", "values": [3, 30]})", 1),
                HasSubstr("does not fit"));
    EXPECT_THAT(problem(R"({"path": "/step/precision", "values": ["fp32", "bf16"]})", 1), HasSubstr("GPU"));
    EXPECT_EQ(problem(R"({"path": "/step/precision", "values": ["fp32", "bf16"]})", 1, true), "");
    EXPECT_EQ(problem(R"({"toggle": "tf32"})", 1), "tf32: needs a GPU");
    EXPECT_EQ(problem(R"({"toggle": "onednn_off"})", 1, true), "onednn_off: has no effect on a GPU");
    EXPECT_THAT(problem(kBatch + R"(, {"toggle": "micro_batches"})", 1),
                HasSubstr("micro_batches: a batch of 1"));
    EXPECT_EQ(problem(kBatch + R"(, {"toggle": "micro_batches"})", 3), "");
}

TEST(Sweep, TogglesThatUndoEachOtherAreAProblemOthersCompose) {
    const auto two = cells(R"({"toggle": "checkpoint_sqrt"}, {"toggle": "checkpoint_blocks"})");
    EXPECT_EQ(two[1].problem, "");
    EXPECT_EQ(two[2].problem, "");
    EXPECT_THAT(two[3].problem, HasSubstr("undo each other"));
    const auto precisions = cells(R"({"toggle": "bf16"}, {"toggle": "fp16"})", "", true);
    EXPECT_THAT(precisions[3].problem, HasSubstr("undo each other"));
    // In-place has nothing left to change after InPlace-ABN replaced everything: the same experiment as that
    // alone.
    const auto both = cells(R"({"toggle": "inplace_abn"}, {"toggle": "inplace"})", "", true);
    ASSERT_EQ(both[3].problem, both[2].problem);
    auto alone = both[2].subject.experiment;
    alone.name = both[3].subject.experiment.name;
    EXPECT_EQ(both[3].subject.experiment, alone);
}

TEST(Sweep, PathsBeginAtTheFile) {
    highwater::test::TemporaryFolder folder;
    Json base =
        Json::parse(R"({"schema": "highwater.experiment/1", "input": {"scan": "scans/a.nii", "patch": 8},
        "stack": [{"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]})");
    std::filesystem::create_directories(folder.path() / "bases");
    std::ofstream(folder.path() / "bases" / "base.json") << base.dump();
    const auto scansOf = [&](const std::string& whole) {
        std::ofstream(folder.path() / "sweep.json") << whole;
        const auto sweep = loadSweep(folder.path() / "sweep.json");
        EXPECT_TRUE(sweep) << sweep.error().message;
        const auto all = expand(*sweep, false);
        EXPECT_EQ(all->back().problem, "");
        std::vector<std::string> paths;
        for (const stack::ScanSource& source :
             std::get<stack::ScanInput>(all->back().subject.experiment.input).scans) {
            paths.push_back(source.path);
        }
        return paths;
    };
    const std::string scan = R"({"path": "/input/scan", "values": ["b.nii"]})";
    EXPECT_THAT(scansOf(text(kBatch, "", R"("bases/base.json")")),
                ElementsAre((folder.path() / "bases/scans/a.nii").string()));
    EXPECT_THAT(scansOf(text(kBatch, "", base.dump())),
                ElementsAre((folder.path() / "scans/a.nii").string()));
    EXPECT_THAT(scansOf(text(scan, "", base.dump())), ElementsAre((folder.path() / "b.nii").string()));
    EXPECT_THAT(parseSweep(text(kBatch, "", base.dump()), "test", "")->base.target.labels, "");
}

TEST(Sweep, GoesThroughJsonAndFitsItsSchema) {
    highwater::testing::SchemaCheck check;
    for (const std::string& whole :
         {text(kBatch), text(kInplace + "," + kBatch, R"("mode": "factorial", "name": "n")"),
          text(R"({"paths": ["/a", "/b"], "values": [{"x": [1]}, "t", null]})", R"("interleave": false)"),
          text(R"({"name": "z", "path": "/a", "values": [1, 1]})", R"("mode": "zip", "repeats": 7)")}) {
        EXPECT_EQ(check.problem("sweep.json", Json::parse(whole)), "") << whole;
        const auto sweep = parseSweep(whole, "test", "/data");
        ASSERT_TRUE(sweep) << sweep.error().message;
        const auto json = toJson(*sweep);
        EXPECT_EQ(check.problem("sweep.json", json), "") << json.dump();
        const auto again = parseSweep(json.dump(), "again", "/data");
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->axes, sweep->axes);
        EXPECT_EQ(again->base, sweep->base);
        EXPECT_EQ(toJson(*again), json);
    }
    for (const std::string& bad :
         {text("{}"), text(R"({"path": "/a"})"), text(R"({"toggle": "inplace", "values": [1]})"),
          text(R"({"toggle": "none"})"), text(R"({"path": "a", "values": [1]})"),
          text(kBatch, R"("repeats": 0)")}) {
        EXPECT_NE(check.problem("sweep.json", Json::parse(bad)), "") << bad;
        EXPECT_FALSE(parseSweep(bad, "test", "/data"));
    }
}

TEST(Sweep, TheSchemaKnowsEveryToggle) {
    highwater::testing::SchemaCheck check;
    Json ids = Json::array();
    for (const Toggle& toggle : toggles()) {
        ids.push_back(toggle.id);
    }
    EXPECT_EQ(check.load("sweep.json")
                  .at("properties")
                  .at("axes")
                  .at("items")
                  .at("properties")
                  .at("toggle")
                  .at("enum"),
              ids);
}

TEST(Sweep, RepeatsAreAtLeast) {
    EXPECT_EQ(trialOptions(parse(kBatch)).repeatsMost, 1);
    const TrialOptions some = trialOptions(parse(kInplace, R"("mode": "factorial", "interleave": false)"));
    EXPECT_EQ(some.repeatsLeast, 3);
    EXPECT_EQ(some.repeatsMost, 9);
    EXPECT_FALSE(some.interleave);
}

TEST(Sweep, OneThatWasMadeOtherwiseIsCheckedToo) {
    Sweep sweep = parse(kBatch);
    sweep.axes[0].values = {"1", "not json"};
    const auto all = expand(sweep, false);
    ASSERT_FALSE(all);
    EXPECT_THAT(all.error().message, StartsWith("/axes/0: the value not json is not JSON"));
    sweep.axes.clear();
    EXPECT_FALSE(expand(sweep, false));
}

}  // namespace
}  // namespace highwater::study
