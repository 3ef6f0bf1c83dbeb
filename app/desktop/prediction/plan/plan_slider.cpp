#include "app/desktop/prediction/plan/plan_slider.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {
constexpr double kHandle = 9, kGroove = 3;  ///< radius of the handle, half the groove's height
}

PlanSlider::PlanSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setRange(0, 0);
    setPageStep(1);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMinimumHeight(26);
    setAccessibleName(tr("Memory against time"));
    setToolTip(tr("Drag, or press ← and →: left takes less memory, right less time"));
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            qOverload<>(&PlanSlider::update));
}

QPointF PlanSlider::placeOf(int value) const {
    const double room = std::max(1.0, width() - 2 * kHandle - 2);
    const double part = maximum() > 0 ? static_cast<double>(value) / maximum() : 0.5;
    return {kHandle + 1 + part * room, height() / 2.0};
}

int PlanSlider::valueAt(double x) const {
    const double room = std::max(1.0, width() - 2 * kHandle - 2);
    const double part = std::clamp((x - kHandle - 1) / room, 0.0, 1.0);
    return static_cast<int>(std::lround(part * maximum()));
}

void PlanSlider::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const widgets::Theme& t = widgets::theme();
    const QPointF at = placeOf(value());
    const auto groove = [&](double right, const QColor& color) {
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(0, at.y() - kGroove, right, 2 * kGroove), kGroove, kGroove);
    };
    painter.setPen(Qt::NoPen);
    groove(width(), t.border);
    if (!isEnabled()) {
        return;
    }
    groove(at.x(), t.accent);
    painter.setBrush(t.dark ? t.text : t.panel);
    painter.setPen(QPen(hasFocus() || !t.dark ? t.accent : t.text, hasFocus() ? 2.5 : 1.5));
    painter.drawEllipse(at, kHandle - 1.5, kHandle - 1.5);
}

void PlanSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return event->ignore();
    }
    setSliderDown(true);
    setSliderPosition(valueAt(event->position().x()));
}

void PlanSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) {
        setSliderPosition(valueAt(event->position().x()));
    }
}

void PlanSlider::mouseReleaseEvent(QMouseEvent*) {
    setSliderDown(false);
}

}  // namespace highwater::desktop

#include "moc_plan_slider.cpp"
