#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <optional>
#include <vector>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/scan/cases/cohort_reader.h"
#include "app/desktop/scan/scan_loader.h"
#include "core/scan/cohort.h"
#include "core/volume/volume.h"
#include "widgets/controls/notice_bar.h"

namespace highwater::widgets {
class ScanPanel;
}

namespace highwater::desktop {

class HeaderWindow;
class ScanBars;
class ScanLabels;

/// The right side of the window. It shows the scan that is the experiment's input: files, or one case of a
/// cohort.
class ScanPage : public QObject {
    Q_OBJECT
public:
    ScanPage(ExperimentDocument& document, QObject* parent = nullptr);

    widgets::ScanPanel* panel() const { return panel_; }
    ScanBars& bars() const { return *bars_; }
    ScanLabels& labels() const { return *labels_; }

    /// Makes the scan (or several, as channels) the input of the experiment, undoably, then loads it. If it
    /// cannot be read, the previous input is restored, and the panel says why.
    void openScans(const std::vector<stack::ScanSource>& channels);
    void openPhantom();
    /// Shows in the panel why something cannot be opened. The experiment is not changed.
    void refuse(const QString& message);

    /// Shows a case of the experiment's cohort, or of another cohort for viewing only (`folder`, an absolute
    /// path). Neither the experiment nor a run's input is changed.
    void showCase(const QString& folder, const scan::Case& theCase);
    void endPreview();
    /// Shows the DICOM header of the displayed scan in a separate window.
    void showHeader(QWidget* window);
    bool previews() const { return preview_.has_value(); }

    /// True while something that the experiment needs is being read.
    bool loading() const;
    QString loadingText() const;  ///< "reading case 7 of 40, 12 %"
    QString problem() const { return problem_; }
    /// Why the last request was not opened; empty if it was.
    QString refused() const { return refused_; }
    /// For a cohort, reads all its cases for a run. Does nothing if they have been read.
    void prepareRun();
    void cancelPreparing() { reader_.cancel(); }
    /// The volumes for a run of the experiment: channels, then labels; for a cohort, case after case. Empty
    /// until they are loaded.
    std::vector<volume::Volume> volumesForRun() const;
    /// True if the experiment needs no scan, or everything that a run needs is loaded.
    bool ready() const;
    /// The volumes in the views.
    const std::vector<volume::Volume>& shownVolumes() const;
    const std::vector<stack::ScanSource>& shownSources() const;
    /// The index of the displayed case of the experiment's cohort, and the number of cases; 0 and 1 for a
    /// scan.
    int shownCase() const { return cases_.empty() ? 0 : case_; }
    int caseCount() const { return cases_.empty() ? 1 : static_cast<int>(cases_.size()); }

signals:
    void stateChanged();
    void openFailed();  ///< the argument of openScans() cannot be read
    void progressed();  ///< progress of reading what a run needs
    void caseShown(const QString& name);
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});
    void folderRequested(const QString& folder);  ///< the folder of the single slice that was opened
    void openRequested();                         ///< the user clicked Open in the panel
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
    void follow();  // the document has changed
    void load();    // loads what the experiment or the preview needs
    void findCases();
    void loadCase(int place);
    void showLoaded();
    void showPatch();
    std::optional<std::size_t> labelsOnShow() const;
    void fillBars();
    void fail(const QString& message);
    void goBack();  // returns to the scan before the one that could not be read
    void chooseVolume(int volume);
    void volumesAsChannels(bool all);
    void offerFolder();
    void offerZscore();
    void fillWarnings();
    QString valueMisfitOnShow() const;
    QString paddingOnShow() const;
    QString nameOnShow() const;

    ExperimentDocument& document_;
    widgets::ScanPanel* panel_;
    ScanBars* bars_;
    ScanLabels* labels_;
    QPointer<HeaderWindow> header_;
    ScanLoader loader_;  ///< for the experiment's scans, or the displayed case
    ScanLoader previewLoader_;
    CohortReader reader_;
    Wanted wanted_;
    std::vector<scan::Case> cases_;  ///< the cases of the experiment's cohort
    int case_ = -1;
    bool naming_ = false;
    int namings_ = 0;  ///< number of requests to find cases; only the latest one counts
    struct Preview {
        QString folder;
        scan::Case theCase;
    };
    std::optional<Preview> preview_;
    int channel_ = 0;
    QString problem_, refused_;
    std::optional<stack::ScanInput> lastGood_;
    std::optional<std::uint64_t> opened_;  ///< the revision made by openScans(), until its scans are loaded
    widgets::Background worker_;           ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
