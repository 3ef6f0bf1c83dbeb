#include "widgets/scan/panel/window_menu.h"

#include <QCheckBox>
#include <QKeyEvent>
#include <QListWidget>
#include <QPainter>
#include <QVBoxLayout>

#include "core/volume/windowing.h"
#include "widgets/scan/panel/popup.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_picture.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/utf8.h"

namespace highwater::widgets {
namespace {

constexpr int kColumns = 3;
constexpr QSize kCell(100, WindowMenu::kThumbnail + 30);

}  // namespace

QPixmap windowThumbnail(const ScanScene& scene, volume::Plane plane, const volume::Window& window, int side,
                        double devicePixelRatio) {
    QPixmap pixmap(QSize(side, side) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::black);
    if (scene.volume().empty()) {
        return pixmap;
    }
    const SliceFrame frame{.layout = volume::sliceLayout(scene.geometry(), plane),
                           .view = QRectF(0, 0, side, side)};
    const volume::SliceRegion region = regionInView(frame, devicePixelRatio);
    const auto index = scene.cursor()[static_cast<std::size_t>(frame.layout.normalAxis)];
    const auto values = volume::regionValues(scene.volume(), frame.layout, index, region);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    paintRegion(painter, frame, region, grayImage(values, region.columns(), window, scene.inverted()));
    return pixmap;
}

WindowMenu::WindowMenu(ScanScene& scene, QWidget* parent)
    : QFrame(parent, Qt::Popup), scene_(scene), presets_(new QListWidget), inverted_(new QCheckBox) {
    setObjectName("windowMenu");
    setFrameShape(QFrame::StyledPanel);
    presets_->setObjectName("windowPresets");
    presets_->setAccessibleName(tr("Windows"));
    presets_->setViewMode(QListView::IconMode);
    presets_->setMovement(QListView::Static);
    presets_->setUniformItemSizes(true);
    presets_->setIconSize({kThumbnail, kThumbnail});
    presets_->setGridSize(kCell);
    presets_->setFrameShape(QFrame::NoFrame);
    presets_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    presets_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    presets_->setFont(smallFont(font()));
    presets_->installEventFilter(this);
    inverted_->setObjectName("windowInverted");
    inverted_->setText(tr("Inverted: low values white (I)"));
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(presets_);
    layout->addWidget(inverted_);
    const auto choose = [this](QListWidgetItem* item) {
        close();
        emit chosen(item->data(Qt::UserRole).toString());
    };
    connect(presets_, &QListWidget::itemClicked, this, choose);
    connect(presets_, &QListWidget::itemActivated, this, choose);
    connect(inverted_, &QCheckBox::toggled, &scene_, &ScanScene::setInverted);
    connect(&scene_, &ScanScene::windowChanged, this, [this] {
        if (isVisible()) {
            fill();
        }
    });
}

void WindowMenu::open(QWidget* under, volume::Plane plane, const volume::Histogram& histogram,
                      const QString& current) {
    plane_ = plane;
    histogram_ = histogram;
    presets_->clear();
    for (const volume::WindowPreset& preset : volume::windowPresets()) {
        auto* const item = new QListWidgetItem(fromUtf8(preset.name), presets_);
        item->setData(Qt::UserRole, fromUtf8(preset.id));
        item->setSizeHint(kCell);
        if (item->data(Qt::UserRole) == current) {
            presets_->setCurrentItem(item);
        }
    }
    fill();
    const int rows = (presets_->count() + kColumns - 1) / kColumns;
    presets_->setFixedSize(kCell.width() * kColumns + 4, kCell.height() * rows + 4);
    openPopup(this, under);
    presets_->setFocus();
}

/// Updates the thumbnails, which show the inversion too.
void WindowMenu::fill() {
    const QSignalBlocker quiet(inverted_);
    inverted_->setChecked(scene_.inverted());
    for (int row = 0; row < presets_->count(); ++row) {
        QListWidgetItem* const item = presets_->item(row);
        const auto window =
            volume::presetWindow(item->data(Qt::UserRole).toString().toStdString(), histogram_);
        if (!window) {
            continue;
        }
        const QPixmap picture = windowThumbnail(scene_, plane_, *window, kThumbnail, devicePixelRatioF());
        QIcon icon(picture);
        icon.addPixmap(picture, QIcon::Selected);  // not tinted, because the user judges the picture
        item->setIcon(icon);
    }
}

bool WindowMenu::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_I) {
        scene_.setInverted(!scene_.inverted());
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace highwater::widgets

#include "moc_window_menu.cpp"
