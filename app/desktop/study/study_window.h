#pragma once

#include <QMainWindow>
#include <functional>

#include "app/desktop/study/study_values.h"
#include "app/desktop/study/study_worker.h"

namespace highwater::widgets {
class NoticeBar;
}

namespace highwater::desktop {

/// The base class of study windows: they store their geometry, show notices in one line, and ask before their
/// study is stopped. Closing hides them; work for the current experiment, which is predicted again after
/// every edit, is then postponed until they are shown again.
class StudyWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `key` is the window's key in the settings.
    StudyWindow(const QString& key, StudyWorker& worker);
    ~StudyWindow() override;

    /// True if a study of this window is running.
    bool running() const { return mine_ && worker_.running(); }
    /// Sets why nothing can be started now; empty if a study can be.
    void setBlocked(const QString& whyNot);
    /// For the command line: choose() selects these claims or levers, run() runs them and returns why it
    /// cannot, or an empty string.
    virtual void choose(const QStringList& ids) = 0;
    virtual QString run() = 0;
    virtual bool loading() const = 0;
    /// To be called when the current experiment or the device has changed.
    void offerSoon();
    /// Why there is nothing to show, or what went wrong; empty if there is no problem.
    const QString& problem() const { return problem_; }
    widgets::NoticeBar& notices() { return *notices_; }

    enum class Answer { Stop, GoOn, Stay };
    /// Replaces the question to the user; for tests.
    void setQuestion(std::function<Answer()> question) { question_ = std::move(question); }
    /// Closes without a question. A running study continues unless it is stopped elsewhere.
    void closeUnasked();

protected:
    void setContent(QWidget* content);
    /// Runs `work` on the worker's thread, then `done` on the window's thread, with whether it was cancelled.
    /// Returns false if other work is in progress.
    bool start(std::function<void(StudyWorker::Job&)> work, std::function<void(bool cancelled)> done);
    void cancel() { worker_.cancel(); }
    bool cancelling() const { return worker_.cancelling(); }
    const QString& blocked() const { return blocked_; }
    void fail(const QString& problem);
    void clearProblem() { problem_.clear(); }
    void addShortcut(const QKeySequence& keys, std::function<void()> act);
    virtual void showState(const StudyState& state) = 0;
    /// Starts updating for the current experiment, after a moment.
    virtual void offerLater() {}
    /// Stops updating; returns false if there was nothing to stop.
    virtual bool stopOffering() { return false; }
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void follow();
    Answer ask();
    QString key_;
    StudyWorker& worker_;
    widgets::NoticeBar* notices_;
    QString blocked_, problem_;
    bool mine_ = false, unasked_ = false;
    bool away_ = false, missed_ = false;  ///< closed; something changed since then, or an update was stopped
    std::function<Answer()> question_;
};

}  // namespace highwater::desktop
