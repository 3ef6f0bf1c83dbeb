#include "app/desktop/study/interval_chart.h"

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMenu>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/plot/annotations.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/xy_chart.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kChartSide = 12, kGap = 10, kLeastPlot = 20;
constexpr double kBarHeight = 11;
constexpr int kLeastWidth = 240, kTickRoom = 90;

/// Even, so that the middle of a row is on a row of pixels.
int rowHeight(const QFont& font) {
    return 2 * static_cast<int>(std::ceil((QFontMetricsF(font).height() + 7) / 2));
}

/// Whether all values are 0.
bool isFlat(const IntervalSection& section) {
    return std::all_of(section.bars.begin(), section.bars.end(), [](const IntervalBar& bar) {
        return bar.value.median == 0 && bar.value.low == 0 && bar.value.high == 0;
    });
}

/// Every tick label includes the unit.
widgets::Ticks sectionTicks(const IntervalSection& section, const widgets::AxisSpan& span, double width) {
    const widgets::Measure measure = section.unit == "B"    ? widgets::Measure::Bytes
                                     : section.unit == "ms" ? widgets::Measure::Millis
                                                            : widgets::Measure::Number;
    widgets::Ticks ticks =
        widgets::axisTicks(span, measure, std::max(1, static_cast<int>(width / kTickRoom)));
    if (isFlat(section)) {  // the other ticks would be meaningless
        std::erase_if(ticks.ticks, [](const widgets::Tick& tick) { return tick.at != 0; });
    }
    const std::string unit = section.unit == "%" ? " %" : section.unit == "1/s" ? " /s" : ' ' + ticks.unit;
    for (widgets::Tick& tick : ticks.ticks) {
        if (tick.at == 0) {
            continue;
        }
        tick.label = (section.unit == "%" && tick.at > 0 ? "+" : "") + tick.label;
        tick.label += unit == " " ? "" : unit;
    }
    ticks.unit.clear();
    return ticks;
}

/// Keeps the caps of whiskers at the ends within the axis.
widgets::AxisSpan withRoom(const widgets::AxisSpan& span) {
    constexpr double kRoom = 0.012;
    return {span.from < 0 ? span.at(-kRoom) : span.from, span.to > 0 ? span.at(1 + kRoom) : span.to};
}

QColor barColor(const IntervalBar& bar) {
    QColor color = bar.faded             ? widgets::theme().mutedText
                   : bar.color.isValid() ? bar.color
                                         : widgets::theme().accent;
    color.setAlphaF(bar.faded ? 0.4F : 0.85F);
    return color;
}

}  // namespace

/// The layout of a section in the widget.
struct IntervalChart::Place {
    QRect rect;
    QMargins margins;  ///< around its bars: title, labels, figures, ticks
};

widgets::AxisSpan spanOf(const IntervalSection& section) {
    widgets::AxisSpan span{0, 0};
    for (const IntervalBar& bar : section.bars) {
        for (const double value : {bar.value.median, bar.value.low, bar.value.high}) {
            if (std::isfinite(value)) {
                span.from = std::min(span.from, value);
                span.to = std::max(span.to, value);
            }
        }
    }
    if (span.from == span.to) {
        span.to = 1;
    }
    return span;
}

/// The i-th bar of a section is at y = -i.
class IntervalChart::Section : public widgets::XyChart {
public:
    explicit Section(QWidget* parent) : widgets::XyChart(parent) {
        setZoomable(Qt::Horizontal);
        setWheelWithControl(true);
    }
    void setSection(const IntervalSection& section, const Place& place) {
        section_ = section;
        setAxes(withRoom(spanOf(section)), {0.5 - static_cast<double>(section.bars.size()), 0.5});
        setMargins(place.margins);
        setGeometry(place.rect);
        setAccessibleName(section.title);
        show();
        refresh();
    }

protected:
    widgets::ChartScene sceneOf(const widgets::PlotFrame& frame) const override {
        widgets::ChartScene scene;
        scene.kind = widgets::ChartScene::Kind::Bars;
        scene.gridX = true;
        scene.x = sectionTicks(section_, frame.x, frame.rect.width());
        scene.separators = {0};
        const int row = rowHeight(font());
        scene.captions.push_back({QRectF(kChartSide, 0, width() - 2 * kChartSide, row),
                                  Qt::AlignLeft | Qt::AlignVCenter, section_.title,
                                  widgets::theme().mutedText});
        for (std::size_t i = 0; i < section_.bars.size(); ++i) {
            addBar(scene, section_.bars[i], -static_cast<double>(i));
            addTexts(scene, section_.bars[i], frame, frame.pixelY(-static_cast<double>(i)) - row / 2.0);
        }
        return scene;
    }

private:
    static void addBar(widgets::ChartScene& scene, const IntervalBar& bar, double y) {
        if (bar.value.n == 0) {
            return;
        }
        const bool spread = bar.value.n > 1;
        const double end = bar.value.median;
        scene.data.push_back({widgets::DataSeries::Kind::Bars,
                              {{end, y, spread ? bar.value.low : end, spread ? bar.value.high : end}},
                              barColor(bar),
                              bar.faded ? widgets::theme().mutedText : widgets::theme().text,
                              kBarHeight});
    }

