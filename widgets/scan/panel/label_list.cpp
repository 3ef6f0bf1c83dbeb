#include "widgets/scan/panel/label_list.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/volume/labels.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/scan_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

enum Column { kName, kVoxels, kVolume, kColumns };
constexpr int kRowsInView = 6;
constexpr int kNarrow = 280;             // pixels
constexpr int kControl = 22;             // pixels
constexpr double kCentimetres = 10'000;  // mm³, from which volumes are given in cm³

/// A square of the color; its border is visible on any background.
QIcon swatch(const QColor& color, const QColor& rim, double devicePixelRatio) {
    constexpr int kSide = 12;
    QPixmap pixmap(QSize(kSide, kSide) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(color);
    QPainter painter(&pixmap);
    painter.setPen(rim);
    painter.drawRect(0, 0, kSide - 1, kSide - 1);
    painter.end();
    QIcon icon(pixmap);
    icon.addPixmap(pixmap, QIcon::Selected);  // not tinted
    return icon;
}

/// Uses one unit for all labels, so that they can be compared: cm³ if the largest has at least 10 cm³,
/// otherwise mm³.
QString volumeText(double cubicMillimeters, bool centimetres) {
    const double value = centimetres ? cubicMillimeters / 1000 : cubicMillimeters;
    return plainNumber(value, value >= 100 ? 'f' : 'g', value >= 100 ? 0 : 3) +
           (centimetres ? QStringLiteral(" cm³") : QStringLiteral(" mm³"));
}

}  // namespace

LabelList::LabelList(ScanScene& scene, QWidget* parent)
    : QWidget(parent),
      scene_(scene),
      visible_(new QCheckBox(tr("Labels"), this)),
      surfaces_(new QCheckBox(tr("in 3D"), this)),
      opacity_(new QSlider(Qt::Horizontal, this)),
      all_(linkButton(tr("all"), tr("Show every label"), this)),
      none_(linkButton(tr("none"), tr("Hide every label"), this)),
      names_(linkButton(tr("names…"),
                        tr("Choose a file with the labels' names and colors: a label description of "
                           "ITK-SNAP, a lookup table of FreeSurfer, or nnU-Net's dataset.json"),
                        this)),
      remove_(linkButton(tr("close"), tr("Remove the label map"), this)),
      list_(new QTreeWidget(this)),
      source_(new ElidedLabel(this)),
      warning_(new ElidedLabel(this)) {
    setObjectName("labelList");
    layOut();
    connect(visible_, &QCheckBox::toggled, &scene_, &ScanScene::setLabelsVisible);
    connect(surfaces_, &QCheckBox::toggled, &scene_, &ScanScene::setLabelSurfaces);
    connect(opacity_, &QSlider::valueChanged, this,
            [this](int percent) { scene_.setLabelOpacity(percent / 100.0); });
    connect(all_, &QToolButton::clicked, this, [this] { scene_.showAllLabels(true); });
    connect(none_, &QToolButton::clicked, this, [this] { scene_.showAllLabels(false); });
    connect(names_, &QToolButton::clicked, this, &LabelList::namesRequested);
    connect(remove_, &QToolButton::clicked, this, &LabelList::removeRequested);
    connect(list_, &QTreeWidget::itemChanged, this, &LabelList::takeCheck);
    connect(list_, &QTreeWidget::itemActivated, this, &LabelList::goTo);
    connect(&scene_, &ScanScene::labelsChanged, this, &LabelList::refresh);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        list_->clear();
        refresh();
    });
    refresh();
}

void LabelList::layOut() {
    setFont(smallFont(font()));
    visible_->setObjectName("labelsVisible");
    visible_->setToolTip(tr("Show the labels over the slices and in 3D (L)"));
    surfaces_->setObjectName("labelSurfaces");
    surfaces_->setToolTip(tr("Show the labels' surfaces in the 3D view, and the scan around them as a haze"));
    opacity_->setObjectName("labelOpacity");
    opacity_->setRange(5, 100);
    opacity_->setPageStep(10);
    opacity_->setFixedWidth(90);
    opacity_->setToolTip(tr("Opacity of the labels over the slices"));
    opacity_->setAccessibleName(tr("Opacity of the labels"));
    all_->setObjectName("allLabels");
    none_->setObjectName("noLabels");
    names_->setObjectName("labelNames");
    remove_->setObjectName("removeLabels");
    list_->setObjectName("labelTree");
    list_->setAccessibleName(tr("Labels"));
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setColumnCount(kColumns);
    list_->setHeaderLabels({tr("Label"), tr("Voxels"), tr("Volume")});
    list_->headerItem()->setTextAlignment(kVoxels, Qt::AlignRight);
    list_->headerItem()->setTextAlignment(kVolume, Qt::AlignRight);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(kName, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(kVoxels, QHeaderView::ResizeToContents);
    list_->header()->setSectionResizeMode(kVolume, QHeaderView::ResizeToContents);
    list_->setToolTip(tr("Double click: the crosshair goes into the label"));
    source_->setObjectName("labelSource");
    source_->setMuted(true);
    warning_->setObjectName("labelWarning");
    auto* const controls = new FlowLayout;
    controls->setSpacing(8);
    for (QWidget* each :
         std::initializer_list<QWidget*>{visible_, surfaces_, opacity_, all_, none_, names_, remove_}) {
        each->setFixedHeight(kControl);
        controls->addWidget(each);
    }
    auto* const column = makeLayout<QVBoxLayout>(this, 2, {8, 4, 6, 2});
    column->addLayout(controls);
    column->addWidget(list_);
    column->addWidget(warning_);
    column->addWidget(source_);
}

void LabelList::setRemovable(bool on) {
    remove_->setVisible(on);
}

void LabelList::setCompact(bool on) {
    compact_ = on;
    list_->setHeaderHidden(on);
    source_->setVisible(!on);
    fitRows();
}

/// In a narrow list, the names have priority over the voxel counts.
void LabelList::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    list_->setColumnHidden(kVoxels, width() < kNarrow);
}

