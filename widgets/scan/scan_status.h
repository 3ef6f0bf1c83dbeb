#pragma once

#include <QIcon>
#include <QWidget>
#include <optional>

#include "core/volume/statistics.h"
#include "core/volume/windowing.h"
#include "widgets/scan/patch_box.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace highwater::widgets {

class ElidedLabel;
class ScanScene;

/// The line below the views: window and level, presets, and what lies under the mouse (or the cursor).
class ScanStatus : public QWidget {
    Q_OBJECT
public:
    explicit ScanStatus(ScanScene& scene, QWidget* parent = nullptr);

    /// The presets need the volume's histogram; the window becomes the volume's default one.
    void setHistogram(const volume::Histogram& histogram);
    void clearHistogram();
    /// Back to the default window.
    void resetWindow();
    void setHovered(const std::optional<Index3>& voxel);
    QString positionText() const;
    QString windowText() const;

signals:
    void windowModeChanged(bool on);

private:
    void choosePreset(int row);
    void refresh();
    void refreshPosition();
    QIcon thumbnail(const volume::Window& window) const;

    ScanScene& scene_;
    std::optional<volume::Histogram> histogram_;
    std::optional<Index3> hovered_;
    QToolButton* window_;
    QComboBox* presets_;
    ElidedLabel* position_;
};

/// "(12.4, −31.8, 44.1) mm = 512": RAS+ millimetres and the real value of a voxel of the volume.
QString voxelText(const volume::Volume& volume, const Index3& voxel);

}  // namespace highwater::widgets
