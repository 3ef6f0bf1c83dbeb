#pragma once

#include <QFrame>

#include "core/volume/slice.h"
#include "core/volume/statistics.h"

class QCheckBox;
class QListWidget;

namespace highwater::widgets {

class ScanScene;

/// A thumbnail of a slice under a window, with its physical aspect ratio on a black square. `side` is in
/// logical pixels.
QPixmap windowThumbnail(const ScanScene& scene, volume::Plane plane, const volume::Window& window, int side,
                        double devicePixelRatio);

/// The menu of window presets, each with a picture of the slice at the cursor under that window, and the
/// switch for inversion. It opens under a button, and closes when a preset is chosen, on Escape and on a
/// click elsewhere.
class WindowMenu : public QFrame {
    Q_OBJECT
public:
    WindowMenu(ScanScene& scene, QWidget* parent);

    static constexpr int kThumbnail = 56;  ///< pixels

    /// `current`: the id of the preset selected at first, or empty. `plane`: the plane of the slice shown.
    void open(QWidget* under, volume::Plane plane, const volume::Histogram& histogram,
              const QString& current);

signals:
    void chosen(const QString& id);

protected:
    /// Handles the key I, which the list would take as the first letter of a name.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    ScanScene& scene_;
    volume::Plane plane_ = volume::Plane::Axial;
    volume::Histogram histogram_;
    QListWidget* presets_;
    QCheckBox* inverted_;
};

}  // namespace highwater::widgets
