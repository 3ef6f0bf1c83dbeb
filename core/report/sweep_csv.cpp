#include "core/report/sweep_csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/printable.h"

namespace highwater::report {

bool onFront(const study::SweepResult& result, std::size_t cell) {
    return std::find(result.front.begin(), result.front.end(), cell) != result.front.end();
}

bool hasTime(const study::Measured& m) {
    return m.status == wire::RunStatus::Done && m.stepMs.n > 0;
}

std::string cellStatus(const study::SweepResult& result, std::size_t cell) {
    if (!result.cells[cell].problem.empty()) {
        return "cannot be run";
    }
    const study::Measured& m = result.measured[cell];
    return m.name.empty() ? "not run" : std::string(wire::statusKey(m.status));
}

std::string sweepCsv(const study::SweepResult& result) {
    std::string text = "cell";
    for (const study::Axis& axis : result.sweep.axes) {
        text += "," + base::csvField(axis.name);
    }
    text +=
        ",status,why,peak_allocated_bytes,peak_reserved_bytes,step_ms,step_ms_low,step_ms_high,repeats,tight,"
        "on_front,place,device_name\r\n";
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        const study::Cell& cell = result.cells[c];
        const study::Measured& m = result.measured[c];
        text += base::csvField(cell.subject.name);
        for (const std::string& word : cell.words) {
            text += "," + base::csvField(word);
        }
        const auto bytes = [](base::Bytes value) { return value > 0 ? std::to_string(value) : ""; };
        text += fmt::format(",{},{},{},{},", cellStatus(result, c),
                            base::csvField(cell.problem.empty() ? m.why : cell.problem),
                            bytes(m.result.peakAllocated), bytes(m.result.peakReserved));
        text += hasTime(m) ? fmt::format("{},{},{},{},{},", m.stepMs.median, m.stepMs.low, m.stepMs.high,
                                         m.stepMs.n, m.tight ? "yes" : "no")
                           : ",,,,,";
        text += fmt::format("{},{},{}\r\n", onFront(result, c) ? "yes" : "no", base::csvField(m.place),
                            base::csvField(m.result.environment.deviceName));
    }
    return text;
}

}  // namespace highwater::report
