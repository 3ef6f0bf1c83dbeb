#pragma once

#include <QWidget>
#include <optional>

#include "core/volume/slice.h"
#include "core/volume/statistics.h"
#include "widgets/scan/label_map.h"
#include "widgets/scan/patch_box.h"

class QToolButton;

namespace highwater::widgets {

class ElidedLabel;
class ScanKeyList;
class ScanScene;
class WindowEditor;
class WindowMenu;

/// The lines below the views: window and level, presets and switches; the voxel under the mouse (or at the
/// cursor); while cropping, the crop in numbers.
class ScanStatus : public QWidget {
    Q_OBJECT
public:
    explicit ScanStatus(ScanScene& scene, QWidget* parent = nullptr);

    /// The presets need the volume's histogram. Does not change the window.
    void setHistogram(const volume::Histogram& histogram);
    void clearHistogram();
    /// Sets the default window.
    void resetWindow();
    void setHovered(const std::optional<Index3>& voxel);
    /// Sets the plane whose slice the preset thumbnails show.
    void setPlane(volume::Plane plane) { plane_ = plane; }
    void setWindowMode(bool on);
    bool windowMode() const;
    void openKeys();
    /// Whether the user wants the list of labels; false while there are none.
    bool labelListOpen() const;
    void setLabelListOpen(bool on);

    QString positionText() const;
    QString windowText() const;
    /// The preset that equals the current window; empty if the user has set another window.
    QString presetId() const;

signals:
    void windowModeChanged(bool on);
    void labelListChanged();  ///< labelListOpen()

private:
    void makeButtons();
    QToolButton* makeIconButton(const char* name, const QString& tip);
    void layOut();
    void refresh();
    void refreshIcons();
    void refreshPosition();
    void refreshCrop();
    void refreshLabels();
    void choosePreset(const QString& id);

    ScanScene& scene_;
    std::optional<volume::Histogram> histogram_;
    std::optional<Index3> hovered_;
    volume::Plane plane_ = volume::Plane::Axial;
    QToolButton *numbers_, *presets_;  ///< buttons that open the editor and the menu
    QToolButton *windowMode_, *inverted_, *crosshair_, *crop_, *measure_, *labels_;  ///< switches
    QToolButton *keys_, *wholeVolume_;
    ElidedLabel *position_, *cropText_;
    WindowMenu* menu_;
    WindowEditor* editor_;
    ScanKeyList* keyList_;
};

}  // namespace highwater::widgets
