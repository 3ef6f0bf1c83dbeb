#pragma once

#include <QObject>
#include <memory>

#include "app/desktop/study/factorial_window.h"
#include "app/desktop/study/study_worker.h"

namespace highwater::desktop {

class ClaimsWindow;

/// The windows of claims and of factorials, and the one worker behind them.
class StudyWindows : public QObject {
    Q_OBJECT
public:
    StudyWindows(widgets::ExperimentDocument& document, Store& store, FactorialWindow::Around around,
                 QObject* parent = nullptr);
    ~StudyWindows() override;

    /// Made when they are first asked for; then brought to the front.
    ClaimsWindow& openClaims();
    FactorialWindow& openFactorial();

    /// A run of the main window is on: why no study can be started; empty: it can.
    void setBlocked(const QString& whyNot);
    /// What is run, and on what, is another now.
    void optionsChanged();
    bool running() const { return worker_.running(); }
    StudyWorker& worker() { return worker_; }
    /// Whether all may be closed now: where a study runs, its user is asked; "stop" cancels it.
    bool mayClose();
    void closeAll();

    /// For a script: what it asked for last, and how that goes.
    StudyWindow* newest() const { return newest_; }
    bool loading() const;
    QString problem() const;

signals:
    void stateChanged();

private:
    void show(StudyWindow& window);
    widgets::ExperimentDocument& document_;
    Store& store_;
    FactorialWindow::Around around_;
    QString blocked_;
    StudyWindow* newest_ = nullptr;
    StudyWorker worker_;
    std::unique_ptr<ClaimsWindow> claims_;
    std::unique_ptr<FactorialWindow> factorial_;
};

}  // namespace highwater::desktop
