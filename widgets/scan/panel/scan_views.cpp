#include "widgets/scan/panel/scan_views.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/scan/panel/label_list.h"
#include "widgets/scan/panel/scan_status.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_view.h"
#include "widgets/scan/volume3d/volume_view.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/tab_order.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

ScanViews::ScanViews(ScanScene& scene, QWidget* parent)
    : QWidget(parent),
      scene_(scene),
      bars_(new QVBoxLayout),
      grid_(new QGridLayout),
      slices_{new SliceView(scene, volume::Plane::Axial), new SliceView(scene, volume::Plane::Coronal),
              new SliceView(scene, volume::Plane::Sagittal)},
      volumeView_(new VolumeView(scene)),
      labelList_(new LabelList(scene)),
      status_(new ScanStatus(scene)) {
    layOut();
    connectViews();
}

void ScanViews::layOut() {
    auto* const column = makeLayout<QVBoxLayout>(this, 0);
    bars_->setSpacing(0);
    grid_->setSpacing(1);  // the background shows through as a separator line
    grid_->addWidget(slices_[0], 0, 0);
    grid_->addWidget(slices_[1], 0, 1);
    grid_->addWidget(slices_[2], 1, 0);
    grid_->addWidget(volumeView_, 1, 1);
    for (int n = 0; n < 2; ++n) {
        grid_->setColumnStretch(n, 1);
        grid_->setRowStretch(n, 1);
    }
    column->addLayout(bars_);
    column->addLayout(grid_, 1);
    column->addWidget(labelList_);
    column->addWidget(status_);
    labelList_->setVisible(false);
    labelList_->setRemovable(false);
}

void ScanViews::connectViews() {
    for (SliceView* view : slices_) {
        connect(view, &SliceView::hovered, status_, &ScanStatus::setHovered);
        connect(view, &SliceView::maximiseRequested, this, [this, view] { maximise(view); });
        connect(view, &SliceView::focused, status_, [this, view] { status_->setPlane(view->plane()); });
        connect(status_, &ScanStatus::windowModeChanged, view, &SliceView::setWindowMode);
    }
    connect(status_, &ScanStatus::labelListChanged, this, [this] {
        labelList_->setVisible(status_->labelListOpen());
        showViews();
    });
    connect(volumeView_, &VolumeView::maximiseRequested, this, [this] { maximise(volumeView_); });
}

void ScanViews::addBar(QWidget* bar) {
    bars_->addWidget(bar);
    tabBefore(slices_.front(), *bar);  // the bar is above the slices
}

void ScanViews::maximise(QWidget* view) {
    maximised_ = maximised_ == view ? nullptr : view;
    showViews();
    view->setFocus();
}

/// Shows the maximized view or all four; only the upper two if there is no room for more.
void ScanViews::showViews() {
    const int four = slices_[0]->minimumHeight() + volumeView_->minimumHeight() + grid_->spacing();
    const int all = height() - bars_->sizeHint().height() - status_->height();
    const auto list = [this] {
        return labelList_->isVisibleTo(this) ? labelList_->heightForWidth(width()) : 0;
    };
    labelList_->setCompact(false);
    if (all - list() < four) {
        labelList_->setCompact(true);
    }
    const bool low = all - list() < four;
    for (QWidget* view : std::initializer_list<QWidget*>{slices_[0], slices_[1], slices_[2], volumeView_}) {
        const bool upper = view == slices_[0] || view == slices_[1];
        view->setVisible(maximised_ ? maximised_ == view : upper || !low);
    }
    for (int n = 0; n < 2; ++n) {  // otherwise an empty row or column would keep its stretch
        const auto shown = [&](int row, int column) {
            return grid_->itemAtPosition(row, column)->widget()->isVisibleTo(this) ? 1 : 0;
        };
        grid_->setRowStretch(n, shown(n, 0) | shown(n, 1));
        grid_->setColumnStretch(n, shown(0, n) | shown(1, n));
    }
}

void ScanViews::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showViews();
}

void ScanViews::resetViews() {
    for (SliceView* view : slices_) {
        view->resetView();
    }
    volumeView_->resetCamera();
    status_->resetWindow();
    scene_.setInverted(false);
    scene_.setOpacity(1);
}

/// Leaves the innermost special state: an open distance, measuring, the crop's handles, a maximized view,
/// full screen.
void ScanViews::goBack() {
    if (scene_.distances().open()) {
        Distances distances = scene_.distances();
        distances.drop();
        scene_.setDistances(distances);
    } else if (scene_.measuring()) {
        scene_.setMeasuring(false);
    } else if (scene_.cropping()) {
        scene_.setCropping(false);
    } else if (maximised_) {
        maximise(maximised_);
    } else {
        emit fullScreenLeft();
    }
}

/// Returns whether the key was handled.
bool ScanViews::act(int key, bool shift) {
    switch (key) {
        case Qt::Key_Escape:
            goBack();
            return true;
        case Qt::Key_Question:
            status_->openKeys();
            return true;
        case Qt::Key_C:
            if (shift) {
                scene_.setCrop({});
            } else {
                scene_.setCropping(!scene_.cropping());
            }
            return true;
        default:
            return !shift && actPlain(key);
    }
}

bool ScanViews::actPlain(int key) {
    switch (key) {
        case Qt::Key_1:
        case Qt::Key_2:
        case Qt::Key_3:
            maximise(slices_[static_cast<std::size_t>(key - Qt::Key_1)]);
            return true;
        case Qt::Key_4:
            maximise(volumeView_);
            return true;
        case Qt::Key_F:
            emit fullScreenRequested();
            return true;
        case Qt::Key_I:
            scene_.setInverted(!scene_.inverted());
            return true;
        case Qt::Key_L:
            scene_.setLabelsVisible(!scene_.labelsVisible());
            return true;
        case Qt::Key_M:
            scene_.setMeasuring(!scene_.measuring());
            return true;
        case Qt::Key_R:
            resetViews();
            return true;
        case Qt::Key_S:
            scene_.setSmooth(!scene_.smooth());
            return true;
        case Qt::Key_W:
            status_->setWindowMode(!status_->windowMode());
            return true;
        case Qt::Key_X:
            scene_.setCrosshair(!scene_.crosshair());
            return true;
        default:
            return false;
    }
}

void ScanViews::keyPressEvent(QKeyEvent* event) {
    const Qt::KeyboardModifiers held = event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
    if (held != Qt::NoModifier || !act(event->key(), event->modifiers() & Qt::ShiftModifier)) {
        QWidget::keyPressEvent(event);
    }
}

void ScanViews::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.fillRect(grid_->geometry().adjusted(0, -1, 0, 1), theme().border);
}

}  // namespace highwater::widgets

#include "moc_scan_views.cpp"
