#include <fmt/format.h>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/run_sections.h"
#include "core/wire/gpu_words.h"

namespace highwater::report {
namespace {

std::vector<std::int64_t> mebibytes(const wire::DeviceMemory& device) {
    std::vector<base::Bytes> bytes;
    for (const wire::DevicePart& part : wire::deviceParts(device)) {
        bytes.push_back(part.bytes);
    }
    return wire::inMebibytes(bytes);
}

Rgb swatchOf(std::size_t part) {
    return part == 0 ? kLight.category[static_cast<std::size_t>(memory::Category::Activations)]
                     : kLight.device[part - 1];
}

/// The figures are in MiB, as in nvidia-smi.
Table momentsTable(const std::vector<DeviceMoment>& moments) {
    std::vector<Column> columns = {{"MiB", false}};
    std::vector<TableRow> rows;
    for (const wire::DevicePart& part : wire::deviceParts(moments.front().device)) {
        rows.push_back({{partName(part), swatchOf(rows.size()), std::string(part.meaning)}});
    }
    rows.push_back({{"used, as nvidia-smi shows it"}});
    for (const DeviceMoment& moment : moments) {
        columns.push_back({moment.name, true});
        const auto values = mebibytes(moment.device);
        for (std::size_t i = 0; i < values.size(); ++i) {
            rows[i].push_back({fmt::format("{}", values[i])});
        }
        rows.back().push_back({fmt::format("{} of {}", wire::inMebibytes({moment.device.used()}).front(),
                                           wire::inMebibytes({moment.device.capacity}).front())});
    }
    return {std::move(columns), std::move(rows), true};
}

}  // namespace

Parts deviceSection(const Facts& facts, const std::string& prefix, int level) {
    const std::vector<DeviceMoment> moments = deviceMoments(facts);
    const wire::RunResult& result = facts.result();
    if (moments.empty()) {
        return {};
    }
    Parts out = {heading(level, "Contents of the GPU’s memory"), Figure{deviceChart(moments), prefix + "d"},
                 momentsTable(moments)};
    if (result.peakDeviceUsed > 0) {
        out.push_back(note(fmt::format("Sampled during the run, all processes used at most {}.",
                                       base::formatBytes(result.peakDeviceUsed))));
    }
    if (!moments.front().device.contextKnown) {
        out.push_back(
            note(facts.pretended()
                     ? "A pretended device has no CUDA context: its size is an estimate for this GPU."
                     : "The driver does not name this process (it runs in a container): its context is an "
                       "estimate: the growth of the device’s use while it was created."));
    }
    for (const std::string& line : wire::pressureLines(result)) {
        out.push_back(note(line + "."));
    }
    return out;
}

Parts conditionsPart(const Facts& facts) {
    const wire::RunResult& result = facts.result();
    Definitions list;
    const auto addTerm = [&list](std::string when, const std::optional<wire::GpuConditions>& conditions) {
        if (const std::string text = conditions ? wire::conditionsText(*conditions) : ""; !text.empty()) {
            list.terms.emplace_back(std::move(when), text);
        }
    };
    addTerm("before the measured steps", result.before);
    addTerm("after them", result.after);
    Parts out;
    if (!list.terms.empty()) {
        out.push_back(std::move(list));
    }
    if (const std::string throttled = wire::throttledText(result.before, result.after); !throttled.empty()) {
        out.push_back(Banner{false,
                             "The GPU was " + throttled,
                             {"These times are not comparable with a run at full clocks."}});
    }
    return out;
}

}  // namespace highwater::report
