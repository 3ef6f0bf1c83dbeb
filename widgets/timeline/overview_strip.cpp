#include "widgets/timeline/overview_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

OverviewStrip::OverviewStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("All of the trace"));
    setToolTip(tr("The whole trace: drag to move the view"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        picture_ = {};
        update();
    });
}

void OverviewStrip::setIndex(std::shared_ptr<const TraceIndex> index) {
    index_ = std::move(index);
    picture_ = {};
    update();
}

void OverviewStrip::setRange(const TimelineRange& range) {
    range_ = range;
    update();
}

void OverviewStrip::setMargins(int left, int right) {
    if (left == left_ && right == right_) {
        return;
    }
    left_ = left;
    right_ = right;
    picture_ = {};
    update();
}

QRect OverviewStrip::plot() const {
    return {left_, 2, std::max(1, width() - left_ - right_), height() - 6};
}

void OverviewStrip::draw() {
    const double scale = devicePixelRatioF();
    const QSize size = (QSizeF(plot().size()) * scale).toSize();
    picture_ = QPixmap(size);
    picture_.fill(theme().panel);
    drawn_ = range_.axis;
    const auto columns = timelineColumns(*index_, range_.axis, index_->axisBegin(range_.axis),
                                         index_->axisEnd(range_.axis), size.width());
    const double peak = std::max(1.0, static_cast<double>(index_->totals()[index_->peakState()]) * 1.05);
    QPainter painter(&picture_);
    for (int c = 0; c < size.width(); ++c) {
        const auto& column = columns[static_cast<std::size_t>(c)];
        const auto y = [&](std::uint32_t state) {
            return static_cast<int>(
                std::lround(size.height() * (1 - static_cast<double>(index_->totals()[state]) / peak)));
        };
        painter.fillRect(c, y(column.highest), 1, size.height(), theme().border);
        painter.fillRect(c, y(column.lowest), 1, size.height(), theme().mutedText);
    }
    painter.end();
    picture_.setDevicePixelRatio(scale);
}

void OverviewStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    if (!index_) {
        return;
    }
    const QRect r = plot();
    if (picture_.isNull() || drawn_ != range_.axis) {
        draw();
    }
    painter.drawPixmap(r.topLeft(), picture_);
    const double begin = index_->axisBegin(range_.axis), whole = index_->axisEnd(range_.axis) - begin;
    const double left = r.left() + (range_.from - begin) / whole * r.width();
    const double right = std::max(left + 3, r.left() + (range_.to - begin) / whole * r.width());
    QColor shade = theme().window;
    shade.setAlphaF(0.6F);
    painter.fillRect(QRectF(r.left(), r.top(), left - r.left(), r.height()), shade);
    painter.fillRect(QRectF(right, r.top(), r.right() + 1 - right, r.height()), shade);
    painter.setPen(theme().accent);
    painter.drawRect(QRectF(left, r.top(), right - left, r.height()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void OverviewStrip::resizeEvent(QResizeEvent*) {
    picture_ = {};
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        goTo(event->position().x());
    }
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) {
        goTo(event->position().x());
    }
}

void OverviewStrip::goTo(double pixel) {
    if (!index_) {
        return;
    }
    const QRect r = plot();
    const double begin = index_->axisBegin(range_.axis), whole = index_->axisEnd(range_.axis) - begin;
    const double x = begin + (pixel - r.left()) / r.width() * whole;
    emit rangeRequested(moved(range_, x - (range_.from + range_.to) / 2, 0));
}

}  // namespace highwater::widgets

#include "moc_overview_strip.cpp"
