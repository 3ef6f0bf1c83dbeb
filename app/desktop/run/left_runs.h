#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <set>
#include <string>

#include "app/desktop/run/run_controller.h"
#include "widgets/controls/notice_bar.h"

class QWidget;

namespace highwater::desktop {

/// Runs that windows and command lines have left: takes them over while no other run is on, here and on
/// hosts. Runs whose host is gone for good can be given up.
class LeftRuns : public QObject {
    Q_OBJECT
public:
    /// `mayTake`: whether a run could be taken over at this moment. All of these must outlive this object.
    LeftRuns(Store& store, RunController& controller, std::function<bool()> mayTake,
             QObject* parent = nullptr);

    /// Whether runs that nobody follows any more are taken over.
    void setTakesOver(bool on);
    /// True until what others left has been looked for, and what it measured has been read.
    bool catchingUp() const;
    /// Asks whether a run on a host is to be recorded as failed with what is here of it, and does so.
    void giveUp(const std::string& id, QWidget* asker);

signals:
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});
    void giveUpWanted(const std::string& id);  ///< by a notice's action

private:
    void look();
    void cannotFollow(const runs::ActiveRun& run, const std::string& problem);
    Store& store_;
    RunController& controller_;
    std::function<bool()> mayTake_;
    bool takesOver_ = false;
    std::set<std::string> notTaken_, saidNotTaken_;  ///< runs that could not be taken over
};

}  // namespace highwater::desktop
