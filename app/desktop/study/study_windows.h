#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "app/desktop/study/factorial/factorial_window.h"
#include "app/desktop/study/study_worker.h"
#include "app/desktop/study/sweep/sweep_setup.h"

namespace highwater::desktop {

class ClaimsWindow;
class SweepWindow;

/// The windows of claims, of factorials and of sweeps, and the worker that they share.
class StudyWindows : public QObject {
    Q_OBJECT
public:
    StudyWindows(ExperimentDocument& document, Store& store, FactorialWindow::Around around,
                 QObject* parent = nullptr);
    ~StudyWindows() override;

    /// The windows are created when they are first opened; after that they are brought to the front.
    ClaimsWindow& openClaims();
    FactorialWindow& openFactorial();
    SweepWindow& openSweep();
    /// Sets the initial contents of the sweep window.
    void setSweep(const SweepChoice& sweep) { composed_ = sweep; }

    /// Sets why no study can be started because of a run in the main window; empty if one can be.
    void setBlocked(const QString& whyNot);
    /// To be called when the experiment or the device has changed.
    void optionsChanged();
    bool running() const { return worker_.running(); }
    StudyWorker& worker() { return worker_; }
    /// Returns whether all windows may be closed now. If a study runs, the user is asked.
    bool mayClose();
    void closeAll();

    /// For the command line: the window that was opened last, and its state.
    StudyWindow* newest() const { return newest_; }
    bool loading() const;
    QString problem() const;

signals:
    void stateChanged();
    void sweepComposed(const highwater::desktop::SweepChoice& sweep);
    /// Requests that a run be selected and, if `open`, brought to the front.
    void runWanted(const QString& id, bool open);

private:
    void show(StudyWindow& window);
    ExperimentDocument& document_;
    Store& store_;
    FactorialWindow::Around around_;
    QString blocked_;
    std::optional<SweepChoice> composed_;
    StudyWindow* newest_ = nullptr;
    StudyWorker worker_;
    std::unique_ptr<ClaimsWindow> claims_;
    std::unique_ptr<FactorialWindow> factorial_;
    std::unique_ptr<SweepWindow> sweep_;
};

}  // namespace highwater::desktop
