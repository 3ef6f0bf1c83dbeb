#pragma once

#include <QMainWindow>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/experiment/experiment_file.h"
#include "app/desktop/experiment/session.h"
#include "app/desktop/run/store.h"
#include "app/desktop/window/notice_bar.h"
#include "app/desktop/window/options.h"
#include "core/devices/devices.h"
#include "core/runs/run_store.h"
#include "widgets/stack/document.h"

class QSplitter;

namespace highwater::widgets {
class StackEditor;
class LayerOptions;
}  // namespace highwater::widgets

namespace highwater::desktop {

class CohortWindow;
class DevicePage;
class LivePage;
class PatchPage;
class PredictionPage;
class RunsPage;
class ScanOpener;
class ScanPage;
class SettingsPage;
class StudyWindows;
class TraceWindows;

/// The window: puts the pages side by side and carries messages between them. What each page does is its own
/// affair.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `gpus` says what GPUs there are; it is called on another thread.
    explicit MainWindow(
        const Options& options, std::function<devices::GpusHere()> gpus = [] { return devices::gpusHere(); });
    ~MainWindow() override;

    /// After the first paint: the named experiment, else the last session's, else the sample; the named scan;
    /// the runs.
    void open(const Options& options);
    void openExperiment(const QString& path);
    void openSample();

    /// For driving it: a scan is being read; why what was asked for could not be opened; the run; nothing
    /// left to draw.
    bool loading() const;
    QString loadProblem() const;
    QString startRun();
    void stopRun();
    bool running() const;
    const std::optional<runs::RunSummary>& lastRun() const;
    bool settled() const;
    /// What a picture is taken of: this window, or the timeline that was asked for.
    QWidget* pictured();
    PredictionPage& predictions() { return *predictions_; }
    DevicePage& devices() { return *devices_; }
    PatchPage& patches() { return *patches_; }
    SettingsPage& settings() { return *settings_; }
    StudyWindows& studies() { return *studies_; }
    ScanOpener& opener() { return *opener_; }
    /// The window of cohorts with that folder; empty: the experiment's cohort, else one is asked for.
    void openCohort(const QString& folder);
    CohortWindow* cohort() const { return cohort_.get(); }
    void saveReport(const std::vector<std::string>& ids, const QString& file,
                    std::function<void(QString)> then);

    widgets::ExperimentDocument& document() { return document_; }
    Store& store() { return store_; }
    NoticeBar& notices() { return *notices_; }

signals:
    /// Once: the window has been painted for the first time.
    void painted();

protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    friend class MainMenu;
    void buildLayout();
    void connectPages();
    void connectTraces();
    void makeStudies();
    void makeScans();
    void makeCohort();
    void makePatches();
    void restoreState(const Options& options);
    void keepState();
    void updateTitle();
    void say(NoticeBar::Kind kind, const QString& text, const QString& action = {},
             std::function<void()> act = {});
    bool save();
    bool saveAs();
    void chooseExperiment();
    void openDropped(const QStringList& paths);
    void choosePlans();
    void importPlans(const QString& path);

    widgets::ExperimentDocument document_;
    Store store_;
    Session session_;
    ExperimentFile file_;
    ScanPage* scan_ = nullptr;
    ScanOpener* opener_ = nullptr;
    std::unique_ptr<CohortWindow> cohort_;
    TraceWindows* traces_ = nullptr;
    StudyWindows* studies_ = nullptr;
    LivePage* live_ = nullptr;
    PatchPage* patches_ = nullptr;
    PredictionPage* predictions_ = nullptr;
    DevicePage* devices_ = nullptr;
    SettingsPage* settings_ = nullptr;
    RunsPage* runs_ = nullptr;
    NoticeBar* notices_ = nullptr;
    widgets::StackEditor* editor_ = nullptr;
    widgets::LayerOptions* layerOptions_ = nullptr;
    QSplitter *columns_ = nullptr, *left_ = nullptr, *right_ = nullptr, *upper_ = nullptr;
    QString openProblem_;
    bool painted_ = false;
    bool viewsLarge_ = false;
    bool driven_ = false;  ///< by a script: nothing may wait for an answer
};

}  // namespace highwater::desktop
