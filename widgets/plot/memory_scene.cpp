#include "widgets/plot/memory_scene.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/plot/decimate.h"
#include "widgets/plot/forecast.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kBudgetReach = 2.5;    ///< a budget above this multiple of the data is not drawn, only named
constexpr double kCapacityReach = 2.0;  ///< a capacity above this multiple of the data is not even named
constexpr double kLabelHeight = 18;     ///< pixels above a line for its name
constexpr double kLeastSeparator = 7;   ///< minimum width in pixels of two phases that get a separator

double total(const memory::Ledger& ledger) {
    return static_cast<double>(ledger.total());
}

/// Merges adjacent spans of one phase, which differ only in the layer.
std::vector<PhaseSpan> mergedPhases(const MemoryTrack& track) {
    std::vector<PhaseSpan> out;
    for (const PhaseSpan& span : track.spans) {
        if (out.empty() || out.back().phase != span.phase) {
            out.push_back(span);
        }
    }
    return out;
}

void addColumns(ChartScene& scene, const MemoryTrack& track, double from, double to, double pixels) {
    std::vector<double> x, y;
    x.reserve(track.points.size());
    y.reserve(track.points.size());
    for (const MemoryPoint& point : track.points) {
        x.push_back(point.ms);
        y.push_back(total(point.ledger));
    }
    const std::vector<std::size_t> kept = decimateMinMax(x, y, from, to, static_cast<int>(pixels));
    scene.columns.reserve(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const double end = i + 1 < kept.size() ? x[kept[i + 1]] : std::max(track.end(), x[kept[i]]);
        scene.columns.push_back({x[kept[i]], end, runningSums(track.points[kept[i]].ledger), false});
    }
}

/// Backward and recompute share one label if they alternate too quickly to label each.
void addSharedLabels(ChartScene& scene, const std::vector<PhaseSpan>& phases, const MemoryTrack& track) {
    constexpr int kRecompute = 2, kBackward = 3;
    const auto shared = [](int phase) { return phase == kRecompute || phase == kBackward; };
    for (std::size_t i = 0; i < phases.size();) {
        std::size_t j = i + 1;
        while (shared(phases[i].phase) && j < phases.size() && shared(phases[j].phase)) {
            ++j;
        }
        const double end = j < phases.size() ? phases[j].startMs : track.end();
        const QString text = j > i + 1 ? QObject::tr("recompute and backward") : phaseName(phases[i].phase);
        scene.labels.push_back({phases[i].startMs, end, text});
        i = j;
    }
}

void addPhases(ChartScene& scene, const MemoryTrack& track, double pixelsPerMs,
               const QFontMetricsF& metrics) {
    const std::vector<PhaseSpan> phases = mergedPhases(track);
    double lastSeparator = -1e300;
    bool allFit = true;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const double from = phases[i].startMs;
        const double to = i + 1 < phases.size() ? phases[i + 1].startMs : track.end();
        const int phase = phases[i].phase;
        const QColor color = phase >= 0 && phase < kPhaseCount
                                 ? theme().phase[static_cast<std::size_t>(phase)]
                                 : theme().border;
        scene.regions.push_back({from, to, color});
        if (i > 0 && (from - lastSeparator) * pixelsPerMs >= kLeastSeparator &&
            (to - from) * pixelsPerMs >= kLeastSeparator) {
            scene.separators.push_back(from);
            lastSeparator = from;
        }
        if (phase == 2 || phase == 3) {
            allFit = allFit && (to - from) * pixelsPerMs >= metrics.horizontalAdvance(phaseName(phase)) + 8;
        }
    }
    if (!allFit) {
        addSharedLabels(scene, phases, track);
        return;
    }
    for (std::size_t i = 0; i < phases.size(); ++i) {
        scene.labels.push_back({scene.regions[i].from, scene.regions[i].to, phaseName(phases[i].phase)});
    }
}

}  // namespace

Marker refusedMarker(const Refusal& refusal, double x, const QString& label) {
    return {MarkerKind::Refused, x, total(refusal.ledger), label.arg(bytesText(refusal.requested)),
            static_cast<double>(refusal.requested)};
}

