#include "app/desktop/run/pretended_twin.h"

#include <QObject>
#include <algorithm>

#include "app/desktop/run/live_values.h"

namespace highwater::desktop {

const runs::RunSummary* pretendedTwin(const std::vector<runs::RunSummary>& rows, const std::string& command,
                                      const std::string& gpu) {
    const runs::RunSummary* newest = nullptr;
    for (const runs::RunSummary& row : rows) {
        if (row.status == wire::RunStatus::Done && row.device == "pretended " + gpu && row.name == command &&
            (!newest || row.number > newest->number)) {
            newest = &row;
        }
    }
    return newest;
}

std::optional<widgets::Forecast> forecastOfTwin(const runs::RunRecord& twin) {
    const wire::StepDone* highest = nullptr;
    for (const wire::Event& event : twin.events) {
        if (const auto* step = std::get_if<wire::StepDone>(&event);
            step && !step->timeline.empty() &&
            (!highest || step->peak.ledger.total() > highest->peak.ledger.total())) {
            highest = step;
        }
    }
    if (!highest) {
        return std::nullopt;
    }
    widgets::Forecast forecast;
    forecast.device = QString::fromStdString(environmentOf(twin).deviceName);
    forecast.name = QObject::tr("pretended, run #%1").arg(twin.summary.number);
    forecast.peak = toPeakInfo(highest->peak);
    forecast.peakLow = forecast.peakHigh = highest->peak.ledger.total();
    const auto spans = toSpans(highest->marks);
    forecast.timed = false;  // its times are those of a host that executes nothing: only the order counts
    for (const widgets::MemoryPoint& point : toPoints(highest->timeline)) {
        const widgets::PhaseSpan* span = widgets::spanAt(spans, point.ms);
        const base::Bytes total = point.ledger.total();
        forecast.points.push_back({static_cast<double>(forecast.points.size()), point.ledger, total, total,
                                   span ? span->phase : widgets::kSetupPhase});
    }
    return forecast;
}

}  // namespace highwater::desktop
