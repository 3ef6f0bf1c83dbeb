#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/scan/patches/coverage_maps.h"
#include "app/desktop/scan/patches/live_patch.h"
#include "app/desktop/scan/patches/patch_set.h"
#include "app/desktop/scan/patches/patch_values.h"
#include "app/desktop/scan/patches/patch_view.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {
class ScanPanel;
}
namespace highwater::desktop {

class PatchBar;

/// Shows the network's input in the scan's panel: the scan itself, patches as the engine makes them (for the
/// current experiment, or live from a run), or the coverage map of the sampler. All work is done in the
/// background, and none in Scan mode or while the panel is hidden. The experiment is never changed.
class PatchPage : public QObject {
    Q_OBJECT
public:
    struct Parts {
        PatchSet::Make make = {};
        CoverageMaps::Count count = {};
        /// The volumes that a run would use now; empty until they are loaded.
        std::function<std::vector<volume::Volume>()> volumes = {};
        /// The displayed case; empty: those volumes are the only case.
        std::function<ShownCase()> shown = {};
        /// Starts reading those volumes, if that does not happen by itself.
        std::function<void()> prepare = {};
        std::function<void()> cancelPreparing = {};
        std::function<QString()> reading = {};  ///< progress of the reading; empty if nothing is being read
        std::function<QString()> trouble = {};  ///< why they cannot be read, one line
        std::filesystem::path temporary =
            {};  ///< folder for the patches; empty: the system's temporary folder
    };
    PatchPage(ExperimentDocument& document, widgets::ScanPanel& panel, Parts parts,
              QObject* parent = nullptr);
    ~PatchPage() override;

    PatchMode mode() const { return mode_; }
    void setMode(PatchMode mode);
    /// Why only the scan can be shown; empty if patches can be.
    QString whyOnlyScan() const;
    /// Shows the patch with that number, counted from 1, in Patches mode. Requests as many patches as needed.
    void showPatch(int number);
    /// True if something is being made or computed, or will be shortly.
    bool busy() const;
    /// Why the mode cannot show its content; empty if it does, or soon will.
    QString problem() const;

    void restoreState();
    void keepState() const;

    /// Sets whether a run is in progress. A new run replaces the previous one.
    void setRunning(bool on);
    /// A run of the experiment `ran` wrote this patch.
    void runSent(const std::filesystem::path& file, const wire::PatchSaved& patch,
                 const stack::Experiment& ran);

public slots:
    /// To be called when the displayed volumes or the reading has changed, but not the experiment.
    void refresh();
    /// To be called when the experiment, its scans or the view has changed.
    void follow();

signals:
    void modeChanged();
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What the patches depend on.
    struct Wanted {
        stack::Experiment part;
        std::vector<const std::byte*> volumes;
        bool operator==(const Wanted&) const = default;
    };
    void connectBar();
    void rest();
    ShownCase shownCase() const;
    void letGo();
    QString reading() const;
    void followPatches();
    void followCoverage();
    void prepare(const stack::Experiment& part);
    void begin();
    void cancel();
    void retry();
    void askMore();
    void setLive(bool on);
    void takeSet();
    void takeMap();
    void choose(int index);
    std::optional<widgets::PatchBox> place() const;
    void showInScan();
    void refreshView();
    PatchesState patchesState() const;
    void describeChosen(PatchesState& state) const;
    void describeLive(PatchesState& state) const;
    CoverageState coverageState() const;

    ExperimentDocument& document_;
    widgets::ScanPanel& panel_;
    Parts parts_;
    PatchBar* bar_;
    PatchView view_;
    PatchSet set_;
    CoverageMaps maps_;
    LivePatch live_;
    QTimer later_;
    PatchMode mode_ = PatchMode::Scan;
    /// The request that was made, or will be made when later_ fires.
    std::optional<Wanted> wanted_;
    std::optional<CoverageRequest> wantedCoverage_;  ///< the same for the coverage map
    std::optional<stack::Experiment> prepared_;      ///< the experiment for which reading was started
    QString whyNone_;                                ///< why nothing can be requested, one line
    std::optional<ReadPatch> chosen_;
    int index_ = 0;  ///< index of the displayed patch
    int goal_ = -1;  ///< index to show once that many patches exist; -1 if none
    int channel_ = 0;
    bool targetOn_ = false;
    int steps_ = 1000;
    volume::Volume heat_;
    CoverageState map_;        ///< the state that heat_ shows
    bool followsRun_ = false;  ///< shows the run's patches instead of those of the current experiment
    bool running_ = false;
    stack::Experiment ran_;
};

/// The part of an experiment that decides its patches; everything else is set to the same values.
stack::Experiment patchPart(const stack::Experiment& experiment);

}  // namespace highwater::desktop