namespace {

void addMarkers(ChartScene& scene, const MemoryTrack& track) {
    if (track.refusal && !track.points.empty()) {
        scene.markers.push_back(
            refusedMarker(*track.refusal, track.refusedAt, QObject::tr("refused %1 here")));
    } else if (track.peak) {
        scene.markers.push_back(
            {MarkerKind::Peak, track.peak->ms, total(track.peak->ledger),
             (track.peak->inFirstStep ? QObject::tr("%1 in the first step") : QStringLiteral("%1"))
                 .arg(bytesText(track.peak->ledger.total()))});
    }
    if (track.now) {
        scene.markers.push_back({MarkerKind::Now, track.now->ms, total(track.now->ledger), {}});
    }
}

/// The allocator's reserved bytes, if known: a point wherever they change.
std::vector<OutlinePoint> reservedOutline(const MemoryTrack& track) {
    std::vector<OutlinePoint> outline;
    for (const MemoryPoint& point : track.points) {
        const auto reserved = static_cast<double>(point.reserved);
        if (reserved > 0 && (outline.empty() || outline.back().y != reserved)) {
            outline.push_back({point.ms, reserved, reserved, reserved});
        }
    }
    return outline;
}

QColor reservedColor() {
    return theme().device[1];
}

/// Predicted values are paler than measured ones.
QColor pale(const QColor& color) {
    constexpr float kKept = 0.62F;
    const QColor& ground = theme().panel;
    const auto mix = [](float a, float b) { return a * kKept + b * (1 - kKept); };
    return QColor::fromRgbF(mix(color.redF(), ground.redF()), mix(color.greenF(), ground.greenF()),
                            mix(color.blueF(), ground.blueF()));
}

void addOutline(ChartScene& scene, const MemoryTrack& track) {
    if (auto reserved = reservedOutline(track); !reserved.empty()) {
        scene.outlines.push_back({std::move(reserved), track.end(), true, false, reservedColor()});
    }
    if (!track.outline.empty()) {
        scene.outlines.push_back({track.outline, track.end(), true, true, theme().text});
    }
    if (track.predicted) {
        for (SeriesStyle& series : scene.series) {
            series.color = pale(series.color);
        }
    }
}

void addPredictedRows(HoverCard& card, const MemoryTrack& track, base::Bytes measured) {
    const OutlinePoint* point = outlineAt(track.outline, card.x);
    if (point == nullptr) {
        return;
    }
    const auto predicted = static_cast<base::Bytes>(point->y);
    if (const QString band =
            bandText(static_cast<base::Bytes>(point->low), static_cast<base::Bytes>(point->high));
        !band.isEmpty()) {
        card.rows.push_back({{}, QObject::tr("estimate"), band});
    }
    if (track.predicted) {
        return;
    }
    const bool named = !track.outlineName.isEmpty();
    card.rows.push_back(
        {theme().text, named ? track.outlineName : QObject::tr("predicted"), bytesText(predicted)});
    const base::Bytes residual = measured - predicted;
    QString text = (residual > 0 ? QStringLiteral("+") : QString()) + bytesText(residual);
    if (residual == 0) {
        text = QObject::tr("none");
    } else if (predicted > 0) {
        text += QStringLiteral(" (%1 %)").arg(
            100.0 * static_cast<double>(residual) / static_cast<double>(predicted), 0, 'f', 1);
    }
    card.rows.push_back(
        {{}, named ? QObject::tr("measured − pretended") : QObject::tr("measured − predicted"), text});
}

}  // namespace

double MemoryTrack::end() const {
    double last = points.empty() ? 0.0 : points.back().ms;
    if (!spans.empty()) {
        last = std::max(last, spans.back().startMs);
    }
    return last > begin() ? last : begin() + 1.0;
}

const PhaseSpan* spanAt(std::span<const PhaseSpan> spans, double ms) {
    const auto after = std::upper_bound(spans.begin(), spans.end(), ms,
                                        [](double at, const PhaseSpan& s) { return at < s.startMs; });
    return after == spans.begin() ? nullptr : &*std::prev(after);
}

