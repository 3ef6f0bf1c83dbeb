#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/capture/capture.h"
#include "tests/core/capture/random_trace.h"

namespace highwater::capture {
namespace {

using memory::Category;
using memory::Phase;
using memory::Trace;
using memory::TraceEvent;
using nlohmann::json;

std::string textOf(const Trace& trace, Format format) {
    std::ostringstream out;
    const auto written = write(trace, format, out);
    EXPECT_TRUE(written) << written.error().message;
    return out.str();
}

Trace small() {
    Trace trace;
    trace.title = "run \"12\"";
    trace.layers = {"1 conv", "2, relu"};
    trace.labels = {"aten::\"x\""};
    trace.blocks = {{100, 512, -1}, {2000, 2048, 0}};
    trace.alive = {{0, Category::Parameters, -1}};
    trace.events = {{1500, 1, 0, TraceEvent::Kind::Allocate, Category::Temporaries, Phase::Forward},
                    {2500, 1, 0, TraceEvent::Kind::Retag, Category::Activations, Phase::Forward},
                    {4000, 1, 1, TraceEvent::Kind::Free, Category::Activations, Phase::Backward}};
    trace.steps = {{0, 2}};
    trace.allEvents = 3;
    return trace;
}

std::vector<json> of(const json& trace, const std::string& kind) {
    std::vector<json> found;
    for (const json& event : trace["traceEvents"]) {
        if (event["ph"] == kind) {
            found.push_back(event);
        }
    }
    return found;
}

TEST(Csv, OneEventALine) {
    EXPECT_EQ(textOf(small(), Format::Csv),
              "event,time_ns,action,block,bytes,reserved_bytes,category,phase,layer,label,allocated_bytes\n"
              ",,alive,0,100,512,parameters,,,,100\n"
              "0,1500,allocate,1,2000,2048,temporaries,forward,1 conv,\"aten::\"\"x\"\"\",2100\n"
              "1,2500,retag,1,2000,2048,activations,forward,1 conv,\"aten::\"\"x\"\"\",2100\n"
              "2,4000,free,1,2000,2048,activations,backward,\"2, relu\",\"aten::\"\"x\"\"\",100\n");
}

TEST(Csv, ALayersNameIsNoFormula) {
    memory::Trace trace = small();
    trace.layers.front() = "=1+1";
    EXPECT_THAT(textOf(trace, Format::Csv), testing::HasSubstr(",'=1+1,"));
}

TEST(Csv, WithoutAClockThereIsNoTime) {
    Trace trace = small();
    trace.timed = false;
    trace.firstEvent = 40;
    EXPECT_THAT(textOf(trace, Format::Csv), testing::HasSubstr("\n41,,retag,"));
}

TEST(Chrome, SlicesOfStepsPhasesAndLayers) {
    const json trace = json::parse(textOf(small(), Format::Chrome));
    const auto slices = of(trace, "X");
    ASSERT_EQ(slices.size(), 5U);
    EXPECT_EQ(slices[0]["name"], "step 3");
    EXPECT_EQ(slices[0]["ts"], 1.5);
    EXPECT_EQ(slices[0]["dur"], 2.5);
    EXPECT_EQ(slices[1]["name"], "forward");
    EXPECT_EQ(slices[1]["dur"], 2.5);
    EXPECT_EQ(slices[2]["name"], "backward");
    EXPECT_EQ(slices[3]["name"], "1 conv");
    EXPECT_EQ(slices[3]["args"]["phase"], "forward");
    EXPECT_EQ(slices[4]["name"], "2, relu");
    EXPECT_EQ(trace["otherData"]["peak_bytes"], 2100);
    EXPECT_EQ(trace["otherData"]["counters"], "every event");
}

TEST(Chrome, EveryTrackAndTheProcessHaveNames) {
    const json trace = json::parse(textOf(small(), Format::Chrome));
    std::map<int, std::string> names;
    std::string process;
    for (const json& event : of(trace, "M")) {
        if (event["name"] == "process_name") {
            process = event["args"]["name"];
        }
        if (event["name"] == "thread_name") {
            names[event["tid"]] = event["args"]["name"];
        }
    }
    EXPECT_EQ(process, "run \"12\"");
    EXPECT_EQ(names, (std::map<int, std::string>{{1, "steps"}, {2, "phases"}, {3, "layers"}}));
    for (const json& slice : of(trace, "X")) {
        EXPECT_EQ(names.count(slice["tid"]), 1U);
    }
}

TEST(Chrome, CountersAreTheLedgerByCategory) {
    const json trace = json::parse(textOf(small(), Format::Chrome));
    const auto counters = of(trace, "C");
    ASSERT_EQ(counters.size(), 4U);
    EXPECT_EQ(counters[0]["args"]["parameters"], 100);
    EXPECT_EQ(counters[1]["args"]["temporaries"], 2000);
    EXPECT_EQ(counters[2]["args"]["activations"], 2000);
    EXPECT_EQ(counters[2]["args"]["temporaries"], 0);
    EXPECT_EQ(counters[3]["args"]["activations"], 0);
    EXPECT_EQ(counters[0]["args"].size(), static_cast<std::size_t>(memory::kCategoryCount));
}

TEST(Chrome, ThinnedCountersKeepThePeakAndTheOrder) {
    const Trace trace = test::randomTrace(3, {.events = 250'000, .steps = 4});
    const json written = json::parse(textOf(trace, Format::Chrome));
    EXPECT_EQ(written["otherData"]["counters"], "the lowest and the highest total of every 6 events");
    base::Bytes peak = 0;
    double before = 0;
    const auto counters = of(written, "C");
    for (const json& counter : counters) {
        base::Bytes total = 0;
        for (const auto& [name, bytes] : counter["args"].items()) {
            total += bytes.get<base::Bytes>();
        }
        peak = std::max(peak, total);
        EXPECT_GE(counter["ts"].get<double>(), before);
        before = counter["ts"].get<double>();
    }
    EXPECT_EQ(peak, memory::findPeak(trace).ledger.total());
    EXPECT_EQ(written["otherData"]["peak_bytes"], peak);
    EXPECT_LE(counters.size(), 100'002U);
    EXPECT_GT(counters.size(), 30'000U);
}

TEST(Chrome, AnythingIsValidJson) {
    EXPECT_TRUE(json::accept(textOf(Trace{}, Format::Chrome)));
    Trace odd = small();
    odd.title = "\xff\"\\\n";
    odd.layers[0] = "\x80\x01";
    EXPECT_TRUE(json::accept(textOf(odd, Format::Chrome)));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_TRUE(json::accept(textOf(test::randomTrace(seed, {.timed = seed % 2 == 0}), Format::Chrome)));
    }
}

}  // namespace
}  // namespace highwater::capture
