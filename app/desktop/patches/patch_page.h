#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "app/desktop/patches/coverage_maps.h"
#include "app/desktop/patches/live_patch.h"
#include "app/desktop/patches/patch_set.h"
#include "app/desktop/patches/patch_view.h"
#include "app/desktop/window/notice_bar.h"
#include "widgets/patches/patch_values.h"
#include "widgets/scan/patch_box.h"
#include "widgets/stack/document.h"

namespace highwater::widgets {
class PatchBar;
class ScanPanel;
}  // namespace highwater::widgets

namespace highwater::desktop {

/// What the network gets, in the scan's panel: the scan itself, patches as the engine sends them (of the
/// experiment as edited, or live of a run), or the sampler's coverage. All work is done in the background,
/// and none of it in Scan mode or while the panel is hidden. The experiment is never changed.
class PatchPage : public QObject {
    Q_OBJECT
public:
    struct Parts {
        PatchSet::Make make = {};
        CoverageMaps::Count count = {};
        /// The volumes that a run would get now; empty while they are not there.
        std::function<std::vector<volume::Volume>()> volumes = {};
        std::function<ShownCase()> shown = {};  ///< empty: those volumes are the only case
        std::function<void()> prepare = {};  ///< begins to read those volumes, where that is not done unasked
        std::function<void()> cancelPreparing = {};
        std::function<QString()> reading = {};  ///< how far that is; empty: nothing is being read
        std::function<QString()> trouble = {};  ///< why they cannot be read: one line
        std::filesystem::path temporary = {};   ///< empty: the system's
    };
    PatchPage(widgets::ExperimentDocument& document, widgets::ScanPanel& panel, Parts parts,
              QObject* parent = nullptr);
    ~PatchPage() override;

    widgets::PatchMode mode() const { return mode_; }
    void setMode(widgets::PatchMode mode);
    /// Why there is nothing but the scan to show; empty: there is.
    QString whyOnlyScan() const;
    /// Patches, and there the one of that number, from 1; asks for as many as that takes.
    void showPatch(int number);
    /// Whether something is being made or counted, or about to be.
    bool busy() const;
    /// Why what the mode asks for is not on show; empty: it is, or will be.
    QString problem() const;

    void restoreState();
    void keepState() const;

    /// A run is under way, or no more; a new one takes the place of the one before.
    void setRunning(bool on);
    /// The run of `ran` wrote this patch.
    void runSent(const std::filesystem::path& file, const wire::PatchSaved& patch,
                 const stack::Experiment& ran);

public slots:
    /// What is on show or being read has changed; the experiment has not.
    void refresh();
    /// The experiment, its scans or what is to be seen has changed.
    void follow();

signals:
    void modeChanged();
    void notice(highwater::desktop::NoticeBar::Kind kind, const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What patches follow from.
    struct Wanted {
        stack::Experiment part;
        std::vector<const std::byte*> volumes;
        bool operator==(const Wanted&) const = default;
    };
    void connectBar();
    void rest();
    ShownCase shownCase() const;
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
    widgets::PatchesState patchesState() const;
    void describeChosen(widgets::PatchesState& state) const;
    void describeLive(widgets::PatchesState& state) const;
    widgets::CoverageState coverageState() const;

    widgets::ExperimentDocument& document_;
    widgets::ScanPanel& panel_;
    Parts parts_;
    widgets::PatchBar* bar_;
    PatchView view_;
    PatchSet set_;
    CoverageMaps maps_;
    LivePatch live_;
    QTimer later_;
    widgets::PatchMode mode_ = widgets::PatchMode::Scan;
    std::optional<Wanted> wanted_;                   ///< what has been asked for, or will be by later_
    std::optional<CoverageRequest> wantedCoverage_;  ///< likewise
    std::optional<stack::Experiment> prepared_;      ///< for what reading was begun
    QString whyNone_;                                ///< why nothing can be asked for: one line
    std::optional<ReadPatch> chosen_;
    int index_ = 0;  ///< of the patch on show
    int goal_ = -1;  ///< to be on show once there are so many; -1: none
    int channel_ = 0;
    bool targetOn_ = false;
    int steps_ = 1000;
    volume::Volume heat_;
    widgets::CoverageState map_;  ///< what heat_ shows
    bool followsRun_ = false;     ///< instead of what is edited
    bool running_ = false;
    stack::Experiment ran_;
};

/// What decides an experiment's patches; all else is made equal.
stack::Experiment patchPart(const stack::Experiment& experiment);

}  // namespace highwater::desktop
