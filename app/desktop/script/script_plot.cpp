#include "app/desktop/script/script_plot.h"

#include <algorithm>

#include "app/desktop/run/live_values.h"
#include "widgets/plot/plot_data.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kLeastScriptChart = 120, kLeastScriptMargin = 48;
constexpr std::size_t kMostScriptSamples = 20000;  // more than an hour of them

/// A step by the order of its allocations: its times are those of a host that had nothing to wait for.
widgets::MemoryTrack inOrder(const wire::StepDone& step) {
    widgets::MemoryTrack track;
    track.step = step.index;
    track.timed = false;
    track.points = toPoints(step.timeline);
    track.spans = toSpans(step.marks);
    track.peak = toPeakInfo(step.peak);
    const auto orderOf = [&](double ms) {
        const auto at = std::ranges::lower_bound(step.timeline, ms, {}, &wire::TimelinePoint::time);
        return static_cast<double>(at - step.timeline.begin());
    };
    for (widgets::PhaseSpan& span : track.spans) {
        span.startMs = orderOf(span.startMs);
    }
    for (std::size_t i = 0; i < track.points.size(); ++i) {
        track.points[i].ms = static_cast<double>(i);
        if (track.points[i].ledger.total() == track.peak->ledger.total()) {
            track.peak->ms = static_cast<double>(i);
        }
    }
    return track;
}

}  // namespace

ScriptPlot::ScriptPlot(QWidget* cardHost, QWidget* parent)
    : PlotPanel(tr("Memory of the script"), true, cardHost, parent) {
    setLeastChart(kLeastScriptChart);
    setData([this] { return widgets::memoryData(track_); });
    chart().setCards([this](double ms) {
        widgets::MemoryTrack track = track_;
        track.outline.clear();  // it is not what is allocated at that time
        return widgets::memoryCard(shape_, track, ms);
    });
    connect(&chart(), &widgets::Chart::viewRequested, this, [this](double from, double to) {
        view_ = {std::max(from, track_.begin()), std::min(to, track_.end())};
        draw();
    });
    connect(&chart(), &widgets::Chart::resetRequested, this, [this] {
        view_.reset();
        draw();
    });
    connect(&chart(), &widgets::Chart::resized, this, &ScriptPlot::draw);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this, &ScriptPlot::draw);
}

void ScriptPlot::clear(const QString& hint) {
    shape_ = {};
    track_ = {};
    highest_.reset();
    refused_.reset();
    view_.reset();
    most_ = 0;
    step_ = 0;
    hint_ = hint;
    setTitle(tr("Memory of the script"));
    draw();
}

void ScriptPlot::take(const wire::Event& event) {
    if (const auto* started = std::get_if<wire::Started>(&event)) {
        shape_ = toRunShape(*started);
    } else if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
        addSample(*sample);
        draw();
    } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
        addStep(*step);
    } else if (const auto* failed = std::get_if<wire::Failed>(&event);
               failed && failed->status == wire::RunStatus::OutOfMemory) {
        refused_ = *failed;
    }
}

void ScriptPlot::addSample(const wire::LedgerSample& sample) {
    if (track_.points.empty()) {
        began_ = sample.time;
        track_.step = 0;
        track_.live = true;
        track_.outlineName = tr("most so far");
        setTitle(tr("Memory so far"));
    }
    if (track_.points.size() >= kMostScriptSamples) {
        return;
    }
    widgets::MemoryPoint point = toPoint(sample);
    if (!track_.points.empty() && point.phase != widgets::kSetupPhase &&
        track_.points.back().phase == widgets::kSetupPhase) {  // the wait for CUDA says nothing
        track_.points.clear();
        track_.spans.clear();
        track_.outline.clear();
        began_ = sample.time;
    }
    point.ms = std::max(point.ms - began_, track_.points.empty() ? 0.0 : track_.points.back().ms);
    if (track_.spans.empty() || track_.spans.back().phase != point.phase) {
        track_.spans.push_back({point.ms, point.phase});
    }
    track_.points.push_back(point);
    if (sample.high > most_ || track_.outline.empty()) {
        most_ = sample.high;
        const auto most = static_cast<double>(most_);
        track_.outline.push_back({point.ms, most, most, most});
    }
    step_ = sample.step;
}

