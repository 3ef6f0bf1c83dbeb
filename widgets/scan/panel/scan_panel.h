#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/volume/statistics.h"
#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

class QStackedLayout;

namespace highwater::widgets {

class Panel;
class ScanMessage;
class ScanPreparation;
class ScanScene;
class ScanViews;
struct RenderVolume;

/// The scan: three linked slices, the volume in 3D, the patch box; or the invitation to open one, the
/// progress of opening, or why it failed. Reads no files: the owner answers the signals.
class ScanPanel : public QWidget {
    Q_OBJECT
public:
    explicit ScanPanel(QWidget* parent = nullptr);
    ~ScanPanel() override;

    /// Shows a volume (an empty one clears). Slices at once; histogram and 3D follow from a worker's thread.
    void setVolume(const volume::Volume& volume);
    void clear();
    /// The scan, also while something else is shown instead.
    const volume::Volume& volume() const;
    /// The other channels of the same case: their values are told beside the scan's. setVolume takes them
    /// away.
    void setChannels(const std::vector<volume::Volume>& others);
    /// The header's name of what setVolume shows: the last part of a path.
    void setScanName(const QString& path);

    /// Shows another volume in the same views (a patch as the network got it) until an empty one is given:
    /// then the scan is back with its cursor, window and boxes. `name` stands in the header meanwhile. The
    /// window is kept apart for both; the patch box is hidden.
    void showInstead(const volume::Volume& volume, const QString& name);
    bool showsInstead() const;
    /// Heat over the slices (ScanScene::setOverlay); an empty volume takes it away.
    void setOverlay(const volume::Volume& overlay, double most = 0);
    /// The same over what is shown instead, until another volume is.
    void setInsteadOverlay(const volume::Volume& overlay);
    /// 0 to 1.
    void setOverlayOpacity(double opacity);
    /// A line of controls of the owner's between the header and the views, hidden while there is no scan.
    /// The panel takes it over. Bars stand in the order in which they were added.
    void addBar(QWidget* bar);

    /// The patch in voxels; nothing hides it. Clamped into the volume.
    void setPatch(const std::optional<PatchBox>& patch);
    /// The patch has this extent in voxels i, j, k (an experiment's [D, H, W]: extentOfPatch); its centre
    /// stays where it fits. Makes a box in the middle of the scan when there is none.
    void setPatchExtent(const Index3& extent);
    std::optional<PatchBox> patch() const;

    /// Opening is under way. `fraction` from 0 to 1, negative: unknown. Ends with setVolume, setError or
    /// showScan.
    void setLoading(const QString& text, double fraction);
    /// One line in plain words.
    void setError(const QString& text);
    /// Back to the volume shown before setLoading or setError, or to the invitation.
    void showScan();

    /// True when what is to be seen is on screen: no preparation pending, the fine 3D picture drawn.
    bool settled() const;

signals:
    void openRequested();
    void sampleRequested();
    void cancelRequested();
    /// The user left an error for the scan from before; it is on show already.
    void backRequested();
    void fileDropped(const QString& path);  ///< or a folder
    /// The user dragged the box.
    void patchMoved(const highwater::widgets::PatchBox& patch);
    /// settled() became true (or was found true anew).
    void becameSettled();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Prepared {
        std::optional<volume::Histogram> histogram;
        std::shared_ptr<const RenderVolume> render;
    };
    void connectParts();
    /// Begins the work for what the scene shows; `keepWindow`: the default window does not replace it.
    void prepare(bool keepWindow);
    void bringScanBack();
    void takeHistogram(const volume::Histogram& histogram);
    void takeRenderVolume(const std::shared_ptr<const RenderVolume>& volume);
    void forgetPreparation();
    void showMessage();
    void refreshNote();
    void tellIfSettled();
    void toggleFullScreen();
    void leaveFullScreen();

    ScanScene* scene_;
    ScanPreparation* preparation_;
    Prepared scanPrepared_;  ///< kept while something else is shown
    bool keepWindow_ = false;
    Panel* panel_;
    QStackedLayout* pages_;
    ScanViews* views_;
    ScanMessage* message_;
    QWidget* fullScreen_ = nullptr;
    QString name_, insteadName_;
};

}  // namespace highwater::widgets
