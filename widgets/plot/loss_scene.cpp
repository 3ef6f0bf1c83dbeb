#include "widgets/plot/loss_scene.h"

#include <algorithm>
#include <cmath>

#include "widgets/plot/decimate.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/steps_scene.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

/// The loss at a position on the step axis; NaN if there is none.
double lossAt(const LossCurve& curve, double position) {
    const double step = std::round(position + curve.warmup - 1);
    return step >= 0 && step < static_cast<double>(curve.losses.size())
               ? curve.losses[static_cast<std::size_t>(step)]
               : std::nan("");
}

/// Whether two curves could not be told apart over most of the steps that they share.
bool coincide(const LossCurve& a, const LossCurve& b, double height) {
    constexpr double kNear = 0.01;
    int shared = 0, near = 0;
    for (std::size_t i = 0; i < a.losses.size(); ++i) {
        const double other = lossAt(b, a.position(i)), own = a.losses[i];
        if (std::isfinite(own) && std::isfinite(other)) {
            ++shared;
            near += std::abs(own - other) <= kNear * height ? 1 : 0;
        }
    }
    return shared > 0 && 2 * near > shared;
}

/// For each curve, the number of earlier curves that it coincides with.
std::vector<int> coverings(std::span<const LossCurve> curves) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const LossCurve& curve : curves) {
        for (const double loss : curve.losses) {
            low = std::isfinite(loss) ? std::min(low, loss) : low;
            high = std::isfinite(loss) ? std::max(high, loss) : high;
        }
    }
    std::vector<int> over;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        over.push_back(static_cast<int>(
            std::count_if(curves.begin(), curves.begin() + static_cast<std::ptrdiff_t>(i),
                          [&](const LossCurve& other) { return coincide(curves[i], other, high - low); })));
    }
    return over;
}

Outline lineOf(const LossCurve& curve, StepRange view, int pixels) {
    std::vector<double> x(curve.losses.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = curve.position(i);
    }
    Outline line{{}, view.to, false, false, curveColor(curve.color)};
    for (const std::size_t i : decimateMinMax(x, curve.losses, view.from, view.to, pixels)) {
        const double y = curve.losses[i];
        line.points.push_back({x[i], y, y, y});
    }
    return line;
}

void setLossAxis(ChartScene& scene, double low, double high, double height, bool log) {
    const int intervals = std::max(3, static_cast<int>(height / 32));
    scene.logY = log && low > 0;
    if (scene.logY) {
        scene.lower = low / 1.2;
        scene.upper = std::max(high * 1.2, scene.lower * 2);
        scene.y = axisTicks(scene.spanY(), Measure::Number, intervals);
        return;
    }
    const double room = high > low ? (high - low) * 0.06 : std::max(std::abs(high) * 0.1, 1e-6);
    scene.lower = low >= 0 ? std::max(0.0, low - room) : low - room;
    scene.upper = high + room;
    scene.y = roundTicks(scene.lower, scene.upper, intervals);
}

}  // namespace

QColor curveColor(int number) {
    const QColor accent = theme().accent;
    if (number <= 0) {
        return accent;
    }
    constexpr double kGolden = 0.61803398875;  // golden ratio: hues stay distinct for any number of curves
    float h = 0, s = 0, l = 0;
    accent.getHslF(&h, &s, &l);
    const double hue = std::fmod(h + number * kGolden, 1.0);
    return QColor::fromHslF(static_cast<float>(hue), std::min(s, 0.75F), theme().dark ? 0.66F : 0.42F);
}

QString lossText(double loss) {
    return QString::number(loss, 'g', 4);
}

StepRange lossRange(std::span<const LossCurve> curves) {
    StepRange range{1, 1};
    bool any = false;
    for (const LossCurve& curve : curves) {
        if (curve.losses.empty()) {
            continue;
        }
        const double from = curve.position(0), to = curve.position(curve.losses.size() - 1);
        range = any ? StepRange{std::min(range.from, from), std::max(range.to, to)} : StepRange{from, to};
        any = true;
    }
    return {range.from - 0.5, range.to + 0.5};
}

ChartScene lossScene(std::span<const LossCurve> curves, StepRange view, QSizeF plot, bool log) {
    ChartScene scene;
    setStepAxis(scene, lossRange(curves).from + 0.5, view, plot.width());
    if (view.from < 0.5) {
        scene.separators.push_back(0.5);  // steps before it are warm-up
    }
    double low = HUGE_VAL, high = -HUGE_VAL;
    const std::vector<int> over = coverings(curves);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        Outline line = lineOf(curves[i], view, std::max(1, static_cast<int>(plot.width())));
        line.over = over[i];
        for (const OutlinePoint& point : line.points) {
            low = std::min(low, point.y);
            high = std::max(high, point.y);
        }
        if (line.points.size() == 1) {
            const OutlinePoint& only = line.points.front();
            scene.data.push_back({DataSeries::Kind::Points, {{only.x, only.y, only.y, only.y}}, line.color});
        }
        scene.outlines.push_back(std::move(line));
    }
    // The first curve is on top, except for dashed ones, which coincide with others.
    std::reverse(scene.outlines.begin(), scene.outlines.end());
    std::ranges::stable_sort(scene.outlines, {}, &Outline::over);
    if (low <= high) {
        setLossAxis(scene, low, high, plot.height(), log);
    }
    return scene;
}

HoverCard lossCard(std::span<const LossCurve> curves, double x) {
    HoverCard card;
    const double step = std::round(x);
    for (const LossCurve& curve : curves) {
        if (const double loss = lossAt(curve, step); std::isfinite(loss)) {
            card.rows.push_back({curveColor(curve.color), curve.name, lossText(loss)});
        }
    }
    if (!card.rows.empty()) {
        card.x = step;
        card.title = step < 1 ? QObject::tr("warm-up") : QObject::tr("step %1").arg(step);
    }
    return card;
}

std::vector<SeriesStyle> lossLegend(std::span<const LossCurve> curves) {
    std::vector<SeriesStyle> entries;
    const std::vector<int> over = coverings(curves);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        entries.push_back({curves[i].name, curveColor(curves[i].color), {}, true, false, over[i]});
    }
    return entries;
}

QString lossData(std::span<const LossCurve> curves) {
    std::vector<QStringList> table = {{QStringLiteral("step")}};
    for (const LossCurve& curve : curves) {
        table.front() << QStringLiteral("loss of %1").arg(curve.name);
    }
    const StepRange range = lossRange(curves);
    for (double step = std::ceil(range.from); step <= range.to; ++step) {
        QStringList row = {QString::number(step)};
        for (const LossCurve& curve : curves) {
            const double loss = lossAt(curve, step);
            row << (std::isfinite(loss) ? exactly(loss) : QString());
        }
        table.push_back(std::move(row));
    }
    return tabbed(table);
}

}  // namespace highwater::widgets
