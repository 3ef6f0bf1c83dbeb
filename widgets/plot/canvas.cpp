#include "widgets/plot/canvas.h"

#include <qcustomplot.h>

#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "widgets/plot/annotations.h"
#include "widgets/plot/series.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

/// Stacked areas or bars: each series is filled from 0 up to its top, the highest first, so that neighbors
/// leave no seam.
class StackPlottable : public QCPAbstractPlottable {
public:
    using QCPAbstractPlottable::QCPAbstractPlottable;

    void setScene(const ChartScene& scene) {
        kind_ = scene.kind;
        series_ = scene.series;
        columns_.clear();
        std::copy_if(scene.columns.begin(), scene.columns.end(), std::back_inserter(columns_),
                     [&scene](const Column& column) {
                         return column.from <= scene.to &&
                                (column.to > scene.from || column.from >= scene.from);
                     });
    }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override {
        found = !columns_.empty();
        return found ? QCPRange(columns_.front().from, columns_.back().to) : QCPRange();
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        found = !columns_.empty() && !series_.empty();
        double top = 0;
        for (const Column& column : columns_) {
            top = std::max(top, found ? column.tops[series_.size() - 1] : 0.0);
        }
        return {0, top};
    }

protected:
    void draw(QCPPainter* painter) override {
        if (columns_.empty() || series_.empty()) {
            return;
        }
        painter->setAntialiasing(false);
        kind_ == ChartScene::Kind::Areas ? drawAreas(*painter) : drawBars(*painter);
    }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    /// Clipped to the axes here, because Qt 6.4 writes no clipping to SVG.
    double x(double key) const {
        const QRectF axes(mKeyAxis->axisRect()->rect());
        return std::clamp(mKeyAxis->coordToPixel(key), axes.left(), axes.right());
    }
    double y(double value) const {
        const QRectF axes(mValueAxis->axisRect()->rect());
        return std::clamp(mValueAxis->coordToPixel(value), axes.top(), axes.bottom());
    }

    bool drawn(std::size_t s) const {
        return std::any_of(columns_.begin(), columns_.end(),
                           [s](const Column& c) { return c.tops[s] > (s == 0 ? 0.0 : c.tops[s - 1]); });
    }

    void drawAreas(QCPPainter& painter) {
        const double base = y(0);
        for (std::size_t s = series_.size(); s-- > 0;) {
            if (!drawn(s)) {
                continue;
            }
            QPolygonF outline;
            outline.reserve(static_cast<qsizetype>(columns_.size() * 2 + 2));
            outline << QPointF(x(columns_.front().from), base);
            for (const Column& column : columns_) {
                const double top = y(column.tops[s]);
                outline << QPointF(x(column.from), top) << QPointF(x(column.to), top);
            }
            outline << QPointF(x(columns_.back().to), base);
            // The cosmetic pen keeps areas narrower than a pixel visible.
            painter.setPen(QPen(series_[s].color, 0));
            painter.setBrush(series_[s].color);
            painter.drawPolygon(outline);
        }
    }

    void drawBars(QCPPainter& painter) {
        const double base = std::round(y(0));
        for (const Column& column : columns_) {
            const double left = std::round(x(column.from));
            const double right = std::round(x(column.to));
            const double gap = right - left >= 12 ? 2 : right - left >= 7 ? 1 : 0;
            const double width = std::max(1.0, right - left - gap);
            double bottom = base;
            for (std::size_t s = 0; s < series_.size(); ++s) {
                const double top = std::round(y(column.tops[s]));
                if (top >= bottom) {
                    continue;
                }
                QColor color = series_[s].color;
                color.setAlphaF(column.faded ? 0.4F : 1.0F);
                painter.fillRect(QRectF(left, top, width, bottom - top), color);
                bottom = top;
            }
        }
    }

    ChartScene::Kind kind_ = ChartScene::Kind::Areas;
    std::vector<SeriesStyle> series_;
    std::vector<Column> columns_;
};

