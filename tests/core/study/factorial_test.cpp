#include "core/study/factorial.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/core/stack/json/schema_check.h"

namespace highwater::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kBaseMs = 100, kBaseBytes = 1 << 30;

/// Data with known effects: y = base * product of main^(+-1/2) * product of interaction^(+-1/2), where the
/// sign is + if an even number of the effect's axes is off.
struct Truth {
    std::size_t axes = 2;
    std::vector<std::pair<std::vector<std::size_t>, double>> time, memory;  ///< axes, ratio
    double noise = 0;                                                       ///< sigma of a repeat of a cell
    double blockNoise = 0;  ///< sigma of a whole repeat, equal for all cells
    int repeats = 5;
    std::uint64_t seed = 1;
};

double factor(const std::vector<std::pair<std::vector<std::size_t>, double>>& effects,
              const std::vector<int>& levels) {
    double product = 1;
    for (const auto& [axes, ratio] : effects) {
        int sign = 1;
        for (const std::size_t a : axes) {
            sign *= levels[a] == 0 ? -1 : 1;
        }
        product *= std::pow(ratio, 0.5 * sign);
    }
    return product;
}

Sweep factorialOf(std::size_t axes) {
    Sweep sweep;
    sweep.mode = SweepMode::Factorial;
    sweep.repeats = 2;
    sweep.base.input = stack::SyntheticInput{};
    for (std::size_t a = 0; a < axes; ++a) {
        sweep.axes.push_back({std::string(1, static_cast<char>('a' + a)), {"/step/seed"}, {"1", "2"}, ""});
    }
    return sweep;
}

struct Data {
    Sweep sweep;
    std::vector<Cell> cells;
    std::vector<Measured> measured;
    SweepResult evaluated() const { return evaluate(sweep, cells, measured); }
};

Data dataOf(const Truth& truth) {
    Data data;
    data.sweep = factorialOf(truth.axes);
    std::mt19937_64 random(truth.seed);
    std::normal_distribution<> normal;
    std::vector<double> blocks;
    for (int r = 0; r < truth.repeats; ++r) {
        blocks.push_back(std::exp(truth.blockNoise * normal(random)));
    }
    for (std::size_t c = 0; c < std::size_t{1} << truth.axes; ++c) {
        Cell cell;
        for (std::size_t a = 0; a < truth.axes; ++a) {
            cell.levels.push_back(static_cast<int>(c >> (truth.axes - 1 - a) & 1));
            cell.words.push_back(cell.levels.back() == 0 ? "1" : "2");
            cell.subject.name += data.sweep.axes[a].name + cell.words.back();
        }
        Measured m;
        m.name = cell.subject.name;
        m.result.peakAllocated = std::llround(kBaseBytes * factor(truth.memory, cell.levels));
        for (const double block : blocks) {
            m.repeatMs.push_back(kBaseMs * block * factor(truth.time, cell.levels) *
                                 std::exp(truth.noise * normal(random)));
        }
        m.stepMs = base::medianWithInterval(m.repeatMs);
        data.cells.push_back(std::move(cell));
        data.measured.push_back(std::move(m));
    }
    return data;
}

const Effect& find(const SweepResult& result, const std::vector<std::size_t>& axes) {
    for (const Effect& effect : result.effects) {
        if (effect.axes == axes) {
            return effect;
        }
    }
    throw std::runtime_error("no such effect");
}

TEST(Factorial, FindsWhatWasPutIn) {
    Truth truth;
    truth.axes = 3;
    truth.time = {{{0}, 1.5}, {{1}, 0.8}, {{0, 1}, 1.1}, {{1, 2}, 0.9}};
    truth.memory = {{{0}, 0.5}, {{2}, 1.25}, {{0, 2}, 1.2}};
    const SweepResult result = dataOf(truth).evaluated();
    ASSERT_EQ(result.effects.size(), 6U);  // three main effects, then three interactions
    EXPECT_TRUE(result.notes.empty());
    const auto expectIs = [&](std::vector<std::size_t> axes, double memory, double time) {
        const Effect& effect = find(result, axes);
        EXPECT_NEAR(effect.memory.median, memory, 1e-8);
        EXPECT_EQ(effect.memoryDiffers, memory != 1);
        EXPECT_NEAR(effect.time.median, time, 1e-12);
        EXPECT_NEAR(effect.time.low, time, 1e-12);
        EXPECT_NEAR(effect.time.high, time, 1e-12);
        EXPECT_EQ(effect.time.n, 5);
        if (time != 1) {
            EXPECT_TRUE(effect.timeDiffers);
        }
    };
    expectIs({0}, 0.5, 1.5);
    expectIs({1}, 1, 0.8);
    expectIs({2}, 1.25, 1);
    expectIs({0, 1}, 1, 1.1);
    expectIs({0, 2}, 1.2, 1);
    expectIs({1, 2}, 1, 0.9);
}

