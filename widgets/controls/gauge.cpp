#include "widgets/controls/gauge.h"

#include <QPainter>

#include "core/base/text.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

QString bytes(base::Bytes value) {
    return QString::fromStdString(base::formatBytes(value));
}

}  // namespace

Gauge::Gauge(QWidget* parent) : QWidget(parent) {
    setAccessibleName("Peak memory");
    setToolTip(
        "The highest total of all tensor memory in a step, as measured.\nThe budget is the limit that the "
        "run may not pass.");
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void Gauge::setState(const GaugeState& state) {
    if (state == state_)
        return;
    state_ = state;
    setAccessibleDescription(text());
    update();
}

void Gauge::setProgress(int step, int of) {
    if (step == step_ && of == of_)
        return;
    step_ = step;
    of_ = of;
    update();
}

QString Gauge::verdict() const {
    if (state_.outOfMemory)
        return "out of memory";
    if (state_.stopping)
        return QStringLiteral("stopping…");
    if (!state_.note.isEmpty())
        return state_.note;
    if (state_.running && of_ > 0)
        return QString("step %1 of %2").arg(step_).arg(of_);
    if (state_.peak > 0 && state_.budget)
        return state_.peak <= *state_.budget ? "fits" : "over the budget";
    return {};
}

QString Gauge::text() const {
    if (state_.peak <= 0)
        return state_.running ? "Measuring the peak…" : "The measured peak shows here once you press Run";
    QString text = "Peak " + bytes(state_.peak);
    if (state_.budget)
        text += " of " + bytes(*state_.budget);
    return text;
}

QSize Gauge::sizeHint() const {
    return {360, fontMetrics().height() + 20};
}

QSize Gauge::minimumSizeHint() const {
    return {260, sizeHint().height()};
}

void Gauge::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int line = fontMetrics().height();
    const QRect top(0, height() - line - 18, width(), line);
    const bool bad = state_.outOfMemory || (state_.budget && state_.peak > *state_.budget);
    const QString right = verdict();
    const int rightWidth = right.isEmpty() ? 0 : fontMetrics().horizontalAdvance(right) + 10;
    painter.setPen(bad                                         ? t.bad
                   : state_.stopping || !state_.note.isEmpty() ? t.mutedText
                   : state_.running                            ? t.accent
                                                               : t.good);
    painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, right);

    const QString whole = text();
    const QRect left = top.adjusted(0, 0, -rightWidth, 0);
    painter.setPen(state_.peak > 0 ? t.text : t.mutedText);
    painter.drawText(left, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(whole, Qt::ElideRight, left.width()));

    const QRectF track(0.5, height() - 11.5, width() - 1.0, 9);
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(t.field);
    painter.drawRoundedRect(track, 3, 3);
    const bool known = state_.budget && *state_.budget > 0;
    if (state_.peak <= 0 || (!known && !state_.running && !bad))
        return;
    double share = bad ? 1 : of_ > 0 ? static_cast<double>(step_) / of_ : 0;
    if (known)
        share = static_cast<double>(state_.peak) / static_cast<double>(*state_.budget);
    painter.setPen(Qt::NoPen);
    painter.setBrush(bad ? t.bad : t.accent);
    painter.drawRoundedRect(QRectF(track.left(), track.top(),
                                   std::max(6.0, std::min(1.0, share) * track.width()), track.height()),
                            3, 3);
}

}  // namespace highwater::widgets
