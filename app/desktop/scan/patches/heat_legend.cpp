#include "app/desktop/scan/patches/heat_legend.h"

#include <QPainter>

#include "core/base/text.h"
#include "widgets/scan/slice/heat.h"
#include "widgets/scan/view_paint.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {
namespace {
constexpr int kRamp = 72, kThick = 9, kGap = 5;
}

HeatLegend::HeatLegend(QWidget* parent) : QWidget(parent) {
    setObjectName("heatLegend");
    setFont(widgets::smallFont(font()));
    setToolTip(tr("The number of samples that contain a voxel. The brightest color is the largest count."));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            qOverload<>(&QWidget::update));
}

void HeatLegend::setMost(double most) {
    most_ = most;
    setAccessibleDescription(tr("0 to %1 samples").arg(mostText()));
    updateGeometry();
    update();
}

QString HeatLegend::mostText() const {
    return QString::fromStdString(base::formatNumber(most_));
}

QSize HeatLegend::sizeHint() const {
    const QFontMetrics metrics = fontMetrics();
    return {metrics.horizontalAdvance("0") + kGap + kRamp + kGap + metrics.horizontalAdvance(mostText()) + 2,
            metrics.height() + 6};
}

void HeatLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int zero = fontMetrics().horizontalAdvance("0");
    painter.setPen(widgets::theme().mutedText);
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, "0");
    painter.drawText(rect().adjusted(zero + kRamp + 2 * kGap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     mostText());
    const int top = (height() - kThick) / 2, left = zero + kGap;
    painter.fillRect(left, top, kRamp, kThick,
                     widgets::kViewGround);  // the slices' background shows through the colors
    for (int x = 0; x < kRamp; ++x) {
        painter.fillRect(left + x, top, 1, kThick, widgets::heatColor(static_cast<double>(x) / (kRamp - 1)));
    }
}

}  // namespace highwater::desktop

#include "moc_heat_legend.cpp"
