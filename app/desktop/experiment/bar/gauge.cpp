#include "app/desktop/experiment/bar/gauge.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "core/base/text.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

using Fits = predict::Fits;

QString bytes(base::Bytes value) {
    return QString::fromStdString(base::formatBytes(value));
}

/// "9.1–9.6 GiB": the unit is written once if both have the same.
QString range(base::Bytes low, base::Bytes high) {
    if (bytes(low) == bytes(high)) {
        return bytes(low);
    }
    const QStringList a = bytes(low).split(' '), b = bytes(high).split(' ');
    return a.value(1) == b.value(1) ? a.value(0) + QStringLiteral("–") + bytes(high)
                                    : bytes(low) + QStringLiteral("–") + bytes(high);
}

QString equalText() {
    return QObject::tr("as predicted, to the byte");
}

/// equalText() or "+0.8 %": the measurement relative to the prediction.
QString residual(base::Bytes measured, base::Bytes predicted) {
    if (measured == predicted) {
        return equalText();
    }
    return QString::fromStdString(
        base::formatChange(static_cast<double>(predicted), static_cast<double>(measured)));
}

QString oddsText(double odds) {
    if (odds > 0.99) {
        return QObject::tr("over 99 %");
    }
    return odds < 0.01 ? QObject::tr("under 1 %") : QString::number(odds * 100, 'f', 0) + " %";
}

}  // namespace

Gauge::Gauge(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Peak memory"));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            [this] { update(); });
    const auto offer = [this](const QString& name, auto act) {
        auto* const action = new QAction(name, this);
        connect(action, &QAction::triggered, this, act);
        addAction(action);
    };
    offer(tr("Predicted and measured by layer…"), &Gauge::clicked);
    offer(tr("Copy"), [this] { QGuiApplication::clipboard()->setText(accessibleDescription()); });
    offer(tr("Copy with details"),
          [this] { QGuiApplication::clipboard()->setText(accessibleDescription() + '\n' + toolTip()); });
    setContextMenuPolicy(Qt::ActionsContextMenu);
    describe();
}

void Gauge::setState(const GaugeState& state) {
    if (state == state_) {
        return;
    }
    state_ = state;
    describe();
}

void Gauge::setForecast(const std::optional<GaugeForecast>& forecast) {
    if (forecast == forecast_) {
        return;
    }
    forecast_ = forecast;
    describe();
}

void Gauge::setBudget(const std::optional<base::Bytes>& budget) {
    if (budget == budget_) {
        return;
    }
    budget_ = budget;
    describe();
}

void Gauge::setProgress(int step, int of, int warmup) {
    if (step == step_ && of == of_ && warmup == warmup_) {
        return;
    }
    warmup_ = warmup;
    step_ = step;
    of_ = of;
    update();
}

void Gauge::describe() {
    setAccessibleDescription(text() + QStringLiteral(", ") + verdict());
    const bool reserved = state_.peak <= 0 && forecasts() && forecast_->reserved;
    QString tip = reserved ? tr("The most memory that PyTorch's allocator reserves on the device in a step.")
                           : tr("The highest total of all tensor memory in a step.");
    tip += ' ' +
           (forecasts() && forecast_->exact
                ? tr("The prediction follows\nfrom rules and measured values; no part of it is an estimate.")
                : tr("The prediction is an estimate: the bar's\nlight end is the range that should contain "
                     "the peak in 95 of 100 cases."));
    if (forecast_ && !forecast_->trouble.isEmpty()) {
        tip = tr("No prediction: %1").arg(plainError(forecast_->trouble)) + "\n\n" + tip;
    } else if (forecast_ && !forecast_->device.isEmpty()) {
        tip += '\n' + tr("Predicted for %1.").arg(forecast_->device);
    }
    if (forecast_ && !forecast_->details.isEmpty()) {
        tip += '\n' + forecast_->details;
    }
    if (state_.device && !state_.device->details.isEmpty()) {
        tip += "\n\n" + state_.device->details + '\n';
    }
    setToolTip(tip + '\n' + tr("Click: predicted and measured by layer."));
    update();
}

/// The smaller of budget and capacity; 0 if neither is known.
base::Bytes Gauge::limit() const {
    const base::Bytes capacity = forecasts() ? forecast_->capacity : 0;
    const base::Bytes wanted = budget().value_or(0);
    return capacity > 0 && wanted > 0 ? std::min(capacity, wanted) : std::max(capacity, wanted);
}

predict::Fits Gauge::forecastFits() const {
    const GaugeForecast& f = *forecast_;
    const auto wanted = budget();
    if (!wanted || f.fits == predict::Fits::No || (f.capacity > 0 && *wanted >= f.capacity)) {
        return f.fits;
    }
    if (f.high <= *wanted) {
        return predict::Fits::Yes;
    }
    return f.low > *wanted ? predict::Fits::No : predict::Fits::Uncertain;
}