    void addTexts(widgets::ChartScene& scene, const IntervalBar& bar, const widgets::PlotFrame& frame,
                  double top) const {
        const QColor color = bar.faded ? widgets::theme().mutedText : widgets::theme().text;
        const auto add = [&](double left, double right, const QString& text, bool small) {
            const QFontMetricsF metrics(small ? widgets::chartFont(font()) : font());
            scene.captions.push_back({QRectF(left, top, right - left, rowHeight(font())),
                                      Qt::AlignLeft | Qt::AlignVCenter,
                                      metrics.elidedText(text, Qt::ElideRight, right - left), color, small});
        };
        add(kChartSide, frame.rect.left() - kGap, bar.label, false);
        add(frame.rect.right() + kGap, width() - kChartSide, bar.text, true);
    }

    IntervalSection section_;
};

IntervalChart::IntervalChart(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void IntervalChart::setSections(std::vector<IntervalSection> sections) {
    std::erase_if(sections, [](const IntervalSection& section) { return section.bars.empty(); });
    sections_ = std::move(sections);
    QStringList spoken;
    for (const IntervalSection& section : sections_) {
        for (const IntervalBar& bar : section.bars) {
            spoken << section.title + ", " + bar.label + ": " + bar.text;
        }
    }
    setAccessibleDescription(spoken.join("; "));
    arrange();
    updateGeometry();
}

/// Positions the child widget of each section.
void IntervalChart::arrange() {
    while (charts_.size() < sections_.size()) {
        charts_.push_back(new Section(this));
    }
    while (charts_.size() > sections_.size()) {
        charts_.back()->deleteLater();
        charts_.back()->hide();
        charts_.pop_back();
    }
    const std::vector<Place> all = places();
    for (std::size_t i = 0; i < all.size(); ++i) {
        charts_[i]->setSection(sections_[i], all[i]);
    }
}

std::vector<IntervalChart::Place> IntervalChart::places() const {
    const QFontMetricsF metrics(font()), small(widgets::chartFont(font()));
    const int row = rowHeight(font());
    double labels = 0, texts = 0;
    for (const IntervalSection& section : sections_) {
        for (const IntervalBar& bar : section.bars) {
            labels = std::max(labels, metrics.horizontalAdvance(bar.label));
            texts = std::max(texts, small.horizontalAdvance(bar.text));
        }
    }
    const int left = kChartSide + kGap + static_cast<int>(std::ceil(std::min(labels + 2, width() * 0.34)));
    const int right = kChartSide + kGap + static_cast<int>(std::ceil(std::min(texts + 2, width() * 0.36)));
    const int above = row + 2, below = static_cast<int>(small.height()) + 12;
    std::vector<Place> places;
    int y = 0;
    for (const IntervalSection& section : sections_) {
        const int bars = row * static_cast<int>(section.bars.size());
        places.push_back({QRect(0, y, std::max(width(), left + right + kLeastPlot), above + bars + below),
                          QMargins(left, above, right, below)});
        y += above + bars + below;
    }
    return places;
}

QSize IntervalChart::sizeHint() const {
    const auto all = places();
    return {520, all.empty() ? 0 : all.back().rect.bottom() + 1};
}

QSize IntervalChart::minimumSizeHint() const {
    return {kLeastWidth, sizeHint().height()};
}

QRectF IntervalChart::barRect(std::size_t section, std::size_t bar) const {
    const Place place = places().at(section);
    const widgets::PlotFrame shown = charts_.at(section)->frame();
    const widgets::PlotFrame f{QRectF(place.rect.marginsRemoved(place.margins)), shown.x, shown.y};
    const double a = f.pixelX(0), b = f.pixelX(sections_[section].bars.at(bar).value.median);
    const double middle = f.pixelY(-static_cast<double>(bar));
    return QRectF(QPointF(std::min(a, b), middle - kBarHeight / 2),
                  QPointF(std::max(a, b), middle + kBarHeight / 2));
}

QString IntervalChart::data() const {
    std::vector<QStringList> table = {{"section", "bar", "unit", "median", "low", "high", "repeats"}};
    for (const IntervalSection& section : sections_) {
        for (const IntervalBar& bar : section.bars) {
            const base::Interval& value = bar.value;
            QStringList row{section.title, bar.label,
                            section.unit.isEmpty() ? QStringLiteral("1") : section.unit};
            if (value.n > 0) {
                row << widgets::exactly(value.median) << widgets::exactly(value.low)
                    << widgets::exactly(value.high);
            } else {
                row << QString() << QString() << QString();
            }
            table.push_back(row << QString::number(value.n));
        }
    }
    return widgets::tabbed(table);
}

std::unique_ptr<QMenu> IntervalChart::contextMenu() {
    return widgets::makePlotMenu({*this, "intervals", [this] { return data(); },
                                  [this] {
                                      for (Section* chart : charts_) {
                                          chart->resetView();
                                      }
                                  }});
}

void IntervalChart::contextMenuEvent(QContextMenuEvent* event) {
    contextMenu()->exec(event->globalPos());
}

void IntervalChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

bool IntervalChart::event(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        arrange();
    }
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    QString tip;
    const std::vector<Place> all = places();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRect bars = all[i].rect.marginsRemoved(all[i].margins);
        if (help->pos().y() >= bars.top() && help->pos().y() <= bars.bottom()) {
            const auto row = (help->pos().y() - bars.top()) * sections_[i].bars.size() /
                             static_cast<std::size_t>(bars.height());
            const IntervalBar& bar = sections_[i].bars[row];
            tip = bar.tip.isEmpty() ? bar.label + ": " + bar.text : bar.tip;
        }
    }
    tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
    return true;
}

}  // namespace highwater::desktop

#include "moc_interval_chart.cpp"