TEST(Factorial, CellsOfDifferentDevicesAreNotCompared) {
    Truth truth;
    truth.time = {{{0}, 2}};
    truth.memory = {{{0}, 2}};
    Data data = dataOf(truth);
    EXPECT_THAT(data.evaluated().front, ElementsAre(0U, 1U));  // a = 1 halves both
    for (const std::size_t cell : {2U, 3U}) {
        data.measured[cell].place = "fox";
    }
    const SweepResult result = data.evaluated();
    EXPECT_THAT(result.front, ::testing::UnorderedElementsAre(0U, 1U, 2U, 3U));
    EXPECT_TRUE(result.effects.empty());
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_THAT(result.notes[0], HasSubstr("2 devices have measured it"));
    EXPECT_THAT(result.notes[1], HasSubstr("the effects are unknown"));
    EXPECT_EQ(toJson(result)["cells"][2]["measured"]["place"], "fox");
    data.sweep.mode = SweepMode::Grid;
    EXPECT_EQ(data.evaluated().notes.size(), 1U);
}

TEST(Factorial, TheMainEffectIsTheGeometricMeanOfTheRatios) {
    // By hand: off/off 100, off/on 100, on/off 200, on/on 50. a: sqrt(2 * 0.5) = 1, b: sqrt(1 * 0.25) = 0.5,
    // a x b: sqrt(0.5 / 2) = 0.5.
    Data data = dataOf({});
    const double ms[] = {100, 100, 200, 50};
    for (std::size_t c = 0; c < 4; ++c) {
        data.measured[c].repeatMs.assign(4, ms[c]);
        data.measured[c].stepMs = {ms[c], ms[c], ms[c], 4};
    }
    const SweepResult result = data.evaluated();
    EXPECT_NEAR(find(result, {0}).time.median, 1, 1e-12);
    EXPECT_NEAR(find(result, {1}).time.median, 0.5, 1e-12);
    EXPECT_NEAR(find(result, {0, 1}).time.median, 0.5, 1e-12);
}

/// a with three levels, b with two. By hand: time of a1 is 2 and of a2 is 3 times that of a0; with b on, a2
/// takes another 4 times as long.
Data threeLevels() {
    Data data;
    data.sweep = factorialOf(2);
    data.sweep.axes[0].values = {"1", "3", "7"};
    const double ms[3][2] = {{10, 10}, {20, 20}, {30, 120}};
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 2; ++b) {
            Cell cell;
            cell.levels = {a, b};
            cell.words = {data.sweep.axes[0].values[static_cast<std::size_t>(a)], b == 0 ? "1" : "2"};
            cell.subject.name = "a " + cell.words[0] + ", b " + cell.words[1];
            Measured m;
            m.name = cell.subject.name;
            m.result.peakAllocated = static_cast<base::Bytes>(100 * (a + 1));
            m.repeatMs.assign(3, ms[a][b]);
            m.stepMs = base::medianWithInterval(m.repeatMs);
            data.cells.push_back(std::move(cell));
            data.measured.push_back(std::move(m));
        }
    }
    return data;
}

TEST(Factorial, EveryLevelIsComparedWithTheFirst) {
    const Data data = threeLevels();
    const SweepResult result = data.evaluated();
    std::vector<std::string> names;
    for (const Effect& effect : result.effects) {
        names.push_back(effectName(effect, data.sweep));
    }
    EXPECT_THAT(names, ElementsAre("a 3 against 1", "a 7 against 1", "b 2 against 1",
                                   "a 3 against 1 × b 2 against 1", "a 7 against 1 × b 2 against 1"));
    ASSERT_EQ(result.effects.size(), 5U);
    EXPECT_NEAR(result.effects[0].time.median, 2, 1e-12);
    EXPECT_NEAR(result.effects[1].time.median, 6, 1e-12) << "sqrt(3 * 12)";
    EXPECT_NEAR(result.effects[2].time.median, std::cbrt(4), 1e-12);
    EXPECT_NEAR(result.effects[3].time.median, 1, 1e-12);
    EXPECT_NEAR(result.effects[4].time.median, 2, 1e-12) << "sqrt(12 / 3)";
    EXPECT_NEAR(result.effects[0].memory.median, 2, 1e-12);
    EXPECT_NEAR(result.effects[1].memory.median, 3, 1e-12);
    EXPECT_FALSE(result.effects[2].memoryDiffers);
    const auto json = toJson(result);
    EXPECT_EQ(json["effects"][4]["from"], (std::vector<int>{0, 0}));
    EXPECT_EQ(json["effects"][4]["to"], (std::vector<int>{2, 1}));
    EXPECT_TRUE(result.notes.empty());
}

