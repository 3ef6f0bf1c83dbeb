#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QWheelEvent>

#include "tests/widgets/qt_main.h"
#include "tests/widgets/scan/volumes.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/panel/scan_status.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_view.h"
#include "widgets/scan/volume3d/volume_view.h"

namespace highwater::widgets {

/// A visible panel, its parts, and helpers for mouse and wheel.
class ScanPanelTest : public ::testing::Test {
protected:
    ScanPanelTest() {
        panel.resize(520, 640);
        panel.show();
        axial = panel.findChild<SliceView*>("axialView");
        coronal = panel.findChild<SliceView*>("coronalView");
        sagittal = panel.findChild<SliceView*>("sagittalView");
        status = panel.findChild<ScanStatus*>();
        scene = panel.findChild<ScanScene*>();
    }
    void load(const volume::Volume& v) {
        panel.setVolume(v);
        settle();
    }
    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([this] { return panel.settled(); }, 20000));
    }
    Index3 cursor() const { return {sagittal->index(), coronal->index(), axial->index()}; }  // of RAS volumes
    QString message() const { return panel.findChild<QLabel*>("scanMessageTitle")->text(); }
    QPushButton* button(const QString& text) const {
        for (QPushButton* b : panel.findChildren<QPushButton*>()) {
            if (b->text() == text && b->isVisibleTo(&panel)) {
                return b;
            }
        }
        return nullptr;
    }
    static QPoint at(const SliceView* view, const Index3& voxel) {
        const auto p = view->frame().layout.pixel(
            {static_cast<double>(voxel[0]), static_cast<double>(voxel[1]), static_cast<double>(voxel[2])});
        return view->frame().toScreen({p[0], p[1]}).toPoint();
    }
    static void wheel(QWidget* view, int delta, Qt::KeyboardModifiers modifiers = {}) {
        const QPointF c = view->rect().center();
        QWheelEvent event(c, view->mapToGlobal(c), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(view, &event);
    }
    static void hover(QWidget* view, QPoint to) {
        QMouseEvent move(QEvent::MouseMove, to, view->mapToGlobal(to), Qt::NoButton, {}, {});
        QCoreApplication::sendEvent(view, &move);
    }
    static void drag(QWidget* view, Qt::MouseButton button, QPoint from, QPoint to,
                     Qt::KeyboardModifiers modifiers = {}) {
        QMouseEvent press(QEvent::MouseButtonPress, from, view->mapToGlobal(from), button, button, modifiers);
        QCoreApplication::sendEvent(view, &press);
        QMouseEvent move(QEvent::MouseMove, to, view->mapToGlobal(to), Qt::NoButton, button, modifiers);
        QCoreApplication::sendEvent(view, &move);
        QMouseEvent release(QEvent::MouseButtonRelease, to, view->mapToGlobal(to), button, {}, modifiers);
        QCoreApplication::sendEvent(view, &release);
    }

    ScanPanel panel;
    SliceView* axial = nullptr;
    SliceView* coronal = nullptr;
    SliceView* sagittal = nullptr;
    ScanStatus* status = nullptr;
    ScanScene* scene = nullptr;
};

}  // namespace highwater::widgets
