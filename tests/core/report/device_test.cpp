#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/report.h"
#include "tests/core/report/markup.h"
#include "tests/core/report/sample.h"
#include "tests/core/runs/gpu_store.h"

namespace highwater::report {
namespace {

using testing::HasSubstr;
using testing::Not;

runs::RunRecord gpuRecord(const wire::test::GpuRun& run) {
    runs::RunRecord record;
    record.events = wire::test::gpuRunEvents(run);
    record.result = wire::test::gpuResult(run);
    record.experiment = runs::test::gpuExperiment();
    record.summary.id = run.id;
    record.summary.number = 3;
    record.summary.name = record.experiment.name;
    record.summary.device = "cuda:0";
    record.summary.status = record.result.status;
    record.summary.patch = {128, 128, 128};
    return record;
}

std::string page(const wire::test::GpuRun& run) {
    ReportInput input;
    input.runs = {gpuRecord(run)};
    return html(input);
}

/// The horizontal extent of a filled path.
double widthOf(const std::vector<PathPoint>& path) {
    const auto [low, high] = std::minmax_element(
        path.begin(), path.end(), [](const PathPoint& a, const PathPoint& b) { return a.x < b.x; });
    return path.empty() ? 0 : high->x - low->x;
}

/// In pixels per byte, the same for each segment of the bar, so that their sum is the device's use.
TEST(DeviceChart, SegmentsAreAsLongAsTheirBytes) {
    const runs::RunRecord run = gpuRecord({});
    const Facts facts = factsOf(run);
    auto moments = deviceMoments(facts);
    ASSERT_EQ(moments.size(), 2U);
    moments.resize(1);
    const std::string text = svg(deviceChart(moments));
    const wire::DeviceMemory& device = moments[0].device;
    const auto length = [&](Rgb color) {
        const auto paths = filledPaths(text, color);
        double most = 0;
        for (const auto& path : paths) {
            most = std::max(most, widthOf(path));
        }
        return most;
    };
    const double unit =
        length(kLight.category[4]) / static_cast<double>(moments[0].ledger[memory::Category::Activations]);
    EXPECT_NEAR(length(kLight.device[1]), static_cast<double>(device.split) * unit, 0.3);
    EXPECT_NEAR(length(kLight.device[2]), static_cast<double>(device.cache) * unit, 0.3);
    EXPECT_NEAR(length(kLight.device[3]), static_cast<double>(device.context) * unit, 0.3);
    EXPECT_NEAR(length(kLight.device[4]), static_cast<double>(device.others) * unit, 0.3);
}

TEST(DeviceSection, SaysWhatTheGpuHeld) {
    const std::string text = page({});
    for (const char* said :
         {"Contents of the GPU’s memory", "median in the host", "1980 MHz of 1980, 54 °C, 513 W",
          "<th class=\"n\">workspace</th>", "640 MiB", "compute capability", "143771"}) {
        EXPECT_THAT(text, HasSubstr(said));
    }
    for (const char* unsaid : {"the GPU waits for the host", "slowed down", "an estimate)", "first choice"}) {
        EXPECT_THAT(text, Not(HasSubstr(unsaid)));
    }
}

TEST(DeviceSection, WarnsOfWhatFalsifiesAComparison) {
    const std::string text = page({.contextKnown = false, .hostBound = true, .throttled = true});
    EXPECT_THAT(text, HasSubstr("the GPU waits for the host"));
    EXPECT_THAT(text, HasSubstr("The GPU was slowed down by power cap"));
    EXPECT_THAT(text, HasSubstr("context (an estimate)"));
}

TEST(DeviceSection, AnOutOfMemoryRunSaysWhatWouldHaveFitted) {
    const std::string text = page({.outOfMemory = true});
    EXPECT_THAT(text, HasSubstr("An estimate: a batch of 3 would have fitted: 96.4 GiB predicted."));
    EXPECT_THAT(text, HasSubstr("could not use its first choice 3 times"));
    EXPECT_THAT(text, HasSubstr("when it failed"));
}

TEST(DeviceSection, IsNotThereForACpuRun) {
    ReportInput input;
    input.runs = {sampleRun()};
    const std::string text = html(input);
    for (const char* gpu : {"GPU", "host", "nvidia", "workspace</th>"}) {
        EXPECT_THAT(text, Not(HasSubstr(gpu)));
    }
}

TEST(DeviceCsv, PartsSumToWhatIsUsed) {
    ReportInput input;
    input.runs = {gpuRecord({}), sampleRun()};
    std::istringstream lines(csv(input));
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(lines, line);) {
        auto& row = rows.emplace_back();
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) {
            row.push_back(field);
        }
    }
    const auto at = [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
    };
    ASSERT_LT(at("device_used_bytes"), rows[0].size());
    std::int64_t sum = 0;
    for (const char* part : {"tensors", "rounding", "split", "cache", "context", "others"}) {
        sum += std::stoll(rows[1].at(at("device_" + std::string(part) + "_bytes")));
    }
    EXPECT_EQ(std::to_string(sum), rows[1].at(at("device_used_bytes")));
    EXPECT_EQ(rows[1].at(at("device_tensors_bytes")), rows[1].at(at("peak_allocated_bytes")));
}

}  // namespace
}  // namespace highwater::report