/// High enough for a few labels; a longer list scrolls.
void LabelList::fitRows() {
    const int rows = std::clamp(list_->topLevelItemCount(), 1, compact_ ? 2 : kRowsInView);
    const int row = std::max(list_->sizeHintForRow(0), fontMetrics().height());
    list_->setFixedHeight((compact_ ? 0 : list_->header()->sizeHint().height()) + rows * row + 2);
}

void LabelList::fill() {
    list_->clear();
    const volume::Header& header = scene_.labels().volume.header();
    const double voxel = volume::voxelVolume(header.geometry);
    const auto& labels = scene_.labels().labels;
    const bool centimetres = std::ranges::any_of(labels, [&](const LabelStyle& label) {
        return static_cast<double>(label.voxels) * voxel >= kCentimetres;
    });
    for (const LabelStyle& label : labels) {
        auto* const item = new QTreeWidgetItem(list_);
        item->setText(kName, label.name);
        item->setToolTip(kName, label.name == labelName(label.value)
                                    ? label.name
                                    : tr("%1, label %2").arg(label.name).arg(label.value));
        item->setIcon(kName, swatch(label.color, theme().border, devicePixelRatioF()));
        item->setText(kVoxels, QString::number(label.voxels));
        item->setText(kVolume, header.spacingKnown
                                   ? volumeText(static_cast<double>(label.voxels) * voxel, centimetres)
                                   : QString(QChar(0x2013)));
        item->setTextAlignment(kVoxels, Qt::AlignRight | Qt::AlignVCenter);
        item->setTextAlignment(kVolume, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(kName, Qt::UserRole, QVariant::fromValue<qlonglong>(label.value));
        item->setData(kName, Qt::UserRole + 1, label.color);
    }
    fitRows();
}

void LabelList::refresh() {
    const LabelMap& map = scene_.labels();
    const QSignalBlocker quiet(list_), quietVisible(visible_), quietSurfaces(surfaces_),
        quietOpacity(opacity_);
    visible_->setChecked(scene_.labelsVisible());
    surfaces_->setChecked(scene_.labelSurfaces());
    opacity_->setValue(static_cast<int>(std::lround(scene_.labelOpacity() * 100)));
    source_->setText(map.source);
    warning_->setText(map.warning);
    warning_->setVisible(!map.warning.isEmpty());
    const auto same = [&](int row) {
        const LabelStyle& label = map.labels[static_cast<std::size_t>(row)];
        const QTreeWidgetItem* const item = list_->topLevelItem(row);
        return item->data(kName, Qt::UserRole).toLongLong() == label.value &&
               item->text(kName) == label.name &&
               item->data(kName, Qt::UserRole + 1).value<QColor>() == label.color &&
               item->text(kVoxels) == QString::number(label.voxels);
    };
    bool known = list_->topLevelItemCount() == static_cast<int>(map.labels.size());
    for (int row = 0; known && row < list_->topLevelItemCount(); ++row) {
        known = same(row);
    }
    if (!known) {
        fill();
    }
    for (int row = 0; row < list_->topLevelItemCount(); ++row) {
        const bool shown = map.labels[static_cast<std::size_t>(row)].shown;
        list_->topLevelItem(row)->setCheckState(kName, shown ? Qt::Checked : Qt::Unchecked);
    }
}

void LabelList::takeCheck(QTreeWidgetItem* item) {
    scene_.showLabel(item->data(kName, Qt::UserRole).toLongLong(), item->checkState(kName) == Qt::Checked);
}

/// The label map may have a different grid than the scan.
void LabelList::goTo(QTreeWidgetItem* item) {
    const LabelMap& map = scene_.labels();
    const LabelStyle* const label = map.find(item->data(kName, Qt::UserRole).toLongLong());
    if (!label) {
        return;
    }
    const auto mm = map.volume.geometry().toMillimeters({static_cast<double>(label->inside[0]),
                                                         static_cast<double>(label->inside[1]),
                                                         static_cast<double>(label->inside[2])});
    if (const auto voxel = volume::voxelAt(scene_.geometry(), mm)) {
        scene_.setCursor(*voxel);
    }
}

}  // namespace highwater::widgets

#include "moc_label_list.cpp"
