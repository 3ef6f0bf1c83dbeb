#include "widgets/plot/steps_scene.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

/// A warm-up step longer than this multiple of the others is clipped, so that it does not compress them.
constexpr double kWarmupReach = 2.0;

double sum(const std::array<double, kPhaseCount>& ms) {
    return std::accumulate(ms.begin(), ms.end(), 0.0);
}

Column columnOf(const RunShape& run, const StepGroup& group, long long perBar) {
    Column column;
    const long long first = group.first / perBar * perBar;
    column.from = run.stepPosition(static_cast<int>(first)) - 0.5;
    column.to = column.from + static_cast<double>(perBar);
    column.faded = group.warmup;
    return column;
}

const StepGroup* groupAt(const RunShape& run, std::span<const StepGroup> groups, double x) {
    const StepGroup* best = nullptr;
    double nearest = 0;
    for (const StepGroup& group : groups) {
        const double low = run.stepPosition(group.first) - 0.5;
        const double high = run.stepPosition(group.last) + 0.5;
        const double distance = std::max({0.0, low - x, x - high});
        if (best == nullptr || distance < nearest) {
            best = &group;
            nearest = distance;
        }
    }
    return best;
}

QString groupName(const RunShape& run, const StepGroup& group) {
    if (group.first == group.last) {
        return run.stepName(group.first);
    }
    const auto at = [&run](int index) { return static_cast<long long>(run.stepPosition(index)); };
    if (group.warmup) {
        return QObject::tr("warm-up %1–%2").arg(group.first + 1).arg(group.last + 1);
    }
    return QObject::tr("steps %1–%2").arg(std::max(1LL, at(group.first))).arg(at(group.last));
}

QString warmupWord(const StepGroup& group) {
    return group.warmup ? QObject::tr("warm-up: not counted in the results") : QString();
}

double middle(const RunShape& run, const StepGroup& group) {
    return (run.stepPosition(group.first) + run.stepPosition(group.last)) / 2;
}

QString millisText(double ms) {
    return QString::fromStdString(base::formatMillis(ms));
}

std::vector<SeriesStyle> phaseStyles() {
    std::vector<SeriesStyle> out;
    for (int p = 0; p < kPhaseCount; ++p) {
        out.push_back({phaseName(p), theme().phase[static_cast<std::size_t>(p)], phaseMeaning(p)});
    }
    return out;
}

}  // namespace

void setStepAxis(ChartScene& scene, double first, StepRange view, double width) {
    constexpr double kWordWidth = 62;
    scene.kind = ChartScene::Kind::Bars;
    scene.from = view.from;
    scene.to = view.to;
    scene.x = stepTicks(view.from, view.to, std::max(2, static_cast<int>(width / 70)));
    const double begin = std::max(view.from, first - 0.5);
    if ((0.5 - begin) * width / (view.to - view.from) >= kWordWidth) {
        scene.x.ticks.insert(scene.x.ticks.begin(),
                             {(begin + 0.5) / 2, QObject::tr("warm-up").toStdString()});
    }
}

ChartScene peakScene(const RunShape& run, std::span<const StepGroup> groups, long long perBar,
                     const std::optional<Refusal>& refusal, StepRange view, QSizeF plot) {
    ChartScene scene;
    setStepAxis(scene, run.stepPosition(0), view, plot.width());
    scene.series = categoryStyles();
    double most = 0;
    for (const StepGroup& group : groups) {
        Column column = columnOf(run, group, perBar);
        column.tops = runningSums(group.highest->peak);
        most = std::max(most, column.tops.back());
        scene.columns.push_back(column);
    }
    if (refusal) {
        most = std::max(most, static_cast<double>(refusal->ledger.total() + refusal->requested));
        scene.markers.push_back(
            refusedMarker(*refusal, run.stepPosition(refusal->step), QObject::tr("refused %1")));
    }
    addMemoryAxis(scene, run, most, plot.height());
    return scene;
}

ChartScene timeScene(const RunShape& run, std::span<const StepGroup> groups, long long perBar, StepRange view,
                     QSizeF plot) {
    ChartScene scene;
    setStepAxis(scene, run.stepPosition(0), view, plot.width());
    scene.series = phaseStyles();
    double measured = 0, warmup = 0;
    for (const StepGroup& group : groups) {
        Column column = columnOf(run, group, perBar);
        double top = 0;
        for (std::size_t p = 0; p < kPhaseCount; ++p) {
            column.tops[p] = top += group.meanMs[p];
        }
        (group.warmup ? warmup : measured) = std::max(group.warmup ? warmup : measured, top);
        scene.columns.push_back(column);
    }
    const bool cut = measured > 0 && warmup > kWarmupReach * measured;
    const double most = std::max(cut ? measured * 1.3 : std::max(measured, warmup), 1e-3);
    const int intervals = ticksIn(plot.height(), 32, 3);
    scene.upper = most * 1.06;
    const double quantum = timeTicks(0, scene.upper, intervals).step / 2;
    scene.upper = quantum > 0 ? std::ceil(scene.upper / quantum) * quantum : scene.upper;
    scene.y = timeTicks(0, scene.upper, intervals);
    for (const StepGroup& group : groups) {
        if (cut && sum(group.meanMs) > scene.upper) {
            scene.markers.push_back(
                {MarkerKind::Clipped, middle(run, group), 0, millisText(sum(group.meanMs))});
        }
    }
    return scene;
}