/// A QCustomPlot that can paint itself as shapes instead of its buffers.
class Canvas::Plot : public QCustomPlot {
public:
    using QCustomPlot::QCustomPlot;
    Paint paint = Paint::Pixels;

protected:
    void paintEvent(QPaintEvent* event) override {
        if (paint == Paint::Pixels) {
            QCustomPlot::paintEvent(event);
            return;
        }
        QCPPainter painter;
        painter.begin(this);
        painter.setMode(QCPPainter::pmVectorized, paint == Paint::Vectors);
        toPainter(&painter, width(), height());
    }
};

namespace {

void setTicks(QCPAxis* axis, const Ticks& ticks) {
    const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (const Tick& tick : ticks.ticks) {
        ticker->addTick(tick.at, QString::fromStdString(tick.label));
    }
    axis->setTicker(ticker);
}

void setSpan(QCPAxis* axis, const AxisSpan& span) {
    axis->setScaleType(span.log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    axis->setRange(span.from, span.to);
}

}  // namespace

Canvas::Canvas(QWidget* parent) : QWidget(parent), plot_(new Plot(this)) {
    plot_->setAttribute(Qt::WA_TransparentForMouseEvents);
    plot_->setFocusPolicy(Qt::NoFocus);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    // Cached labels keep the resolution at which they were first drawn, and would look blurred in pictures.
    plot_->setPlottingHint(QCP::phCacheLabels, false);
    plot_->setBackground(QBrush(Qt::NoBrush));
    plot_->setAttribute(Qt::WA_OpaquePaintEvent, false);  // the background must show through
    plot_->axisRect()->setAutoMargins(QCP::msNone);
    plot_->plotLayout()->setMargins(QMargins());
    plot_->axisRect()->setMinimumMargins(QMargins());
    stack_ = new StackPlottable(plot_->xAxis, plot_->yAxis);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        axis->setTickLength(1, 0);  // invisible; in an SVG, a tick of length 0 would appear as a dot
        axis->setTickPen(Qt::NoPen);
        axis->setSubTicks(false);
        axis->setTickLabelPadding(6);
        axis->setNumberFormat("f");
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    plot_->yAxis->setBasePen(Qt::NoPen);
}

void Canvas::setAxes(const ChartScene& scene) {
    const Theme& t = theme();
    setTicks(plot_->xAxis, scene.x);
    setTicks(plot_->yAxis, scene.y);
    setSpan(plot_->xAxis, scene.spanX());
    setSpan(plot_->yAxis, scene.spanY());
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        axis->setTickLabelColor(t.mutedText);
        axis->setTickLabelFont(chartFont(font()));
        axis->grid()->setPen(QPen(t.border, 1));
    }
    plot_->xAxis->setBasePen(QPen(t.border, 1));
    plot_->xAxis->grid()->setVisible(scene.gridX);
    plot_->axisRect()->setBackground(scene.framed ? QBrush(t.field) : QBrush(Qt::NoBrush));
}

void Canvas::draw(const ChartScene& scene) {
    QElapsedTimer clock;
    clock.start();
    setAxes(scene);
    stack_->setScene(scene);
    const PlotFrame frame{QRectF(rect().marginsRemoved(margins_)), scene.spanX(), scene.spanY()};
    setSeries(*plot_, scene, frame);
    setAnnotations(*plot_, scene, frame);
    plot_->replot(QCustomPlot::rpQueuedRefresh);
    lastReplotMs_ = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    ++replots_;
}

void Canvas::setMargins(const QMargins& margins) {
    margins_ = margins;
    plot_->axisRect()->setMargins(margins);
}

void Canvas::setPaint(Paint paint) {
    plot_->paint = paint;
}

PlotFrame Canvas::frame() const {
    const auto span = [](const QCPAxis* axis) {
        return AxisSpan{axis->range().lower, axis->range().upper,
                        axis->scaleType() == QCPAxis::stLogarithmic};
    };
    return {QRectF(plot_->axisRect()->rect()), span(plot_->xAxis), span(plot_->yAxis)};
}

void Canvas::resizeEvent(QResizeEvent* event) {
    plot_->setGeometry(rect());
    QWidget::resizeEvent(event);
}

}  // namespace highwater::widgets

#include "moc_canvas.cpp"