TEST(Factorial, ALevelOfWhichCellsAreMissingIsLeftOut) {
    Data data = threeLevels();
    data.measured[5].status = wire::RunStatus::OutOfMemory;  // a 7, b 2
    data.measured[5].why = "out of memory";
    SweepResult result = data.evaluated();
    ASSERT_EQ(result.effects.size(), 5U);
    EXPECT_NEAR(result.effects[0].time.median, 2, 1e-12) << "of a 3, which is complete";
    EXPECT_EQ(result.effects[1].time.n, 0);
    EXPECT_NEAR(result.effects[2].time.median, 1, 1e-12) << "without a 7";
    EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("the effects leave out a 7")));
    data.measured[0].status = data.measured[1].status = wire::RunStatus::OutOfMemory;  // all of a 1
    data.measured[5].status = wire::RunStatus::Done;
    result = data.evaluated();
    ASSERT_EQ(result.effects.size(), 5U);
    EXPECT_EQ(effectName(result.effects[1], data.sweep), "a 7 against 3") << "the first level that is left";
    EXPECT_NEAR(result.effects[1].time.median, 3, 1e-12) << "sqrt(1.5 * 6)";
}

TEST(Factorial, APureInteractionHasNoMainEffect) {
    Truth truth;
    truth.time = {{{0, 1}, 2}};
    truth.memory = {{{0, 1}, 0.5}};
    const SweepResult result = dataOf(truth).evaluated();
    for (const std::size_t axis : {0U, 1U}) {
        EXPECT_NEAR(find(result, {axis}).time.median, 1, 1e-12);
        EXPECT_FALSE(find(result, {axis}).memoryDiffers);
    }
    EXPECT_NEAR(find(result, {0, 1}).time.median, 2, 1e-12);
    EXPECT_TRUE(find(result, {0, 1}).memoryDiffers);
}

TEST(Factorial, RepeatsAreBlocks) {
    // A repeat that is slower as a whole does not affect the effects: it cancels except for rounding.
    Truth truth;
    truth.time = {{{0}, 1.02}};
    truth.blockNoise = 0.5;
    const Effect effect = find(dataOf(truth).evaluated(), {0});
    EXPECT_NEAR(effect.time.low, 1.02, 1e-9);
    EXPECT_NEAR(effect.time.high, 1.02, 1e-9);
    EXPECT_TRUE(effect.timeDiffers);
}

TEST(Factorial, IntervalsHoldTheTruthAndNoiseIsSaidToBeNoise) {
    int inside = 0, alarms = 0;
    const int trials = 300;
    for (int trial = 0; trial < trials; ++trial) {
        Truth truth;
        truth.time = {{{0}, 1.2}};
        truth.noise = 0.05;
        truth.repeats = 3 + trial % 5;
        truth.seed = static_cast<std::uint64_t>(trial + 1);
        const SweepResult result = dataOf(truth).evaluated();
        const Effect &a = find(result, {0}), &b = find(result, {1});
        inside += a.time.low <= 1.2 && a.time.high >= 1.2;
        alarms += b.timeDiffers;
    }
    EXPECT_GE(inside, 0.93 * trials);
    EXPECT_LE(alarms, 0.07 * trials);
}