HoverCard peakCard(const RunShape& run, std::span<const StepGroup> groups, double x) {
    HoverCard card;
    const StepGroup* group = groupAt(run, groups, x);
    if (group == nullptr) {
        return card;
    }
    card.x = middle(run, *group);
    const bool merged = group->first != group->last;
    card.title = (merged ? QObject::tr("%1 · highest %2") : QStringLiteral("%1 · %2"))
                     .arg(groupName(run, *group), bytesText(group->highest->peak.total()));
    card.note = warmupWord(*group);
    if (merged) {
        card.note = QObject::tr("in %1").arg(run.stepName(group->highest->index));
    }
    addLedgerRows(card, group->highest->peak);
    return card;
}

HoverCard timeCard(const RunShape& run, std::span<const StepGroup> groups, double x) {
    HoverCard card;
    const StepGroup* group = groupAt(run, groups, x);
    if (group == nullptr) {
        return card;
    }
    card.x = middle(run, *group);
    const bool merged = group->first != group->last;
    card.title = (merged ? QObject::tr("%1 · mean %2") : QStringLiteral("%1 · %2"))
                     .arg(groupName(run, *group), millisText(sum(group->meanMs)));
    card.note = warmupWord(*group);
    const bool hosted = sum(group->meanHostMs) > 0;
    if (hosted && group->hostSlower) {
        card.note += (card.note.isEmpty() ? QString() : QStringLiteral(" · ")) +
                     QObject::tr("the GPU waits for the host");
    }
    for (int p = kPhaseCount - 1; p >= 0; --p) {
        const double ms = group->meanMs[static_cast<std::size_t>(p)];
        const double host = group->meanHostMs[static_cast<std::size_t>(p)];
        if (ms > 0 || host > 0) {
            card.rows.push_back({theme().phase[static_cast<std::size_t>(p)], phaseName(p),
                                 hosted
                                     ? QObject::tr("GPU %1 · host %2").arg(millisText(ms), millisText(host))
                                     : millisText(ms)});
        }
    }
    if (hosted) {
        card.rows.push_back({{},
                             QObject::tr("together"),
                             QObject::tr("GPU %1 · host %2")
                                 .arg(millisText(sum(group->meanMs)), millisText(sum(group->meanHostMs)))});
    }
    return card;
}

QString summaryNote(const base::Interval& stepMs, double throughput, const QString& predicted) {
    if (stepMs.n <= 0 || !(stepMs.median > 0)) {
        return predicted;
    }
    const auto text = [](double ms) { return QString::fromStdString(base::formatMillis(ms)); };
    QString note =
        QObject::tr("%1 per step (%2 to %3)").arg(text(stepMs.median), text(stepMs.low), text(stepMs.high));
    if (!predicted.isEmpty()) {
        note += QStringLiteral(", ") + predicted;
    }
    if (throughput > 0) {
        note += QStringLiteral(" · ") +
                QObject::tr("%1 samples/s").arg(QString::fromStdString(base::formatNumber(throughput)));
    }
    return note + QStringLiteral(" · n = %1").arg(stepMs.n);
}

QString highestNote(const RunShape& run, std::span<const StepBar> steps) {
    if (steps.empty()) {
        return {};
    }
    const auto highest = std::max_element(steps.begin(), steps.end(), [](const StepBar& a, const StepBar& b) {
        return a.peak.total() < b.peak.total();
    });
    return QObject::tr("highest %1 in %2")
        .arg(bytesText(highest->peak.total()), run.stepName(highest->index));
}

std::vector<SeriesStyle> phaseLegend(std::span<const StepGroup> groups) {
    std::vector<SeriesStyle> out;
    const std::vector<SeriesStyle> styles = phaseStyles();
    for (std::size_t p = 0; p < styles.size(); ++p) {
        double all = 0;
        for (const StepGroup& group : groups) {
            all += group.meanMs[p];
        }
        if (all > 0) {
            out.push_back(styles[p]);
            out.back().weight = all;
        }
    }
    return out;
}

}  // namespace highwater::widgets
