#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/volume/slice.h"
#include "core/volume/statistics.h"
#include "widgets/scan/patch_box.h"

class QToolButton;

namespace highwater::widgets {

class ElidedLabel;
class ScanKeyList;
class ScanScene;
class WindowEditor;
class WindowMenu;

/// The lines below the views: window and level, presets, switches; what lies under the mouse (or the cursor);
/// while cropping, the crop in numbers.
class ScanStatus : public QWidget {
    Q_OBJECT
public:
    explicit ScanStatus(ScanScene& scene, QWidget* parent = nullptr);

    /// The presets need the volume's histogram. Changes no window.
    void setHistogram(const volume::Histogram& histogram);
    void clearHistogram();
    /// Back to the default window.
    void resetWindow();
    void setHovered(const std::optional<Index3>& voxel);
    /// Which plane's slice the presets show.
    void setPlane(volume::Plane plane) { plane_ = plane; }
    void setWindowMode(bool on);
    bool windowMode() const;
    void openKeys();

    QString positionText() const;
    QString windowText() const;
    /// The preset whose window is on show; empty for one of the user's own.
    QString presetId() const;

signals:
    void windowModeChanged(bool on);

private:
    void makeButtons();
    QToolButton* makeIconButton(const char* name, const QString& tip);
    void layOut();
    void refresh();
    void refreshIcons();
    void refreshPosition();
    void refreshCrop();
    void choosePreset(const QString& id);

    ScanScene& scene_;
    std::optional<volume::Histogram> histogram_;
    std::optional<Index3> hovered_;
    volume::Plane plane_ = volume::Plane::Axial;
    QToolButton *numbers_, *presets_;                           ///< open the editor, the menu
    QToolButton *windowMode_, *inverted_, *crosshair_, *crop_;  ///< switches
    QToolButton *keys_, *wholeVolume_;
    ElidedLabel *position_, *cropText_;
    WindowMenu* menu_;
    WindowEditor* editor_;
    ScanKeyList* keyList_;
};

/// "(12.4, −31.8, 44.1) mm = 512 HU · voxel 3, 5, 10": RAS+ millimetres, the real values of the voxel and of
/// the other channels there, and the voxel i, j, k counted from 0. HU where the values look like CT. Numbers
/// are written alike in every locale.
QString voxelText(const volume::Volume& volume, const Index3& voxel,
                  const std::vector<volume::Volume>& channels = {});

}  // namespace highwater::widgets
