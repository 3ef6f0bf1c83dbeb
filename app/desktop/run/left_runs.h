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

/// Runs that windows and command lines have left: takes them over while no other run is in progress, on this
/// machine and on hosts. Runs whose host is permanently gone can be given up.
class LeftRuns : public QObject {
    Q_OBJECT
public:
    /// `mayTake`: whether a run can be taken over now. All arguments must outlive this object.
    LeftRuns(Store& store, RunController& controller, std::function<bool()> mayTake,
             QObject* parent = nullptr);

    /// Sets whether runs that no program follows are taken over.
    void setTakesOver(bool on);
    /// True until left runs have been looked for, and their measurements have been read.
    bool catchingUp() const;
    /// Asks whether to record a run on a host as failed with the data that is here, and does so.
    void giveUp(const std::string& id, QWidget* asker);

signals:
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});
    void giveUpWanted(const std::string& id);  ///< requested by a notice's action

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
