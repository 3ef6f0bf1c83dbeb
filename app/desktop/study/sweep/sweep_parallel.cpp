#include "app/desktop/study/sweep/sweep_parallel.h"

#include <QMenu>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/desktop/study/sweep/sweep_card.h"
#include "widgets/plot/canvas.h"
#include "widgets/plot/hover_card.h"
#include "widgets/plot/line_field.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr double kLineReach = 6;   ///< pixels from a line
constexpr double kAxisReach = 12;  ///< pixels from an axis
constexpr int kTop = 42, kBottom = 16, kLeft = 64, kRight = 78;

/// With a little margin at both ends.
widgets::AxisSpan spanOf(const SweepRows& rows, std::size_t column) {
    const widgets::AxisSpan span = rows.extent(column);
    if (rows.isAxis(column)) {
        const double last = span.to - 0.5, room = last > 0 ? last * 0.03 : 1;
        return {-room, last + room, false};
    }
    if (span.to > span.from) {
        return {span.at(-0.03), span.at(1.03), span.log};
    }
    const double room = span.to == 0 ? 0 : std::max(1e-9, std::abs(span.to) * 0.01);
    return {span.from - room, span.to + room, false};
}

}  // namespace

/// Axes, brushes and the selected lines: what changes with every pointer move is drawn without redrawing the
/// thousands of lines below it.
class SweepParallel::Overlay : public QWidget {
public:
    explicit Overlay(SweepParallel& parent) : QWidget(&parent), parent_(parent) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const int chosen = parent_.link_.current(), hovered = parent_.link_.hovered();
        if (hovered != chosen) {
            parent_.paintCell(painter, hovered, 1.6);
        }
        parent_.paintCell(painter, chosen, 2.6);
        for (std::size_t column = 0; column < parent_.spans_.size(); ++column) {
            parent_.paintBrush(painter, column);
            parent_.paintAxis(painter, column);
        }
    }

private:
    SweepParallel& parent_;
};

SweepParallel::SweepParallel(SweepLink& link, QWidget* parent)
    : QWidget(parent),
      link_(link),
      canvas_(new widgets::Canvas(this)),
      overlay_(new Overlay(*this)),
      card_(new widgets::HoverCardWidget(this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Parallel coordinates of the sweep's cells"));
    canvas_->setMargins({kLeft, kTop, kRight, kBottom});
    const auto anew = [this] {
        spansAnew();
        stale_ = true;
        refresh();
    };
    connect(&link_, &SweepLink::rowsChanged, this, [this] {
        spansAnew();
        stale_ = true;  // shownChanged follows
    });
    connect(&link_, &SweepLink::axesChanged, this, [this] { axis_ = 0; });
    connect(&link_, &SweepLink::shownChanged, this, [this] {
        stale_ = true;
        refresh();
    });
    connect(&link_, &SweepLink::currentChanged, overlay_, qOverload<>(&QWidget::update));
    connect(&link_, &SweepLink::hoveredChanged, overlay_, qOverload<>(&QWidget::update));
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this, anew);
}

SweepParallel::~SweepParallel() = default;

widgets::PlotFrame SweepParallel::frame() const {
    const QRectF axes(rect().marginsRemoved({kLeft, kTop, kRight, kBottom}));
    const double last = std::max<double>(1, static_cast<double>(spans_.size()) - 1);
    return {QRectF(axes.topLeft(), axes.size().expandedTo(QSizeF(40, 20))), {0, last, false}, {0, 1, false}};
}

double SweepParallel::axisX(std::size_t column) const {
    return frame().pixelX(static_cast<double>(column));
}

double SweepParallel::valueY(std::size_t column, double coordinate) const {
    return frame().pixelY(spans_[column].part(coordinate));
}

double SweepParallel::valueAt(std::size_t column, double y) const {
    const QRectF axes = frame().rect;
    return spans_[column].at(std::clamp((axes.bottom() - 1 - y) / axes.height(), 0.0, 1.0));
}

/// Computes the spans of the axes, and the position of every cell on them.
void SweepParallel::spansAnew() {
    const SweepRows& rows = link_.rows();
    spans_.clear();
    for (std::size_t column = 0; column < rows.columns() && !rows.cells.empty(); ++column) {
        spans_.push_back(spanOf(rows, column));
    }
    parts_.resize(rows.cells.size() * spans_.size());
    for (std::size_t c = 0; c < rows.cells.size(); ++c) {
        for (std::size_t column = 0; column < spans_.size(); ++column) {
            const double value = rows.coordinate(rows.cells[c], column);
            parts_[c * spans_.size() + column] = static_cast<float>(
                std::isnan(value) ? value : std::clamp(spans_[column].part(value), 0.0, 1.0));
        }
    }
    ground_.reset();
    axis_ = std::min(axis_, spans_.empty() ? 0 : spans_.size() - 1);
}

std::shared_ptr<const widgets::LineField> SweepParallel::field(const std::vector<int>& cells,
                                                               const QColor& color, bool dotted) const {
    std::vector<double> x(spans_.size());
    for (std::size_t column = 0; column < x.size(); ++column) {
        x[column] = static_cast<double>(column);
    }
    std::vector<float> y;
    y.reserve(cells.size() * x.size());
    for (const int c : cells) {
        const auto from =
            parts_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * x.size());
        y.insert(y.end(), from, from + static_cast<std::ptrdiff_t>(x.size()));
    }
    return std::make_shared<widgets::LineField>(std::move(x), std::move(y), color, dotted);
}