const MemoryPoint* pointAt(std::span<const MemoryPoint> points, double ms) {
    if (points.empty()) {
        return nullptr;
    }
    const auto after = std::upper_bound(points.begin(), points.end(), ms,
                                        [](double at, const MemoryPoint& p) { return at < p.ms; });
    return after == points.begin() ? &points.front() : &*std::prev(after);
}

QString bytesText(base::Bytes bytes) {
    return QString::fromStdString(base::formatBytes(bytes));
}

std::vector<SeriesStyle> categoryStyles() {
    std::vector<SeriesStyle> out;
    for (const memory::Category c : memory::kCategories) {
        out.push_back({categoryName(c), theme().of(c), categoryMeaning(c)});
    }
    return out;
}

std::array<double, kMaxSeries> runningSums(const memory::Ledger& ledger) {
    std::array<double, kMaxSeries> sums{};
    double sum = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sum += static_cast<double>(std::max<base::Bytes>(0, ledger.bytes[i]));
        sums[i] = sum;
    }
    return sums;
}

void addMemoryAxis(ChartScene& scene, const RunShape& run, double most, double height) {
    const double data = std::max(most, 1024.0);
    double upper = data * 1.06;
    const auto add = [&](double at, const QString& name, const QColor& color, bool dashed, double reach) {
        const bool near = at <= reach * data;
        if (near) {
            upper = std::max(upper, at / (1 - kLabelHeight / std::max(height, 3 * kLabelHeight)));
        }
        if (near || dashed) {
            scene.lines.push_back(
                {at, name.arg(bytesText(static_cast<base::Bytes>(at))), color, dashed, !near});
        }
    };
    if (run.budget) {
        add(static_cast<double>(*run.budget), QObject::tr("budget %1"), theme().bad, true, kBudgetReach);
    }
    if (run.capacity > 0) {
        add(static_cast<double>(run.capacity), QObject::tr("device %1"), theme().mutedText, false,
            kCapacityReach);
    }
    const int intervals = ticksIn(height, 36, 4);
    const double quantum = binaryTicks(upper, intervals).step / 4;
    scene.upper = quantum > 0 ? std::ceil(upper / quantum) * quantum : upper;
    scene.y = binaryTicks(scene.upper, intervals);
}

ChartScene memoryScene(const RunShape& run, const MemoryTrack& track, double from, double to, QSizeF plot,
                       const QFontMetricsF& metrics) {
    ChartScene scene;
    scene.from = from;
    scene.to = to;
    scene.series = categoryStyles();
    addColumns(scene, track, from, to, plot.width());
    double most =
        track.refusal ? static_cast<double>(track.refusal->ledger.total() + track.refusal->requested) : 0.0;
    for (const MemoryPoint& point : track.points) {
        most = std::max({most, total(point.ledger), static_cast<double>(point.reserved)});
    }
    if (track.peak) {
        most = std::max(most, total(track.peak->ledger));
    }
    if (track.now) {
        most = std::max(most, total(track.now->ledger));
    }
    for (const OutlinePoint& point : track.outline) {
        most = std::max(most, std::min(point.high, 1.5 * point.y));
    }
    addMemoryAxis(scene, run, most, plot.height());
    addOutline(scene, track);
    addPhases(scene, track, plot.width() / (to - from), metrics);
    addMarkers(scene, track);
    const int ticks = std::max(2, static_cast<int>(plot.width() / 90));
    scene.x = track.timed ? timeTicks(from, to, ticks) : stepTicks(from, to, ticks, 0);
    if (!scene.x.ticks.empty()) {
        scene.x.ticks.front().label +=
            ' ' + (track.timed ? scene.x.unit : QObject::tr("events").toStdString());
    }
    return scene;
}

void addLedgerRows(HoverCard& card, const memory::Ledger& ledger) {
    for (auto c = memory::kCategories.rbegin(); c != memory::kCategories.rend(); ++c) {
        if (ledger[*c] != 0) {
            card.rows.push_back({theme().of(*c), categoryName(*c), bytesText(ledger[*c])});
        }
    }
}

