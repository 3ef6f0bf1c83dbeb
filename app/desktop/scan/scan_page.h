#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "app/desktop/cohort/cohort_reader.h"
#include "app/desktop/scan/scan_loader.h"
#include "app/desktop/window/notice_bar.h"
#include "core/scan/cohort.h"
#include "core/volume/volume.h"
#include "widgets/stack/document.h"

namespace highwater::widgets {
class ScanPanel;
}

namespace highwater::desktop {

class ScanBars;

/// The right side: keeps the scan on show in step with the experiment's input, be it files or a cohort, of
/// which one case is on show.
class ScanPage : public QObject {
    Q_OBJECT
public:
    ScanPage(widgets::ExperimentDocument& document, QObject* parent = nullptr);

    widgets::ScanPanel* panel() const { return panel_; }
    ScanBars& bars() const { return *bars_; }

    /// Puts the scan, or several as channels, into the experiment (undoable), then loads it.
    void openScan(const QString& path);
    void openScans(const std::vector<stack::ScanSource>& channels);
    void openPhantom();
    /// What was asked for cannot be opened: says so in the panel; the experiment stays as it is.
    void refuse(const QString& message);

    /// A case of the experiment's cohort, or of another one that is only looked at (`folder`, absolute): the
    /// experiment stays as it is, and so does what a run gets.
    void showCase(const QString& folder, const scan::Case& theCase);
    void endPreview();
    bool previews() const { return preview_.has_value(); }

    /// Something that the experiment needs is being read.
    bool loading() const;
    QString loadingText() const;  ///< "reading case 7 of 40, 12 %"
    QString problem() const { return problem_; }
    /// Why what was asked for last was not opened; empty: it was.
    QString refused() const { return refused_; }
    /// For a cohort: reads all its cases for a run. Does nothing where they are there.
    void prepareRun();
    void cancelPreparing() { reader_.cancel(); }
    /// What a run of the experiment gets: channels then labels, of a cohort case after case; empty while that
    /// is not loaded.
    std::vector<volume::Volume> volumesForRun() const;
    /// True when the experiment needs no scan, or all that a run needs is loaded.
    bool ready() const;
    /// What is in the views.
    const std::vector<volume::Volume>& shownVolumes() const;
    const std::vector<stack::ScanSource>& shownSources() const;
    /// Of the experiment's cohort: which case is on show, from 0, and of how many; 0 of 1 for a scan.
    int shownCase() const { return cases_.empty() ? 0 : case_; }
    int caseCount() const { return cases_.empty() ? 1 : static_cast<int>(cases_.size()); }

signals:
    void stateChanged();
    void progressed();  ///< of what a run waits for
    void caseShown(const QString& name);
    void notice(highwater::desktop::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});
    void folderRequested(const QString& folder);  ///< of the single slice that was opened
    void openRequested();                         ///< from within the panel
    void filesDropped(const QStringList& paths);

private:
    struct Wanted {
        std::vector<stack::ScanSource> sources;
        std::string cohort;
        std::int64_t channels = 0;
        bool labels = false;
        bool operator==(const Wanted&) const = default;
        bool empty() const { return sources.empty() && cohort.empty(); }
    };
    static Wanted wantedOf(const stack::Experiment& experiment);
    void connectLoaders();
    void connectBars();
    void follow();  // the document changed
    void load();    // what is wanted now
    void findCases();
    void loadCase(int place);
    void showLoaded();
    void showPatch();
    void fillBars();
    void fail(const QString& message);
    void goBack();  // to the scan before the one that could not be read
    void chooseVolume(int volume);
    void volumesAsChannels(bool all);
    void offerFolder();
    void offerZscore();
    void fillWarnings();
    QString valueMisfitOnShow() const;
    QString nameOnShow() const;

    widgets::ExperimentDocument& document_;
    widgets::ScanPanel* panel_;
    ScanBars* bars_;
    ScanLoader loader_;  ///< of the experiment's scans, or of the case on show
    ScanLoader previewLoader_;
    CohortReader reader_;
    Wanted wanted_;
    std::vector<scan::Case> cases_;  ///< of the experiment's cohort
    int case_ = -1;
    bool naming_ = false;
    int namings_ = 0;  ///< counts requests: only the newest counts
    struct Preview {
        QString folder;
        scan::Case theCase;
    };
    std::optional<Preview> preview_;
    int channel_ = 0;
    QString problem_, refused_;
    std::optional<stack::ScanInput> lastGood_;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
