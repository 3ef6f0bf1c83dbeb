#include "app/desktop/prediction/plan/plan_dialog.h"

#include <QPointer>
#include <QPushButton>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/prediction/plan/plan_side.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "widgets/theme/utf8.h"

/// Confirming a plan: it and the unchanged experiment are run on this machine.
namespace highwater::desktop {

void PlanDialog::connectWorker() {
    connect(&view_->confirmed(), &ConfirmedPanel::cancelRequested, this,
            [this] { around_.worker->cancel(); });
    if (around_.worker != nullptr) {
        connect(around_.worker, &StudyWorker::stateChanged, this, &PlanDialog::followWorker);
        connect(around_.worker, &StudyWorker::progressed, this, &PlanDialog::followWorker);
    }
}

void PlanDialog::showConfirmable() {
    QString why;
    if (around_.worker == nullptr) {
        why = tr("Nothing can be run here.");
    } else if (const auto device = around_.device(targets_.choice()); !device) {
        why = widgets::fromUtf8(device.error().message);
    } else {
        why = around_.worker->running() ? tr("A study is in progress. Wait for it, or cancel it.")
                                        : around_.blocked();
    }
    view_->setConfirmable(why);
}

QString PlanDialog::run() {
    showConfirmable();
    if (!found_ || !view_->confirmButton().isEnabled()) {
        return view_->confirmButton().toolTip();
    }
    auto both = std::make_shared<Confirmation>();
    both->asItIs = found_->curve.asItIs;
    both->planned = found_->curve.plans[static_cast<std::size_t>(view_->chosen())];
    auto status = std::make_shared<base::Status>();
    StudyRun how;
    how.device = *around_.device(targets_.choice());
    how.steps = kConfirmSteps;
    how.study = runs::newStudy("make it fit: " + both->asItIs.experiment.name);
    confirming_ = around_.worker->start(
        [both, status, how, volumes = around_.volumes()](StudyWorker::Job& job) mutable {
            how.volumes = scansFor(both->asItIs.experiment, std::move(volumes), job.cancelled());
            *status = confirm(job, how, *both);
        },
        [guard = QPointer<PlanDialog>(this), both, status](bool cancelled) {
            if (guard) {
                guard->confirming_ = false;
                guard->showConfirmation(*both, *status, cancelled);
            }
        });
    followWorker();
    return {};
}

void PlanDialog::showConfirmation(const Confirmation& confirmation, const base::Status& status,
                                  bool cancelled) {
    ConfirmedPanel& panel = view_->confirmed();
    if (!status) {
        panel.setNote({});
        panel.setRows({}, cancelled ? tr("Stopped before both were measured.")
                                    : tr("The plan could not be confirmed: %1")
                                          .arg(plainError(widgets::fromUtf8(status.error().message))));
    } else {
        panel.setNote(confirmedNote(confirmation));
        panel.setRows(confirmedRows(confirmation, confirmation.measuredPlanned.result.peakReserved > 0),
                      tr("Plan: %1.").arg(widgets::fromUtf8(plan::headline(confirmation.planned))));
    }
    followWorker();
}

void PlanDialog::followWorker() {
    const StudyWorker& worker = *around_.worker;
    view_->confirmed().setState(
        {confirming_, confirming_ && worker.cancelling(), worker.what(), worker.fraction(), QString()});
    showConfirmable();
}

}  // namespace highwater::desktop