HoverCard memoryCard(const RunShape& run, const MemoryTrack& track, double ms) {
    HoverCard card;
    card.x = std::clamp(ms, track.begin(), track.end());
    const MemoryPoint* point = pointAt(track.points, card.x);
    if (point == nullptr) {
        return card;
    }
    card.title = (track.predicted ? QObject::tr("%1 · predicted %2") : QStringLiteral("%1 · %2"))
                     .arg(track.timed ? QString::fromStdString(base::formatMillis(card.x))
                                      : QObject::tr("event %1").arg(static_cast<qint64>(card.x)),
                          bytesText(point->ledger.total()));
    if (const PhaseSpan* span = spanAt(track.spans, card.x)) {
        card.note = run.where(span->phase, span->layer);
    }
    if (point->reserved > 0) {
        card.rows.push_back({reservedColor(), QObject::tr("reserved"), bytesText(point->reserved)});
    }
    addLedgerRows(card, point->ledger);
    addPredictedRows(card, track, point->ledger.total());
    return card;
}

QString memoryNote(const RunShape& run, const MemoryTrack& track) {
    if (track.step < 0) {
        return {};
    }
    QString note = run.stepName(track.step);
    if (track.refusal) {
        return note + QStringLiteral(" · ") +
               QObject::tr("refused %1 in %2, holding %3")
                   .arg(bytesText(track.refusal->requested),
                        run.where(track.refusal->phase, track.refusal->layer),
                        bytesText(track.refusal->ledger.total()));
    }
    if (track.live && !track.points.empty()) {
        return note + QStringLiteral(" · ") +
               QObject::tr("%1 now, running for %2")
                   .arg(bytesText(track.points.back().ledger.total()),
                        QString::fromStdString(base::formatMillis(track.points.back().ms)));
    }
    if (track.peak) {
        note += QStringLiteral(" · ") + QObject::tr("peak %1 in %2")
                                            .arg(bytesText(track.peak->ledger.total()),
                                                 run.where(track.peak->phase, track.peak->layer));
    }
    return note;
}

std::vector<SeriesStyle> memoryLegend(const MemoryTrack& track) {
    constexpr double kLines = 1e30;  // lines over the areas are in every legend
    std::vector<SeriesStyle> out;
    for (const memory::Category c : memory::kCategories) {
        base::Bytes most = 0;
        for (const MemoryPoint& point : track.points) {
            most = std::max(most, point.ledger[c]);
        }
        if (most != 0) {
            out.push_back(
                {categoryName(c), track.predicted ? pale(theme().of(c)) : theme().of(c), categoryMeaning(c)});
            out.back().weight = static_cast<double>(most);
        }
    }
    if (std::any_of(track.points.begin(), track.points.end(),
                    [](const MemoryPoint& p) { return p.reserved > 0; })) {
        out.push_back({QObject::tr("reserved"), reservedColor(),
                       QObject::tr("reserved: memory that the allocator has reserved on the GPU; beyond "
                                   "the tensors it is rounding, split and cache"),
                       true, false, 0, kLines});
    }
    if (!track.outline.empty()) {
        if (std::ranges::any_of(track.outline, [](const OutlinePoint& p) { return p.high > p.low; })) {
            out.push_back({QObject::tr("range"), bandColor(theme().text),
                           QObject::tr("range: contains the total in 95 of 100 cases")});
        }
        out.push_back(track.outlineName.isEmpty()
                          ? SeriesStyle{QObject::tr("predicted"), theme().text,
                                        QObject::tr("predicted: the estimated total; the light band should "
                                                    "contain it in 95 of 100 cases"),
                                        true, true, 0, kLines}
                          : SeriesStyle{track.outlineName, theme().text,
                                        QObject::tr("pretended: the total of the same script on a pretended "
                                                    "GPU, in its step with the highest peak"),
                                        true, true, 0, kLines});
    }
    return out;
}

}  // namespace highwater::widgets
