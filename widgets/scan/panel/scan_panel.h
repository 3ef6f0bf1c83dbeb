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
struct LabelMap;
struct RenderVolume;

/// The scan: three linked slices, the 3D view and the patch box; or the invitation to open a scan, the
/// progress of opening it, or why that failed. It reads no files: the owner answers the signals.
class ScanPanel : public QWidget {
    Q_OBJECT
public:
    explicit ScanPanel(QWidget* parent = nullptr);
    ~ScanPanel() override;

    /// Shows a volume; an empty one clears. The slices appear at once; the histogram and 3D follow from a
    /// worker thread.
    void setVolume(const volume::Volume& volume);
    void clear();
    /// The scan, also while another volume is shown instead.
    const volume::Volume& volume() const;
    /// The other channels of the same case. Their values are shown together with the scan's. setVolume
    /// removes them.
    void setChannels(const std::vector<volume::Volume>& others);
    /// The name in the header for the volume given by setVolume: the last part of a path.
    void setScanName(const QString& path);

    /// Shows another volume (a patch as passed to the network) in the same views until it is called with an
    /// empty one; then the scan is shown again with its cursor, window and boxes. `name` is shown in the
    /// header meanwhile. The two have separate windows; the patch box is hidden.
    void showInstead(const volume::Volume& volume, const QString& name);
    bool showsInstead() const;
    /// Colors over the slices (ScanScene::setOverlay). An empty volume removes them.
    void setOverlay(const volume::Volume& overlay, double most = 0);
    /// The same for the volume shown instead, until yet another volume is shown.
    void setInsteadOverlay(const volume::Volume& overlay);
    /// Shows a label map over the scan (ScanScene::setLabels). `removable`: the user can remove it in the
    /// list of labels.
    void setLabels(const LabelMap& labels, bool removable = false);
    /// Whether there is a label map over the scan, also while another volume is shown instead.
    bool hasLabels() const;
    /// Shows the list of labels, if there are any.
    void openLabelList();
    /// 0 to 1.
    void setOverlayOpacity(double opacity);
    /// Adds a line of controls between the header and the views, below those added before. It is hidden while
    /// there is no scan. Takes ownership.
    void addBar(QWidget* bar);

    /// The patch in voxels, clamped into the volume. std::nullopt hides it.
    void setPatch(const std::optional<PatchBox>& patch);
    /// Sets the patch's extent in voxels i, j, k (extentOfPatch gives it for an experiment's [D, H, W]). Its
    /// center stays if the patch fits there. If there is no patch, it is placed in the middle of the scan.
    void setPatchExtent(const Index3& extent);
    std::optional<PatchBox> patch() const;

    /// A scan is being opened. `fraction` is 0 to 1, or negative if unknown. Ends with setVolume, setError or
    /// showScan.
    void setLoading(const QString& text, double fraction);
    /// Shows why opening failed: one line in plain words.
    void setError(const QString& text);
    /// Shows the volume that was shown before setLoading or setError, or the invitation.
    void showScan();

    /// True if everything is on screen: no preparation is pending, and the fine 3D image is drawn.
    bool settled() const;

signals:
    void openRequested();
    void sampleRequested();
    void cancelRequested();
    /// The user went back from an error to the previous scan, which is already shown again.
    void backRequested();
    void fileDropped(const QString& path);  ///< or a folder
    void labelNamesRequested();             ///< the user wants to choose a file with the labels' names
    void removeLabelsRequested();
    /// The user dragged the box.
    void patchMoved(const highwater::widgets::PatchBox& patch);
    /// settled() became true, or is still true after a change.
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
    /// Prepares the scene's volume for display. `keepWindow`: the default window does not replace the current
    /// one.
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
    Prepared scanPrepared_;  ///< kept while another volume is shown instead
    bool keepWindow_ = false;
    Panel* panel_;
    QStackedLayout* pages_;
    ScanViews* views_;
    ScanMessage* message_;
    QWidget* fullScreen_ = nullptr;
    QString name_, insteadName_;
};

}  // namespace highwater::widgets
