#pragma once

#include <QMainWindow>
#include <functional>

#include "app/desktop/study/study_worker.h"
#include "widgets/study/study_values.h"

namespace highwater::desktop {

class NoticeBar;

/// What the windows of studies have in common: they keep their geometry, say what happened in a line, and ask
/// before their study is ended. Closing hides them.
class StudyWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `key`: of the settings.
    StudyWindow(const QString& key, StudyWorker& worker);
    ~StudyWindow() override;

    /// The study that runs is this window's.
    bool running() const { return mine_ && worker_.running(); }
    /// Why nothing can be started now; empty: it can.
    void setBlocked(const QString& whyNot);
    /// What a script asks: to choose these, and to run them; returns why it cannot.
    virtual void choose(const QStringList& ids) = 0;
    virtual QString run() = 0;
    virtual bool loading() const = 0;
    /// Why there is nothing to show, or what ended badly; empty: all is well.
    const QString& problem() const { return problem_; }
    NoticeBar& notices() { return *notices_; }

    enum class Answer { Stop, GoOn, Stay };
    /// Asks the user; tests answer themselves.
    void setQuestion(std::function<Answer()> question) { question_ = std::move(question); }
    /// Closes without a question; a study goes on, or is ended by others.
    void closeUnasked();

protected:
    void setContent(QWidget* content);
    /// `work` on the worker's thread, `done` on the window's (whether it was cancelled); false where
    /// something is at work already.
    bool start(std::function<void(StudyWorker::Job&)> work, std::function<void(bool cancelled)> done);
    void cancel() { worker_.cancel(); }
    bool cancelling() const { return worker_.cancelling(); }
    const QString& blocked() const { return blocked_; }
    void fail(const QString& problem);
    void clearProblem() { problem_.clear(); }
    void addShortcut(const QKeySequence& keys, std::function<void()> act);
    virtual void showState(const widgets::StudyState& state) = 0;
    void closeEvent(QCloseEvent* event) override;

private:
    void follow();
    Answer ask();
    QString key_;
    StudyWorker& worker_;
    NoticeBar* notices_;
    QString blocked_, problem_;
    bool mine_ = false, unasked_ = false;
    std::function<Answer()> question_;
};

}  // namespace highwater::desktop