void ScriptPlot::addStep(const wire::StepDone& step) {
    const bool last = refused_.has_value();  // memory ran out in the last one
    if (!step.timeline.empty() &&
        (!highest_ || last || step.peak.ledger.total() > highest_->peak.ledger.total())) {
        highest_ = step;
    }
}

void ScriptPlot::finish(const QString& hint) {
    hint_ = hint;
    view_.reset();
    if (highest_) {
        track_ = inOrder(*highest_);
        setTitle(tr("Memory in the step with the peak"));
    }
    track_.live = false;
    if (refused_ && !track_.points.empty()) {
        track_.step = refused_->step;
        track_.refusal = toRefusal(*refused_, {});
        track_.refusedAt = track_.peak ? track_.peak->ms : track_.points.back().ms;
        track_.refusal->ledger =
            track_.peak ? track_.peak->ledger : track_.points.back().ledger;  // the script does not know it
        track_.refusal->phase = track_.peak ? track_.peak->phase : track_.points.back().phase;
        setTitle(tr("Memory when it ran out"));
    }
    draw();
}

/// "step 2 of 3, backward · 1.20 GiB now, 1.43 GiB at most"
QString ScriptPlot::noteOfNow() const {
    const widgets::MemoryPoint& now = track_.points.back();
    return tr("%1, %2 · %3 now, %4 at most")
        .arg(shape_.stepName(step_), widgets::phaseName(now.phase), widgets::bytesText(now.ledger.total()),
             widgets::bytesText(std::max(most_, now.ledger.total())));
}

void ScriptPlot::draw() {
    if (track_.points.empty()) {
        widgets::ChartScene scene;
        scene.hint = hint_;
        chart().setScene(std::move(scene));
        setNote({});
        setLegend({});
        return;
    }
    const auto [from, to] = view_.value_or(std::pair(track_.begin(), track_.end()));
    for (int turn = 0; turn < 3; ++turn) {  // a new margin changes the width of the plot
        const QSizeF plot = chart().frame().rect.size().expandedTo(QSizeF(40, 30));
        widgets::ChartScene scene =
            widgets::memoryScene(shape_, track_, from, to, plot, QFontMetricsF(chart().font()));
        if (!track_.timed) {
            for (auto& tick : scene.x.ticks) {
                tick.label.clear();
            }
            if (!scene.x.ticks.empty()) {
                scene.x.ticks[scene.x.ticks.size() / 2].label =
                    tr("allocations, in their order").toStdString();
            }
        }
        chart().setScene(std::move(scene), view_.has_value());
        if (!chart().setLeftMargin(std::max(kLeastScriptMargin, chart().leftMarginNeeded()))) {
            break;
        }
    }
    std::vector<widgets::SeriesStyle> legend = widgets::memoryLegend(track_);
    for (widgets::SeriesStyle& series : legend) {
        if (series.name == track_.outlineName) {
            series.meaning = tr("most so far: the peak in whole blocks, also between two samples");
        }
        if (track_.live && series.name == widgets::categoryName(memory::Category::Temporaries)) {
            series.name = tr("other");
            series.meaning =
                tr("other: activations, gradients and temporaries, which are told apart at the end");
        }
    }
    setLegend(std::move(legend));
    const QString note = track_.live ? noteOfNow() : widgets::memoryNote(shape_, track_);
    const QString figures = note.section(QStringLiteral(" · "), 1);
    setNote(note, {figures, figures.section(QStringLiteral(" in "), 0, 0)});
}

}  // namespace highwater::desktop

#include "moc_script_plot.cpp"
