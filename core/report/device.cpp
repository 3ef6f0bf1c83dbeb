#include <fmt/format.h>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/escape.h"
#include "core/report/page.h"
#include "core/report/run_sections.h"
#include "core/wire/gpu_words.h"

namespace highwater::report {
namespace {

std::string note(const std::string& text) {
    return text.empty() ? "" : "<p class=\"note\">" + escape(text) + "</p>\n";
}

std::vector<std::int64_t> mebibytes(const wire::DeviceMemory& device) {
    std::vector<base::Bytes> bytes;
    for (const wire::DevicePart& part : wire::deviceParts(device)) {
        bytes.push_back(part.bytes);
    }
    return wire::inMebibytes(bytes);
}

std::string swatchOf(std::size_t part) {
    return part == 0 ? swatch(kLight.category[static_cast<std::size_t>(memory::Category::Activations)])
                     : swatch(kLight.device[part - 1]);
}

/// The figures are in MiB, as in nvidia-smi.
std::string momentsTable(const std::vector<DeviceMoment>& moments) {
    std::vector<Column> columns = {{"MiB", false}};
    std::vector<TableRow> rows;
    for (const wire::DevicePart& part : wire::deviceParts(moments.front().device)) {
        rows.push_back({{partName(part), swatchOf(rows.size()), "", std::string(part.meaning)}});
    }
    rows.push_back({{"used, as nvidia-smi shows it", ""}});
    for (const DeviceMoment& moment : moments) {
        columns.push_back({moment.name, true});
        const auto values = mebibytes(moment.device);
        for (std::size_t i = 0; i < values.size(); ++i) {
            rows[i].push_back({fmt::format("{}", values[i]), ""});
        }
        rows.back().push_back({fmt::format("{} of {}", wire::inMebibytes({moment.device.used()}).front(),
                                           wire::inMebibytes({moment.device.capacity}).front()),
                               ""});
    }
    return table(columns, rows, true);
}

std::string conditionsRow(std::string_view when, const std::optional<wire::GpuConditions>& conditions) {
    const std::string text = conditions ? wire::conditionsText(*conditions) : "";
    return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", when, escape(text));
}

}  // namespace

std::string deviceSection(const Facts& facts, const std::string& prefix, const std::string& heading) {
    const std::vector<DeviceMoment> moments = deviceMoments(facts);
    const wire::RunResult& result = facts.result();
    if (moments.empty()) {
        return "";
    }
    std::string out = fmt::format("<{0}>What the GPU’s memory held</{0}>\n", heading);
    out += figure(deviceChart(moments), prefix + "d") + momentsTable(moments);
    if (result.peakDeviceUsed > 0) {
        out += note(fmt::format("Sampled through the run, {} were in use at most, by all processes.",
                                base::formatBytes(result.peakDeviceUsed)));
    }
    if (!moments.front().device.contextKnown) {
        out += note(
            "The driver does not name this process (it runs in a container): its context is an estimate, "
            "what "
            "the device’s use grew by while it was made.");
    }
    for (const std::string& line : wire::pressureLines(result)) {
        out += note(line + ".");
    }
    return out;
}

std::string conditionsPart(const Facts& facts) {
    const wire::RunResult& result = facts.result();
    const std::string rows =
        conditionsRow("before the measured steps", result.before) + conditionsRow("after them", result.after);
    const std::string throttled = wire::throttledText(result.before, result.after);
    std::string out = rows.empty() ? "" : "<dl>\n" + rows + "</dl>\n";
    if (!throttled.empty()) {
        out += "<div class=\"banner plain\"><b>The GPU was " + escape(throttled) +
               "</b><p>Times measured so do not compare with a run at full clocks.</p></div>\n";
    }
    return out;
}

}  // namespace highwater::report
