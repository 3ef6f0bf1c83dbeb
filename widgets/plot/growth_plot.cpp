#include "widgets/plot/growth_plot.h"

#include <QAction>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/plot/forecast.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

using predict::Fits;

constexpr double kLogRoom = 0.8;  ///< start of a logarithmic axis, as a fraction of the smallest value

QColor colorOf(Fits fits) {
    return fits == Fits::Yes ? theme().good : fits == Fits::No ? theme().bad : theme().warning;
}

QString wordOf(Fits fits) {
    return fits == Fits::Yes  ? QObject::tr("fits")
           : fits == Fits::No ? QObject::tr("does not fit")
                              : QObject::tr("may run out");
}

/// The strip above the chart: what fits, in sections that meet halfway between their points.
void addVerdicts(ChartScene& scene, const GrowthCurve& curve) {
    if (curve.capacity <= 0) {
        return;
    }
    double from = scene.from;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const bool last = i + 1 == curve.points.size();
        if (!last && curve.points[i + 1].fits == curve.points[i].fits) {
            continue;
        }
        const double to =
            last ? scene.to : static_cast<double>(curve.points[i].value + curve.points[i + 1].value) / 2;
        scene.regions.push_back({from, to, colorOf(curve.points[i].fits)});
        scene.labels.push_back({from, to, wordOf(curve.points[i].fits)});
        from = to;
    }
}

void addMarks(ChartScene& scene, const GrowthCurve& curve) {
    const auto mark = [&](MarkerKind kind, std::int64_t value, const QString& label) {
        const GrowthPoint* point = growthPointAt(curve, static_cast<double>(value));
        if (point != nullptr && point->value == value) {
            scene.markers.push_back(
                {kind, static_cast<double>(value), static_cast<double>(point->expected), label});
        }
    };
    for (const std::int64_t jump : curve.jumps) {
        mark(MarkerKind::Jump, jump, QString::number(jump));
    }
    if (curve.current) {
        mark(MarkerKind::Now, *curve.current, {});
    }
}

}  // namespace

const GrowthPoint* growthPointAt(const GrowthCurve& curve, double x) {
    const auto nearer = [x](const GrowthPoint& a, const GrowthPoint& b) {
        return std::abs(static_cast<double>(a.value) - x) < std::abs(static_cast<double>(b.value) - x);
    };
    const auto nearest = std::min_element(curve.points.begin(), curve.points.end(), nearer);
    return nearest == curve.points.end() ? nullptr : &*nearest;
}

ChartScene growthScene(const GrowthCurve& curve, StepRange view, QSizeF plot, bool log) {
    ChartScene scene;
    scene.from = view.from;
    scene.to = view.to;
    scene.logX = log && view.from > 0;
    Outline line{{}, view.to, false, false, theme().accent};
    double most = 0, least = HUGE_VAL;
    for (const GrowthPoint& p : curve.points) {
        line.points.push_back({static_cast<double>(p.value), static_cast<double>(p.low),
                               static_cast<double>(p.expected), static_cast<double>(p.high)});
        if (static_cast<double>(p.value) >= view.from && static_cast<double>(p.value) <= view.to) {
            most = std::max(most, static_cast<double>(p.high));
            least = std::min(least, static_cast<double>(p.low));
        }
    }
    scene.outlines.push_back(std::move(line));
    RunShape shape;
    shape.capacity = curve.capacity;
    addMemoryAxis(scene, shape, most, plot.height());
    if (curve.capacity > 0 && scene.lines.empty()) {
        scene.lines.push_back({static_cast<double>(curve.capacity),
                               QObject::tr("device %1").arg(bytesText(curve.capacity)), theme().mutedText,
                               false, true});
    }
    addVerdicts(scene, curve);
    addMarks(scene, curve);
    const int ticks = std::max(2, static_cast<int>(plot.width() / 70));
    scene.x = scene.logX ? axisTicks(scene.spanX(), Measure::Number, ticks)
                         : stepTicks(view.from, view.to, ticks, static_cast<double>(curve.from));
    if (log && least > 0 && least < scene.upper) {
        scene.lower = least * kLogRoom;
        scene.logY = true;
        scene.y = axisTicks(scene.spanY(), Measure::Bytes, ticksIn(plot.height(), 36, 4));
    }
    return scene;
}

