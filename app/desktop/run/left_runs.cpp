#include "app/desktop/run/left_runs.h"

#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kAgainMs = 60'000;

}  // namespace

LeftRuns::LeftRuns(Store& store, RunController& controller, std::function<bool()> mayTake, QObject* parent)
    : QObject(parent), store_(store), controller_(controller), mayTake_(std::move(mayTake)) {
    connect(&store_, &Store::rowsChanged, this, &LeftRuns::look);
}

void LeftRuns::setTakesOver(bool on) {
    takesOver_ = on;
    look();
}

bool LeftRuns::catchingUp() const {
    return takesOver_ && (!store_.listed() || controller_.behind());
}

void LeftRuns::look() {
    if (!takesOver_) {
        return;
    }
    for (const runs::ActiveRun& run : store_.active()) {
        if (!run.problem.empty()) {
            cannotFollow(run, run.problem);
        } else if (run.followedBy == runs::ActiveRun::FollowedBy::Nobody && mayTake_() &&
                   !notTaken_.contains(run.id)) {
            controller_.takeOver(run,
                                 [this, run](const std::string& problem) { cannotFollow(run, problem); });
        }
    }
}

void LeftRuns::cannotFollow(const runs::ActiveRun& run, const std::string& problem) {
    notTaken_.insert(run.id);
    const bool there = !run.host.empty();
    if (there) {  // until the host is reachable again
        QTimer::singleShot(kAgainMs, this, [this, id = run.id] { notTaken_.erase(id); });
    }
    if (!saidNotTaken_.insert(run.id).second) {
        return;
    }
    const QString line = tr("Run #%1 continues, but this window cannot follow it: %2")
                             .arg(run.number)
                             .arg(widgets::fromUtf8(problem));
    if (there) {
        emit notice(widgets::NoticeBar::Kind::Warning, line, tr("Give it up…"),
                    [this, id = run.id] { emit giveUpWanted(id); });
    } else {
        emit notice(widgets::NoticeBar::Kind::Warning, line);
    }
}

void LeftRuns::giveUp(const std::string& id, QWidget* asker) {
    const auto at = std::ranges::find(store_.active(), id, &runs::ActiveRun::id);
    if (at == store_.active().end() || at->host.empty()) {
        return;
    }
    const runs::ActiveRun run = *at;
    QMessageBox box(QMessageBox::Question, tr("Give up a run"),
                    tr("Give up run #%1 on %2?").arg(run.number).arg(widgets::fromUtf8(run.host)),
                    QMessageBox::NoButton, asker);
    box.setInformativeText(tr("The data fetched so far is kept, and the run is recorded as failed. Nothing "
                              "is stopped on %1, and nothing more is fetched from it.")
                               .arg(widgets::fromUtf8(run.host)));
    auto* const yes = box.addButton(tr("Give up"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    if (box.clickedButton() == yes) {
        controller_.giveUp(id, [this, run](const std::string& problem) {
            emit notice(widgets::NoticeBar::Kind::Error,
                        tr("Run #%1 was not given up: %2").arg(run.number).arg(widgets::fromUtf8(problem)));
        });
    }
}

}  // namespace highwater::desktop

#include "moc_left_runs.cpp"
