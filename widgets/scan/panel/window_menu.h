#pragma once

#include <QFrame>

#include "core/volume/slice.h"
#include "core/volume/statistics.h"

class QCheckBox;
class QListWidget;

namespace highwater::widgets {

class ScanScene;

/// A slice as it looks under a window, in its physical aspect on a square of black; `side` in logical pixels.
QPixmap windowThumbnail(const ScanScene& scene, volume::Plane plane, const volume::Window& window, int side,
                        double devicePixelRatio);

/// The window presets to choose from, each with the slice at the cursor as it would look, and the inversion.
/// Opened under a button; closes when one is chosen, on Escape and on a click elsewhere.
class WindowMenu : public QFrame {
    Q_OBJECT
public:
    WindowMenu(ScanScene& scene, QWidget* parent);

    static constexpr int kThumbnail = 56;  ///< pixels

    /// `current`: the id that is chosen at first, or empty. `plane`: which slice is shown.
    void open(QWidget* under, volume::Plane plane, const volume::Histogram& histogram,
              const QString& current);

signals:
    void chosen(const QString& id);

protected:
    /// The list would take I for the begin of a name.
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
