#pragma once

#include <QMainWindow>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/run/store.h"
#include "app/desktop/shell/experiment_file.h"
#include "app/desktop/shell/options.h"
#include "app/desktop/shell/session.h"
#include "core/devices/devices.h"
#include "core/runs/run_store.h"
#include "widgets/controls/notice_bar.h"

class QSplitter;

namespace highwater::stack {
struct PytorchImport;
}

namespace highwater::desktop {

class CasesDialog;
class CohortWindow;
class DevicePage;
class LayerOptions;
class LivePage;
class ModulesPanel;
class NnunetExportDialog;
class PatchPage;
class PredictionPage;
class RunsPage;
class ScanOpener;
class ScanPage;
class ScriptDialog;
class SettingsPage;
class StackEditor;
class StudyWindows;
class TraceWindows;

/// The main window. It lays out the pages and passes messages between them; everything else is left to the
/// pages.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `gpus` returns the GPUs of this machine; it is called on another thread.
    explicit MainWindow(
        const Options& options, std::function<devices::GpusHere()> gpus = [] { return devices::gpusHere(); });
    ~MainWindow() override;
    /// Applies the theme given in the options, or the one chosen last.
    static void applyTheme(const Options& options);
    /// The folder of the window's session (app/desktop/shell/session.h); empty for a driven window, which has
    /// none.
    static std::filesystem::path sessionFolder(const Options& options);

    /// To be called after the first paint. Opens the given experiment, or that of the last session, or the
    /// sample; then the given scan, and the runs.
    void open(const Options& options);
    void openExperiment(const QString& path);
    void openSample();

    /// For the command line: whether a scan is being read; why something could not be opened; starting and
    /// stopping a run; whether everything has been drawn.
    bool loading() const;
    QString loadProblem() const;
    QString startRun();
    void stopRun();
    bool running() const;
    const std::optional<runs::RunSummary>& lastRun() const;
    bool settled() const;
    /// The widget that a screenshot shows: this window, or the requested timeline.
    QWidget* pictured();
    PredictionPage& predictions() { return *predictions_; }
    DevicePage& devices() { return *devices_; }
    PatchPage& patches() { return *patches_; }
    SettingsPage& settings() { return *settings_; }
    StudyWindows& studies() { return *studies_; }
    ScanOpener& opener() { return *opener_; }
    /// Opens the cohort window with this folder. If it is empty, opens the experiment's cohort, or asks for a
    /// folder.
    void openCohort(const QString& folder);
    CohortWindow* cohort() const { return cohort_.get(); }
    void saveReport(const std::vector<std::string>& ids, const QString& file,
                    std::function<void(QString)> then);

    ExperimentDocument& document() { return document_; }
    /// Ends the control by the command line: from now on the window belongs to the user, and may ask
    /// questions.
    void handOver() { driven_ = false; }

    Session& session() { return session_; }
    Store& store() { return store_; }
    widgets::NoticeBar& notices() { return *notices_; }

signals:
    /// Emitted once, after the window's first paint.
    void painted();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    /// Asks whether a run may continue without its window; returns false if the window stays open.
    bool mayLeaveRun();
    /// Asks about changes that are neither saved nor stored; returns false if the window stays open.
    bool mayLeaveChanges();
    void sayWhatWasLeft(bool crashed);
    void sayWhetherKept(const QString& problem);
    /// Starts another window, which takes over what a closed window has left.
    void openAnotherWindow();
    void discardLeft();
    friend class MainMenu;
    void buildLayout();
    void connectPages();
    void connectRuns();
    void makeModules();
    void connectTraces();
    void makeStudies();
    void makePlanning();
    void makeScans();
    void makeCohort();
    void makePatches();
    /// Makes the table of runs taller by this many rows, or shorter if negative.
    void growRuns(int rows);
    void openPlans(const Options& options);
    void restoreState(const Options& options);
    void keepState();
    void keepRunOptions();
    void updateTitle();
    void say(widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
             std::function<void()> act = {});
    /// say() for a page whose messages are about this subject.
    auto sayAbout(widgets::NoticeBar::About about) {
        return [this, about](widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                             std::function<void()> act) {
            say(kind, text, action, std::move(act));
            notices_->setAbout(about);
        };
    }
    void sayOfFile(widgets::NoticeBar::Kind kind, const QString& text);
    void withdrawOldNotices();
    bool save();
    bool saveAs();
    bool saveTo(const QString& path);
    void newExperiment();
    void chooseExperiment();
    void openDropped(const QStringList& paths);
    void showPytorchImport();
    void showScript();
    void showCases();
    void showNnunetExport();
    void importNetwork(const QString& path);
    void takeNetwork(const QString& path, base::Result<stack::PytorchImport> imported);
    void choosePlans();
    void importPlans(const QString& path);

    ExperimentDocument document_;
    Store store_;
    Session session_;
    ExperimentFile file_;
    ScanPage* scan_ = nullptr;
    ScanOpener* opener_ = nullptr;
    std::unique_ptr<CohortWindow> cohort_;
    TraceWindows* traces_ = nullptr;
    ScriptDialog* script_ = nullptr;              ///< created when it is first opened
    CasesDialog* cases_ = nullptr;                ///< created when it is first opened
    NnunetExportDialog* nnunetExport_ = nullptr;  ///< the same
    StudyWindows* studies_ = nullptr;
    LivePage* live_ = nullptr;
    PatchPage* patches_ = nullptr;
    PredictionPage* predictions_ = nullptr;
    DevicePage* devices_ = nullptr;
    SettingsPage* settings_ = nullptr;
    RunsPage* runs_ = nullptr;
    ModulesPanel* modules_ = nullptr;
    widgets::NoticeBar* notices_ = nullptr;
    StackEditor* editor_ = nullptr;
    LayerOptions* layerOptions_ = nullptr;
    QSplitter *columns_ = nullptr, *left_ = nullptr, *right_ = nullptr, *upper_ = nullptr;
    QString openProblem_;
    int reading_ = 0;  ///< number of networks that are being read in the background
    bool painted_ = false;
    bool viewsLarge_ = false;
    bool driven_ = false;  ///< driven from the command line: nothing may wait for an answer
};

}  // namespace highwater::desktop
