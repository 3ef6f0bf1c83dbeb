#include "app/desktop/study/claims/claims_window.h"

#include <QSettings>
#include <QSplitter>
#include <QTreeView>

#include "app/desktop/study/claims/claim_values.h"
#include "app/desktop/study/claims/claims_list.h"
#include "app/desktop/study/claims/claims_panel.h"
#include "widgets/controls/notice_bar.h"

namespace highwater::desktop {

namespace {

constexpr auto kClaimsSplitter = "claims/splitter";

/// On the worker's thread.
base::Result<study::Finding> examine(StudyWorker::Job& job, const study::Claim& claim,
                                     const std::string& device, const std::string& host,
                                     const std::filesystem::path& store,
                                     const std::function<void(const study::Progress&)>& progress) {
    StudyRun how;
    how.device = device;
    how.host = host;
    how.steps = claim.steps;
    how.study = runs::newStudy("claim " + claim.id);
    how.volumes = scansFor({}, {}, job.cancelled());
    const auto runner = HIGHWATER_TRY(job.runner(how));
    auto finding = study::examine(claim, runner, device != "cpu", job.cancelled(), progress);
    if (finding) {
        HIGHWATER_TRY(study::saveFinding(store, *finding));
    }
    return finding;
}

double part(const study::Progress& progress) {
    return progress.atMost > 0 ? static_cast<double>(progress.done) / progress.atMost : 0;
}

}  // namespace

struct ClaimsWindow::Loaded {
    base::Result<std::vector<study::Claim>> claims = base::Error{};
    std::vector<study::Finding> findings;
};

ClaimsWindow::ClaimsWindow(Store& store, StudyWorker& worker, std::function<QString()> device,
                           std::function<QString()> host, std::filesystem::path folder)
    : StudyWindow("claims", worker),
      store_(store),
      device_(std::move(device)),
      host_(std::move(host)),
      folder_(std::move(folder)),
      panel_(new ClaimsPanel) {
    setWindowTitle(tr("Claims"));
    setContent(panel_);
    panel_->splitter().restoreState(QSettings().value(kClaimsSplitter).toByteArray());
    connect(panel_, &ClaimsPanel::runRequested, this, [this](const QStringList& ids) {
        if (const QString problem = run(ids); !problem.isEmpty()) {
            fail(problem);
        }
    });
    connect(panel_, &ClaimsPanel::cancelRequested, this, [this] { cancel(); });
    addShortcut(QKeySequence("F5"), [this] { panel_->runSelected(); });
    addShortcut(QKeySequence::Find, [this] { panel_->focusFilter(); });
    panel_->list().view().setFocus();
    load();
}

void ClaimsWindow::load() {
    if (loading_ || running()) {
        return;
    }
    loading_ = true;
    store_.worker().run(
        [folder = folder_, store = store_.folder()] {
            return Loaded{study::loadClaims(folder), study::loadFindings(store)};
        },
        this, [this](Loaded loaded) { showLoaded(std::move(loaded)); });
}

void ClaimsWindow::showLoaded(Loaded loaded) {
    loading_ = false;
    clearProblem();
    claims_ = loaded.claims ? std::move(*loaded.claims) : std::vector<study::Claim>();
    findings_.clear();
    for (study::Finding& finding : loaded.findings) {
        findings_.insert_or_assign(finding.id, std::move(finding));
    }
    const QString why = loaded.claims ? QString() : QString::fromStdString(loaded.claims.error().message);
    panel_->setProblem(claims_.empty() && why.isEmpty() ? tr("There are no claims.") : why);
    if (!why.isEmpty()) {
        fail(why);
    }
    showRows();
    if (!chosen_.isEmpty()) {
        panel_->select(chosen_.front());
    }
}

void ClaimsWindow::showRows() {
    std::vector<ClaimRow> rows;
    for (const study::Claim& claim : claims_) {
        const auto finding = findings_.find(claim.id);
        ClaimRow row = toRow(claim, finding == findings_.end() ? nullptr : &finding->second);
        if (const auto problem = problems_.find(claim.id); problem != problems_.end()) {
            row.problem = problem->second;
        }
        if (const auto activity = activities_.find(claim.id); activity != activities_.end()) {
            row.activity = activity->second;
        }
        rows.push_back(std::move(row));
    }
    panel_->setRows(rows);
}

std::vector<study::Claim> ClaimsWindow::claimsOf(const QStringList& ids) const {
    std::vector<study::Claim> chosen;
    for (const study::Claim& claim : claims_) {
        if (ids.isEmpty() || ids.contains(QString::fromStdString(claim.id))) {
            chosen.push_back(claim);
        }
    }
    return chosen;
}

QString ClaimsWindow::run() {
    return run(chosen_);
}

QString ClaimsWindow::run(const QStringList& ids) {
    if (!blocked().isEmpty()) {
        return blocked();
    }
    const std::vector<study::Claim> chosen = claimsOf(ids);
    if (chosen.empty()) {
        return claims_.empty() && !problem().isEmpty() ? problem()
                                                       : tr("No claim is named %1.").arg(ids.join(", "));
    }
    const auto guard = QPointer<QObject>(this);
    const auto work = [this, guard, chosen, device = device_().toStdString(), host = host_().toStdString(),
                       store = store_.folder()](StudyWorker::Job& job) {
        for (std::size_t i = 0; i < chosen.size() && !job.cancelled(); ++i) {
            const std::string id = chosen[i].id;
            job.post(guard, [this, id] { begin(id); });
            const QString which =
                chosen.size() == 1
                    ? QString::fromStdString(id)
                    : tr("%1 (%2 of %3)").arg(QString::fromStdString(id)).arg(i + 1).arg(chosen.size());
            const auto finding =
                examine(job, chosen[i], device, host, store, [&](const study::Progress& progress) {
                    job.say(which + ": " + QString::fromStdString(progress.what),
                            (static_cast<double>(i) + part(progress)) / static_cast<double>(chosen.size()));
                });
            if (!job.cancelled() || finding) {
                job.post(guard, [this, id, finding] { take(id, finding); });
            }
        }
    };
    found_ = failed_ = 0;
    if (!start(work, [this, n = chosen.size()](bool) { finish(n); })) {
        return tr("Another study is running. Cancel it first.");
    }
    for (const study::Claim& claim : chosen) {
        activities_[claim.id] = ClaimActivity::Waiting;
    }
    showRows();
    return {};
}

void ClaimsWindow::begin(const std::string& id) {
    activities_[id] = ClaimActivity::Running;
    problems_.erase(id);
    showRows();
}

void ClaimsWindow::take(const std::string& id, const base::Result<study::Finding>& finding) {
    activities_.erase(id);
    finding ? ++found_ : ++failed_;
    if (finding) {
        findings_.insert_or_assign(id, *finding);
    } else {
        problems_[id] = failure_ = QString::fromStdString(finding.error().message);
    }
    showRows();
}

void ClaimsWindow::finish(std::size_t asked) {
    activities_.clear();
    showRows();
    if (failed_ > 0) {
        fail(tr("%1 of %2 claims could not be measured: %3").arg(failed_).arg(asked).arg(failure_));
    } else if (found_ < asked) {
        notices().show(widgets::NoticeBar::Kind::Info,
                       tr("Stopped: %1 of %2 claims have a verdict.").arg(found_).arg(asked));
    }
}

void ClaimsWindow::showState(const StudyState& state) {
    panel_->setState(state);
}

void ClaimsWindow::closeEvent(QCloseEvent* event) {
    QSettings().setValue(kClaimsSplitter, panel_->splitter().saveState());
    StudyWindow::closeEvent(event);
}

}  // namespace highwater::desktop

#include "moc_claims_window.cpp"