TEST(Factorial, AMissingLevelHoldsItsAxisAlone) {
    Truth truth;
    truth.axes = 3;
    truth.time = {{{0}, 1.5}, {{1}, 0.8}, {{0, 2}, 1.3}};
    Data data = dataOf(truth);
    for (std::size_t c = 0; c < 8; ++c) {
        if (data.cells[c].levels[1] == 1) {
            data.cells[c].problem = "b does not fit";
            data.measured[c] = {};
        }
    }
    const SweepResult result = data.evaluated();
    EXPECT_EQ(find(result, {1}).time.n, 0);
    EXPECT_EQ(find(result, {0, 1}).memory.n, 0);
    EXPECT_NEAR(find(result, {0}).time.median, 1.5, 1e-12);
    EXPECT_NEAR(find(result, {0, 2}).time.median, 1.3, 1e-12);
    EXPECT_THAT(result.notes, ElementsAre("4 of 8 combinations cannot be run: b does not fit",
                                          "the effect of b is unknown because combinations are missing; the "
                                          "other effects are those at b 1"));
    EXPECT_EQ(describe(find(result, {1}), result.sweep), "b 2 against 1: memory not known, time not known");
}

TEST(Factorial, OneMissingCellHoldsOneAxis) {
    for (std::size_t missing = 0; missing < 8; ++missing) {
        Truth truth;
        truth.axes = 3;
        truth.time = {{{0}, 1.5}, {{1}, 0.8}, {{2}, 1.1}};
        Data data = dataOf(truth);
        data.measured[missing].status = wire::RunStatus::OutOfMemory;
        const SweepResult result = data.evaluated();
        int known = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            if (const Effect& effect = find(result, {a}); effect.time.n > 0) {
                ++known;
                EXPECT_NEAR(effect.time.median, truth.time[a].second, 1e-12);
            }
        }
        EXPECT_EQ(known, 2) << missing;
        EXPECT_THAT(result.notes.front(), HasSubstr("1 of 8 combinations ran out of memory"));
    }
}

TEST(Factorial, NothingMeasuredIsNoEffectAndNoCrash) {
    Data data = dataOf({});
    data.measured.clear();
    const SweepResult result = data.evaluated();
    EXPECT_EQ(result.measured.size(), 4U);
    EXPECT_TRUE(result.front.empty());
    for (const Effect& effect : result.effects) {
        EXPECT_EQ(effect.time.n + effect.memory.n, 0);
    }
    EXPECT_THAT(result.notes, ElementsAre("4 of 4 combinations were not measured: cancelled"));
    EXPECT_TRUE(evaluate(factorialOf(2), {}, {}).front.empty());
}

TEST(Factorial, FewerRepeatsOfACellAreFewerBlocks) {
    Data data = dataOf({});
    data.measured[2].repeatMs.resize(2);
    EXPECT_EQ(find(data.evaluated(), {0}).time.n, 2);
}

TEST(Factorial, TheFrontIsOfWhatIsDone) {
    Data data = dataOf({});
    const double ms[] = {10, 20, 5, 1};
    const Bytes bytes[] = {100, 50, 200, 1};
    for (std::size_t c = 0; c < 4; ++c) {
        data.measured[c].stepMs.median = ms[c];
        data.measured[c].result.peakAllocated = bytes[c];
    }
    data.measured[3].status = wire::RunStatus::Failed;
    EXPECT_THAT(data.evaluated().front, ElementsAre(1, 0, 2));
    data.sweep.mode = SweepMode::Grid;
    EXPECT_TRUE(data.evaluated().effects.empty());
}

TEST(Factorial, MeasurementsFindTheirCells) {
    std::vector<Cell> cells(4);
    cells[1].problem = "no";
    std::vector<Measured> some(3);
    some[0].name = "x", some[1].name = "y", some[2].name = "z";
    const auto all = byCell(cells, some);
    EXPECT_EQ(all[0].name, "x");
    EXPECT_EQ(all[1].name, "");
    EXPECT_EQ(all[2].name, "y");
    EXPECT_EQ(all[3].name, "z");
}

TEST(Factorial, WordsForEffects) {
    const Sweep sweep = factorialOf(2);
    Effect effect{{0}, {0}, {1}, {0.818, 0.818, 0.818, 3}, {1.01, 0.988, 1.024, 3}, true, false};
    EXPECT_EQ(describe(effect, sweep),
              "a 2 against 1: -18.2 % memory (-18.2 to -18.2), time within the noise (-1.2 to +2.4 %)");
    effect = {{0, 1}, {0, 0}, {1, 1}, {1, 1, 1, 3}, {1.05, 1.02, 1.08, 3}, false, true};
    EXPECT_EQ(describe(effect, sweep),
              "a 2 against 1 × b 2 against 1: memory none, +5.0 % time (+2.0 to +8.0)");
    effect.axes = {1};
    EXPECT_THAT(describe(effect, sweep), HasSubstr("b 2 against 1: memory unchanged, "));
}

