#include "widgets/plot/device_strip.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <numeric>

#include "core/base/text.h"
#include "widgets/plot/legend.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/xy_chart.h"
#include "widgets/theme/panel.h"
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

/// "Forward of layer dec1 asked for 27.0 MiB …". Drops "out of memory" if the title already says it.
QString failureText(const DeviceStatus& status) {
    QString text = status.failure;
    if (const QString head = QStringLiteral("out of memory: ");
        status.parts.empty() && text.startsWith(head)) {
        text.remove(0, head.size());
    }
    return text.left(1).toUpper() + text.mid(1);
}

QLabel* wordsIn(QWidget* parent) {
    auto* label = textLabel(parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

base::Bytes DeviceStatus::used() const {
    return std::accumulate(parts.begin(), parts.end(), base::Bytes{0},
                           [](base::Bytes sum, const Part& part) { return sum + part.bytes; });
}

/// The parts side by side on an axis that ends at the capacity.
class DeviceStrip::Bar : public XyChart {
public:
    Bar(const DeviceStatus& status, QWidget* parent) : XyChart(parent), status_(status) {
        setFixedHeight(kBarHeight + 8);
        setMargins(QMargins(kSide, 7, kSide, 1));
        setZoomable(Qt::Horizontal);
        setAccessibleName(DeviceStrip::tr("Contents of the GPU's memory"));
    }
    void showStatus() {
        setAxes({0, static_cast<double>(std::max(status_.capacity, status_.used()))}, {-0.5, 0.5});
        refresh();
    }

protected:
    ChartScene sceneOf(const PlotFrame&) const override {
        ChartScene scene;
        scene.kind = ChartScene::Kind::Bars;
        scene.framed = true;
        double end = 0;
        for (std::size_t i = 0; i < status_.parts.size(); ++i) {
            const double begin = end;
            end += static_cast<double>(std::max<base::Bytes>(0, status_.parts[i].bytes));
            scene.data.push_back(
                {DataSeries::Kind::Bars, {{end, 0, end, end}}, partColor(i), {}, kBarHeight + 1, begin});
        }
        return scene;
    }

private:
    const DeviceStatus& status_;
};

DeviceStrip::DeviceStrip(QWidget* parent) : Panel(tr("GPU memory"), parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setToolTip(tr("The parts sum to what nvidia-smi shows as used."));
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(0);
    failure_ = wordsIn(body);
    failure_->setContentsMargins(kSide, 6, kSide, 0);
    adviceRow_ = new QWidget(body);
    auto* row = new QHBoxLayout(adviceRow_);
    row->setContentsMargins(kSide, 6, kSide, 0);
    advice_ = wordsIn(adviceRow_);
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
    for (QWidget* part : {static_cast<QWidget*>(failure_), adviceRow_, static_cast<QWidget*>(bar_),
                          static_cast<QWidget*>(legend_), static_cast<QWidget*>(warnings_)}) {
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
    setTitle(status.parts.empty() ? tr("Out of memory") : tr("GPU memory"));  // the CPU shows only the advice
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
    bar_->showStatus();
    warnings_->setStyleSheet(QString("color: %1").arg(theme().warning.name()));
    warnings_->setText(status.warnings.join('\n'));
    warnings_->setVisible(!status.warnings.isEmpty());
    failure_->setStyleSheet(QString("font-weight: 600; color: %1").arg(theme().bad.name()));
    failure_->setText(failureText(status));
    failure_->setVisible(!status.failure.isEmpty());
    advice_->setText(tr("An estimate: %1.").arg(status.advice));
    adviceRow_->setVisible(!status.advice.isEmpty());
    use_->setText(tr("Use batch %1").arg(status.batch));
    use_->setToolTip(tr("Apply this batch size to the current experiment"));
    use_->setVisible(status.batch > 0);
    fitHeight();
}

/// Sets the height that the text needs at this width: wrapping labels in a layout do not request it
/// themselves.
void DeviceStrip::fitHeight() {
    QLayout* column = body()->layout();
    column->invalidate();
    const int needed = kHeaderHeight + column->totalHeightForWidth(std::max(width(), 80));
    setFixedHeight(status_.live && isVisible() ? std::max(needed, height()) : needed);
}

QString DeviceStrip::data() const {
    std::vector<QStringList> table = {{"part", "size (bytes)"}};
    for (const DeviceStatus::Part& part : status_.parts) {
        table.push_back({part.name, QString::number(part.bytes)});
    }
    table.push_back({"capacity", QString::number(status_.capacity)});
    return tabbed(table);
}

std::unique_ptr<QMenu> DeviceStrip::contextMenu() {
    return makePlotMenu({*this, "gpu-memory", [this] { return data(); }, [this] { bar_->resetView(); }});
}

void DeviceStrip::contextMenuEvent(QContextMenuEvent* event) {
    if (!status_.parts.empty()) {
        contextMenu()->exec(event->globalPos());
    }
}

void DeviceStrip::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) {
        fitHeight();
    }
}

}  // namespace highwater::widgets

#include "moc_device_strip.cpp"
