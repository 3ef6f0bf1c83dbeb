#include "widgets/plot/device_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <numeric>

#include "core/base/text.h"
#include "widgets/plot/legend.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr int kBarHeight = 12, kSide = 12;

QString partBytesText(base::Bytes bytes) {
    return QString::fromStdString(base::formatBytes(bytes));
}

QColor partColor(std::size_t part) {
    return part == 0 ? theme().of(memory::Category::Activations)
                     : theme().device[std::min(part - 1, theme().device.size() - 1)];
}

std::vector<SeriesStyle> entriesOf(const DeviceStatus& status) {
    std::vector<SeriesStyle> entries;
    for (std::size_t i = 0; i < status.parts.size(); ++i) {
        const DeviceStatus::Part& part = status.parts[i];
        entries.push_back(
            {part.name + ' ' + partBytesText(part.bytes), partColor(i), part.name + ": " + part.meaning});
    }
    return entries;
}

}  // namespace

base::Bytes DeviceStatus::used() const {
    return std::accumulate(parts.begin(), parts.end(), base::Bytes{0},
                           [](base::Bytes sum, const Part& part) { return sum + part.bytes; });
}

class DeviceStrip::Bar : public QWidget {
public:
    Bar(const DeviceStatus& status, QWidget* parent) : QWidget(parent), status_(status) {
        setFixedHeight(kBarHeight + 8);
        setAccessibleName(DeviceStrip::tr("What the GPU's memory holds"));
    }

private:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF track(kSide + 0.5, 7.5, width() - 2.0 * kSide - 1, kBarHeight);
        painter.setPen(QPen(theme().border, 1));
        painter.setBrush(theme().field);
        painter.drawRect(track);
        const auto whole = static_cast<double>(std::max(status_.capacity, status_.used()));
        double x = track.left();
        for (std::size_t i = 0; i < status_.parts.size() && whole > 0; ++i) {
            const double width =
                static_cast<double>(std::max<base::Bytes>(0, status_.parts[i].bytes)) / whole * track.width();
            painter.fillRect(QRectF(x, track.top(), width, track.height()), partColor(i));
            x += width;
        }
    }
    const DeviceStatus& status_;
};

DeviceStrip::DeviceStrip(QWidget* parent) : Panel(tr("GPU memory"), parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setToolTip(tr("The parts sum to what nvidia-smi shows as used."));
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(0);
    adviceRow_ = new QWidget(body);
    auto* row = new QHBoxLayout(adviceRow_);
    row->setContentsMargins(kSide, 6, kSide, 0);
    advice_ = new QLabel(adviceRow_);
    advice_->setTextFormat(Qt::PlainText);
    advice_->setWordWrap(true);
    advice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    use_ = new QToolButton(adviceRow_);
    use_->setObjectName("Use fitting batch");
    use_->setProperty("link", true);
    row->addWidget(advice_, 1);
    row->addWidget(use_, 0, Qt::AlignTop);
    bar_ = new Bar(status_, body);
    legend_ = new Legend(body);
    warnings_ = new QLabel(body);
    warnings_->setTextFormat(Qt::PlainText);
    warnings_->setWordWrap(true);
    warnings_->setContentsMargins(kSide, 0, kSide, 4);
    for (QWidget* part : {adviceRow_, static_cast<QWidget*>(bar_), static_cast<QWidget*>(legend_),
                          static_cast<QWidget*>(warnings_)}) {
        column->addWidget(part);
    }
    setBody(body);
    connect(use_, &QToolButton::clicked, this, [this] { emit batchWanted(status_.batch); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        const DeviceStatus now = status_;
        status_ = {};
        setStatus(now);
    });
}

void DeviceStrip::setStatus(const DeviceStatus& status) {
    if (status == status_) {
        return;
    }
    status_ = status;
    setTitle(status.parts.empty() ? tr("Out of memory") : tr("GPU memory"));  // the CPU's has advice alone
    QStringList note;
    if (!status.parts.empty()) {
        note << tr("%1 of %2 used %3")
                    .arg(partBytesText(status.used()), partBytesText(status.capacity), status.when);
    }
    if (!status.conditions.isEmpty()) {
        note << status.conditions;
    }
    setNote(note.join(QStringLiteral(" · ")));
    legend_->setEntries(entriesOf(status));
    legend_->setVisible(!status.parts.empty());
    bar_->setVisible(!status.parts.empty());
    bar_->setAccessibleDescription(note.join(QStringLiteral(", ")));
    bar_->update();
    warnings_->setStyleSheet(QString("color: %1").arg(theme().warning.name()));
    warnings_->setText(status.warnings.join('\n'));
    warnings_->setVisible(!status.warnings.isEmpty());
    advice_->setStyleSheet(QString("font-weight: 600; color: %1").arg(theme().bad.name()));
    advice_->setText(status.advice);
    adviceRow_->setVisible(!status.advice.isEmpty());
    use_->setText(tr("Use batch %1").arg(status.batch));
    use_->setToolTip(tr("Put this batch size into the experiment that is edited"));
    use_->setVisible(status.batch > 0);
    fitHeight();
}

/// As high as its lines need at this width, which a layout of wrapping parts does not ask for by itself.
void DeviceStrip::fitHeight() {
    QLayout* column = body()->layout();
    column->invalidate();
    const int needed = kHeaderHeight + column->totalHeightForWidth(std::max(width(), 80));
    setFixedHeight(status_.live && isVisible() ? std::max(needed, height()) : needed);
}

void DeviceStrip::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) {
        fitHeight();
    }
}

}  // namespace highwater::widgets

#include "moc_device_strip.cpp"