QString Gauge::forecastVerdict() const {
    const GaugeForecast& f = *forecast_;
    const bool overBudget = f.fits != predict::Fits::No && budget() && limit() == *budget();
    switch (forecastFits()) {
        case predict::Fits::Yes:
            return limit() == 0 ? QString() : tr("fits");
        case predict::Fits::No:
            return overBudget ? tr("over the budget") : tr("does not fit");
        case predict::Fits::Uncertain:
            break;
    }
    if (f.atLeast) {
        return tr("some operators are unknown");
    }
    if (limit() == 0) {
        return {};
    }
    return overBudget ? tr("may exceed the budget") : tr("%1 likely to run out").arg(oddsText(f.odds));
}

QString Gauge::verdict() const {
    if (state_.outOfMemory) {
        return tr("out of memory");
    }
    if (state_.stopping) {
        return tr("stopping…");
    }
    if (!state_.note.isEmpty()) {
        return state_.note;
    }
    if (!state_.apart.isEmpty()) {
        return state_.apart;
    }
    if (state_.running && of_ > 0) {
        return QString::fromStdString(base::stepInProgress(step_, warmup_, of_ - warmup_));
    }
    if (state_.running && state_.peak <= 0) {
        return tr("starting…");
    }
    if (state_.peak > 0 && state_.budget) {
        return state_.peak <= *state_.budget ? tr("fits") : tr("over the budget");
    }
    if (state_.peak > 0 && forecasts() && forecast_->expected > 0) {
        return residual(state_.peak, forecast_->expected);
    }
    return forecasts() && state_.peak <= 0 ? forecastVerdict() : QString();
}

QString Gauge::text() const {
    const bool predicted = forecasts() && forecast_->expected > 0;
    if (state_.peak <= 0 && predicted) {
        QString text =
            (forecast_->atLeast ? tr("At least %1") : tr("Predicted %1")).arg(bytes(forecast_->expected));
        if (forecast_->reserved) {
            text = tr("%1 reserved").arg(text);
        }
        if (limit() > 0) {
            text = tr("%1 of %2").arg(text, bytes(limit()));
        }
        if (bytes(forecast_->low) != bytes(forecast_->high) && !forecast_->atLeast) {
            text = tr("%1, estimate %2").arg(text, range(forecast_->low, forecast_->high));
        }
        return text;
    }
    if (state_.peak <= 0) {
        if (state_.running) {
            return tr("Measuring the peak…");
        }
        return forecast_ ? tr("No prediction: %1").arg(plainError(forecast_->trouble))
                         : tr("Predicting the peak…");
    }
    return measuredText(predicted && verdict() != equalText());
}

QString Gauge::measuredText(bool withPredicted) const {
    QString text =
        state_.run.isEmpty()
            ? tr("Peak %1").arg(bytes(state_.peak))
            : tr("%1: peak %2").arg(state_.run.left(1).toUpper() + state_.run.mid(1), bytes(state_.peak));
    if (state_.budget) {
        text = tr("%1 of %2").arg(text, bytes(*state_.budget));
    }
    if (withPredicted) {
        text = tr("%1, predicted %2").arg(text, bytes(forecast_->expected));
    }
    if (state_.device) {
        text = tr("%1, GPU %2 of %3").arg(text, bytes(state_.device->used()), bytes(state_.device->capacity));
    }
    return text;
}

/// A shorter text: the range without the figure within it, or a measured peak without the predicted one,
/// which has a mark on the bar.
QString Gauge::shortText() const {
    if (state_.peak > 0) {
        return measuredText(false);
    }
    if (forecasts() && forecast_->low != forecast_->high && !forecast_->atLeast) {
        const QString text = tr("Estimate %1").arg(range(forecast_->low, forecast_->high));
        return limit() > 0 ? tr("%1 of %2").arg(text, bytes(limit())) : text;
    }
    return text();
}

QSize Gauge::sizeHint() const {
    return {360, fontMetrics().height() + 20};
}

QSize Gauge::minimumSizeHint() const {
    return {200, sizeHint().height()};
}

Gauge::Tone Gauge::tone() const {
    if (state_.outOfMemory || (state_.budget && state_.peak > *state_.budget)) {
        return Tone::Bad;
    }
    if (state_.stopping || !state_.note.isEmpty()) {
        return Tone::Plain;
    }
    if (!state_.apart.isEmpty()) {
        return Tone::Warning;
    }
    if (state_.running) {
        return Tone::Busy;
    }
    if (state_.peak > 0) {
        return state_.budget ? Tone::Good : Tone::Plain;
    }
    if (!forecasts()) {
        return Tone::Plain;
    }
    switch (forecastFits()) {
        case predict::Fits::Yes:
            return Tone::Good;
        case predict::Fits::No:
            return Tone::Bad;
        default:
            return limit() > 0 ? Tone::Warning : Tone::Plain;
    }
}