QString growthData(const GrowthCurve& curve) {
    std::vector<QStringList> table = {
        {curve.axis, "peak (bytes)", "low (bytes)", "high (bytes)", "fits", "step (ms)"}};
    for (const GrowthPoint& p : curve.points) {
        table.push_back({QString::number(p.value), QString::number(p.expected), QString::number(p.low),
                         QString::number(p.high), curve.capacity > 0 ? wordOf(p.fits) : QString(),
                         p.stepMs > 0 ? exactly(p.stepMs) : QString()});
    }
    return tabbed(table);
}

HoverCard growthCard(const GrowthCurve& curve, double x) {
    HoverCard card;
    const GrowthPoint* point = growthPointAt(curve, x);
    if (point == nullptr) {
        return card;
    }
    card.x = static_cast<double>(point->value);
    card.title =
        QStringLiteral("%1 %2 · %3").arg(curve.axis).arg(point->value).arg(bytesText(point->expected));
    card.note = point->cliff.isEmpty() ? QObject::tr("click: use it") : point->cliff;
    if (const QString band = bandText(point->low, point->high); !band.isEmpty()) {
        card.rows.push_back({{}, QObject::tr("estimate"), band});
    }
    if (curve.capacity > 0) {
        card.rows.push_back({colorOf(point->fits), wordOf(point->fits), bytesText(curve.capacity)});
    }
    if (point->stepMs > 0) {
        card.rows.push_back(
            {{}, QObject::tr("per step"), QString::fromStdString(base::formatMillis(point->stepMs))});
    }
    return card;
}

GrowthPlot::GrowthPlot(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    panel_ = new PlotPanel(tr("Predicted peak"), false, this, this);
    panel_->setToolTip(
        tr("Click: use that value. Wheel: zoom. Drag: zoom into a range. Double-click: show all. Right "
           "click: picture, data, logarithmic axes."));
    layout->addWidget(panel_);
    Chart& chart = panel_->chart();
    chart.setCards([this](double x) { return growthCard(curve_, x); });
    connect(&chart, &Chart::clicked, this, [this](double x) {
        if (const GrowthPoint* point = growthPointAt(curve_, x)) {
            emit valueChosen(point->value);
        }
    });
    connect(&chart, &Chart::viewRequested, this, [this](double from, double to) {
        const StepRange whole{static_cast<double>(curve_.from), static_cast<double>(curve_.to)};
        view_ = fitView(from, to, whole, std::min(1.0, whole.to - whole.from));
        render();
    });
    connect(&chart, &Chart::resetRequested, this, [this] {
        view_.reset();
        render();
    });
    connect(&chart, &Chart::resized, this, &GrowthPlot::render);
    panel_->setData([this] { return growthData(curve_); });
    auto* log = new QAction(tr("Logarithmic axes"), panel_);
    log->setCheckable(true);
    panel_->addAction(log);
    connect(log, &QAction::toggled, this, &GrowthPlot::setLogarithmic);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &GrowthPlot::render);
}

void GrowthPlot::setCurve(GrowthCurve curve) {
    if (curve.axis != curve_.axis || curve.from != curve_.from || curve.to != curve_.to) {
        view_.reset();
    }
    curve_ = std::move(curve);
    render();
}

void GrowthPlot::setLogarithmic(bool on) {
    log_ = on;
    render();
}

void GrowthPlot::setHint(const QString& hint) {
    hint_ = hint;
    render();
}

void GrowthPlot::render() {
    Chart& chart = panel_->chart();
    panel_->setTitle(curve_.axis.isEmpty() ? tr("Predicted peak")
                                           : tr("Predicted peak by %1").arg(curve_.axis));
    panel_->setNote(curve_.device.isEmpty() ? QString() : tr("an estimate for %1").arg(curve_.device));
    if (curve_.points.empty()) {
        ChartScene scene;
        scene.hint = hint_;
        chart.setScene(std::move(scene));
        return;
    }
    StepRange view{static_cast<double>(curve_.from), static_cast<double>(curve_.to)};
    if (view_) {
        view = *view_;
    }
    if (view.to <= view.from) {
        view.to = view.from + 1;
    }
    const auto draw = [&] {
        const QSizeF plot = chart.frame().rect.size().expandedTo(QSizeF(40, 30));
        chart.setScene(growthScene(curve_, view, plot, log_), view_.has_value());
    };
    draw();
    if (chart.setLeftMargin(std::max(48, chart.leftMarginNeeded()))) {
        draw();
    }
}

}  // namespace highwater::widgets

#include "moc_growth_plot.cpp"