TEST(Factorial, ResultsFitTheirSchema) {
    highwater::testing::SchemaCheck check;
    Truth truth;
    truth.noise = 0.1;
    Data data = dataOf(truth);
    EXPECT_EQ(check.problem("sweep-result.json", toJson(data.evaluated())), "");
    data.cells[1].problem = "cannot";
    data.measured[1] = {};
    data.measured[2].status = wire::RunStatus::Failed;
    data.measured[2].why = "broke";
    data.measured[3] = {};
    const auto json = toJson(data.evaluated());
    EXPECT_EQ(check.problem("sweep-result.json", json), "") << json.dump(1);
    EXPECT_EQ(json["cells"][1]["problem"], "cannot");
    EXPECT_FALSE(json["cells"][3].contains("measured"));
    EXPECT_EQ(json["cells"][2]["measured"]["why"], "broke");
    EXPECT_EQ(json["front"], nlohmann::json::array({0}));
}

/// A sweep that can be run, with figures.
Data runnable(std::size_t axes) {
    Data data;
    data.sweep = factorialOf(axes);
    data.sweep.base.input = stack::SyntheticInput{{1, 8, 8, 8}};
    data.sweep.base.loss = stack::Loss::Mean;
    data.sweep.base.stack = {{"", stack::Conv{}}};
    const char* const paths[] = {"/step/seed", "/step/batch_size", "/stack/0/out_channels"};
    for (std::size_t a = 0; a < axes; ++a) {
        data.sweep.axes[a].paths = {paths[a]};
    }
    data.cells = *expand(data.sweep, false);
    data.measured = dataOf({.axes = axes, .time = {{{0}, 0.8}}, .memory = {{{1}, 0.5}}}).measured;
    for (std::size_t c = 0; c < data.cells.size(); ++c) {
        data.measured[c].name = data.cells[c].subject.name;
    }
    return data;
}

TEST(SweepResultFile, IsReadBackAsItWasWritten) {
    Data data = runnable(3);
    data.measured[5].status = wire::RunStatus::OutOfMemory;
    data.measured[5].why = "asked for \"14.8\" GiB";
    data.measured[5].stepMs = {};
    data.measured[5].repeatMs.clear();
    data.measured[6] = {};
    for (std::size_t c = 0; c < 5; ++c) {
        data.measured[c].runIds = {"run" + std::to_string(c)};
        data.measured[c].result.environment.device = "cpu";
        data.measured[c].result.environment.versions = {{"libtorch", "1.13"}};
    }
    const auto written = toJson(data.evaluated());
    const auto read = parseSweepResult(written.dump(), "r.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(toJson(*read).dump(1), written.dump(1));
    EXPECT_EQ(read->cells[3].subject, data.cells[3].subject);
}

TEST(SweepResultFile, ADamagedOneIsOneLine) {
    const auto whole = toJson(runnable(2).evaluated());
    const auto problem = [](const nlohmann::ordered_json& json) {
        const auto read = parseSweepResult(json.dump(), "r.json");
        return read ? std::string() : read.error().message;
    };
    EXPECT_EQ(problem(whole), "");
    auto less = whole;
    less["cells"].erase(0);
    EXPECT_THAT(problem(less), HasSubstr("/cells/0/levels: are not those of"));
    less = whole;
    less["cells"].erase(less["cells"].size() - 1);
    EXPECT_THAT(problem(less), HasSubstr("/cells: are 3, and the sweep has 4"));
    auto other = whole;
    other["sweep"]["axes"].erase(0);
    EXPECT_THAT(problem(other), HasSubstr("r.json: "));
    for (const char* part : {"schema", "sweep", "cells"}) {
        auto without = whole;
        without.erase(part);
        EXPECT_THAT(problem(without), HasSubstr("r.json: /" + std::string(part)));
    }
    for (const char* part : {"status", "repeat_ms", "run_ids", "steps_used"}) {
        auto wrong = whole;
        wrong["cells"][1]["measured"][part] = nlohmann::ordered_json::object();
        EXPECT_THAT(problem(wrong), HasSubstr("/cells/1/measured/" + std::string(part)));
    }
    EXPECT_THAT(parseSweepResult("[", "r.json").error().message, HasSubstr("r.json: not valid JSON: line 1"));
}

}  // namespace
}  // namespace highwater::study