void Gauge::paintEvent(QPaintEvent*) {
    const widgets::Theme& t = widgets::theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int line = fontMetrics().height();
    const QRect top(0, height() - line - 18, width(), line);
    QString right = verdict();
    if (right == equalText() && fontMetrics().horizontalAdvance(shortText() + right) + 10 > width()) {
        right = tr("as predicted");  // the measurement has priority
    }
    const int rightWidth = right.isEmpty() ? 0 : fontMetrics().horizontalAdvance(right) + 10;
    const QColor tones[] = {t.mutedText, t.good, t.warning, t.bad, t.accent};
    painter.setPen(tones[static_cast<int>(tone())]);
    painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, right);

    const QRect left = top.adjusted(0, 0, -rightWidth, 0);
    painter.setPen(state_.peak > 0 || forecasts() ? t.text : t.mutedText);
    const bool room = fontMetrics().horizontalAdvance(text()) <= left.width();
    painter.drawText(left, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(room ? text() : shortText(), Qt::ElideRight, left.width()));

    const QRectF track(0.5, height() - 11.5, width() - 1.0, 9);
    painter.setPen(QPen(hasFocus() ? t.accent : t.border, 1));
    painter.setBrush(t.field);
    painter.drawRoundedRect(track, 3, 3);
    if (state_.peak > 0 && state_.device && state_.device->used() > 0) {
        paintDevice(painter, track);
    } else {
        paintBar(painter, track);
    }
}

/// Draws the device's memory part by part, with the budget and the predicted peak as marks.
void Gauge::paintDevice(QPainter& painter, const QRectF& track) const {
    const widgets::Theme& t = widgets::theme();
    const GaugeDevice& device = *state_.device;
    const auto whole = static_cast<double>(std::max(device.capacity, device.used()));
    double x = track.left();
    for (std::size_t i = 0; i < device.parts.size(); ++i) {
        const double width =
            static_cast<double>(std::max<base::Bytes>(0, device.parts[i])) / whole * track.width();
        const QColor tensors = tone() == Tone::Bad ? t.bad : t.accent;
        painter.fillRect(QRectF(x, track.top(), width, track.height()), i == 0 ? tensors : t.device[i - 1]);
        x += width;
    }
    const auto tick = [&](base::Bytes at, const QColor& color) {
        const double where = track.left() + static_cast<double>(at) / whole * track.width();
        painter.fillRect(QRectF(std::clamp(where - 1, track.left(), track.right() - 2), track.top() - 2, 2,
                                track.height() + 4),
                         color);
    };
    if (forecasts() && forecast_->expected > 0) {
        tick(forecast_->expected, t.text);
    }
    if (state_.budget) {
        tick(*state_.budget, t.bad);
    }
}

void Gauge::paintBar(QPainter& painter, const QRectF& track) const {
    const widgets::Theme& t = widgets::theme();
    const bool predicted = forecasts() && forecast_->expected > 0;
    const auto most =
        static_cast<double>(std::max({limit(), state_.peak, predicted ? forecast_->high : base::Bytes{0}}));
    const bool bad = tone() == Tone::Bad;
    const bool whole = limit() > 0;
    const auto box = [&](double from, double to) {
        return QRectF(track.left() + from * track.width(), track.top(),
                      std::max(3.0, (to - from) * track.width()), track.height());
    };
    painter.save();
    painter.setPen(Qt::NoPen);
    if (!whole || most <= 0) {
        const double share = bad ? 1 : state_.running && of_ > 0 ? static_cast<double>(step_) / of_ : 0;
        painter.setBrush(bad ? t.bad : t.accent);
        if (share > 0) {
            painter.drawRoundedRect(box(0, std::min(1.0, share)), 3, 3);
        }
        painter.restore();
        return;
    }
    QColor fill = bad ? t.bad : tone() == Tone::Warning ? t.warning : t.accent;
    const double solid = static_cast<double>(state_.peak > 0 ? state_.peak
                                             : predicted     ? forecast_->low
                                                             : 0) /
                         most;
    if (predicted && forecast_->high > forecast_->low) {
        QColor band = fill;
        band.setAlphaF(0.45F);
        painter.setBrush(band);
        painter.drawRoundedRect(
            box(static_cast<double>(forecast_->low) / most, static_cast<double>(forecast_->high) / most), 3,
            3);
    }
    painter.setBrush(fill);
    if (solid > 0) {
        painter.drawRoundedRect(box(0, solid), 3, 3);
    }
    const auto tick = [&](base::Bytes at, const QColor& color) {
        const double x = track.left() + static_cast<double>(at) / most * track.width();
        painter.fillRect(QRectF(std::clamp(x - 1, track.left(), track.right() - 2), track.top() - 2, 2,
                                track.height() + 4),
                         color);
    };
    if (predicted && (state_.peak > 0 || forecast_->high > forecast_->low)) {
        tick(forecast_->expected, t.text);
    }
    if (most > static_cast<double>(limit())) {
        tick(limit(), t.bad);
    }
    painter.restore();
}

void Gauge::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint())) {
        emit clicked();
    }
}

void Gauge::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
        emit clicked();
    } else {
        QWidget::keyPressEvent(event);
    }
}

}  // namespace highwater::desktop

#include "moc_gauge.cpp"