void SweepParallel::refresh() {
    if (!isVisible() || !stale_) {
        return;
    }
    stale_ = false;
    const SweepRows& rows = link_.rows();
    widgets::ChartScene scene;
    scene.kind = widgets::ChartScene::Kind::Bars;
    if (!spans_.empty()) {
        const bool hidden = link_.shown().size() < rows.cells.size();
        if (hidden && !ground_) {
            std::vector<int> all(rows.cells.size());
            for (std::size_t c = 0; c < all.size(); ++c) {
                all[c] = static_cast<int>(c);
            }
            ground_ = field(all, widgets::theme().border, false);
        }
        std::vector<int> measured, estimated;
        for (const int c : link_.shown()) {
            const SweepCell& cell = rows.cells[static_cast<std::size_t>(c)];
            (cell.state == CellState::Done ? measured : estimated).push_back(c);
        }
        if (hidden) {
            scene.fields.push_back(ground_);
        }
        if (!estimated.empty()) {
            scene.fields.push_back(field(estimated, widgets::theme().mutedText, true));
        }
        if (!measured.empty()) {
            scene.fields.push_back(field(measured, widgets::theme().accent, false));
        }
    }
    const widgets::PlotFrame f = frame();
    scene.from = f.x.from;
    scene.to = f.x.to;
    scene.lower = f.y.from;
    scene.upper = f.y.to;
    canvas_->draw(scene);
    canvas_->update();
    overlay_->update();
}

std::optional<std::size_t> SweepParallel::axisAt(const QPointF& position) const {
    for (std::size_t column = 0; column < spans_.size(); ++column) {
        if (std::abs(axisX(column) - position.x()) <= kAxisReach) {
            return column;
        }
    }
    return std::nullopt;
}

int SweepParallel::cellAt(const QPointF& position) const {
    const widgets::PlotFrame f = frame();
    const double place = f.valueX(position.x());
    if (spans_.size() < 2 || place < 0 || place > f.x.to) {
        return -1;
    }
    const auto gap = std::min(static_cast<std::size_t>(place), spans_.size() - 2);
    const double along = place - static_cast<double>(gap);
    int nearest = -1;
    double least = kLineReach;
    for (const int c : link_.shown()) {
        const float* y = &parts_[static_cast<std::size_t>(c) * spans_.size() + gap];
        const double part = static_cast<double>(y[0]) + along * static_cast<double>(y[1] - y[0]);
        const double far = std::abs(f.pixelY(part) - position.y());  // NaN never compares as less
        if (far < least) {
            least = far;
            nearest = c;
        }
    }
    return nearest;
}

void SweepParallel::brush(std::size_t column, double from, double to) {
    SweepFilter filter = link_.filter();
    filter.setRange(column, SweepRange{std::min(from, to), std::max(from, to)});
    link_.setFilter(std::move(filter));
}

/// In tenths of the axis, or levels; the first key press brushes the upper half.
void SweepParallel::moveBrush(double by, double grow) {
    if (spans_.empty()) {
        return;
    }
    const SweepRows& rows = link_.rows();
    const widgets::AxisSpan& span = spans_[axis_];
    const auto now = link_.filter().range(axis_);
    if (rows.isAxis(axis_)) {
        const double last = static_cast<double>(rows.axes[axis_].words.size()) - 1;
        SweepRange range = now.value_or(SweepRange{by > 0 ? last : 0, by > 0 ? last : 0});
        if (now) {
            const double low = std::round(range.low) + by - grow, high = std::round(range.high) + by + grow;
            if ((by != 0 && (low < 0 || high > last)) || low > high) {
                return;
            }
            range = {std::max(0.0, low), std::min(last, high)};
        }
        return brush(axis_, range.low, range.high);
    }
    if (!now) {
        return brush(axis_, span.at(by > 0 ? 0.5 : 0), span.at(by > 0 ? 1 : 0.5));
    }
    const double low = span.part(now->low) + (by - grow) * 0.05,
                 high = span.part(now->high) + (by + grow) * 0.05;
    if ((by != 0 && (low < -1e-9 || high > 1 + 1e-9)) || high - low < 0.02) {
        return;
    }
    brush(axis_, span.at(std::max(0.0, low)), span.at(std::min(1.0, high)));
}

void SweepParallel::showCard() {
    const SweepCell* cell = link_.cell(link_.hovered());
    card_->showCard(cell && pointer_ && !drag_ ? sweepCard(link_.rows(), *cell) : widgets::HoverCard(),
                    pointer_ ? pointer_->toPoint() : QPoint());
}

QString SweepParallel::data() const {
    return sweepData(link_.rows(), link_.shown());
}

std::unique_ptr<QMenu> SweepParallel::contextMenu() {
    link_.setHovered(-1);
    return widgets::makePlotMenu({*this, "parallel-coordinates", [this] { return data(); },
                                  [this] {
                                      SweepFilter filter = link_.filter();
                                      filter.ranges.clear();
                                      link_.setFilter(filter);
                                  }});
}

}  // namespace highwater::desktop

#include "moc_sweep_parallel.cpp"
