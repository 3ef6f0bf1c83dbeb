#include "app/desktop/prediction/plan/plan_dialog.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/bar/control_fields.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/prediction/plan/plan_side.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "core/base/text.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kPlanSettleMs = 300;
constexpr int kRestMs = 120;  ///< when the slider settles, the step is predicted

QString titleOf(const stack::Experiment& experiment) {
    QStringList parts = {widgets::fromUtf8(experiment.name),
                         QObject::tr("batch %1").arg(experiment.step.batchSize),
                         widgets::fromUtf8(base::formatShapeShort(stack::patchOf(experiment)))};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

PlanDialog::PlanDialog(ExperimentDocument& document, TargetField& targets, PlanAround around, QWidget* parent,
                       ask::Learner::Work work)
    : QDialog(parent),
      document_(document),
      targets_(targets),
      around_(std::move(around)),
      scan_(std::move(work)) {
    setWindowTitle(tr("Make it fit"));
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    notices_ = new widgets::NoticeBar(this);
    view_ = new PlanView(this);
    layout->addWidget(notices_);
    layout->addWidget(view_, 1);
    makeBudget();
    makeChoices();
    connectView();
    connectScan();
    connectWorker();
    new QShortcut(QKeySequence::Undo, this, [this] { document_.undoStack().undo(); });
    new QShortcut(QKeySequence::Redo, this, [this] { document_.undoStack().redo(); });
    resize(widgets::onScreen(*this, {1400, 900}));
    search();
}

PlanDialog::~PlanDialog() {
    if (confirming_) {
        around_.worker->cancel();
    }
}

void PlanDialog::makeBudget() {
    budget_ = new widgets::CheckedEdit(
        [](const QString& typed) {
            const auto bytes = parseBudget(typed);
            return bytes ? QString() : widgets::fromUtf8(bytes.error().message);
        },
        this);
    budget_->setFixedWidth(96);
    budget_->setHint(
        tr("Memory limit for plans. Leave empty to use all memory that the device leaves to a run."));
    budget_->setPlaceholderText(tr("all memory"));
    limit_ = around_.budget ? around_.budget() : std::nullopt;
    budget_->showValue(budgetText(limit_));
    view_->addField(tr("Budget"), budget_);
    connect(budget_, &widgets::CheckedEdit::edited, this, &PlanDialog::takeBudget);
    connect(budget_, &widgets::CheckedEdit::rejected, this, [this] { later_.start(); });
}

void PlanDialog::takeBudget(const QString& typed) {
    limit_ = *parseBudget(typed);
    budget_->showValue(budgetText(limit_), [this](const QString& text) {
        const auto same = parseBudget(text);
        return same && *same == limit_;
    });
    later_.start();
}

void PlanDialog::makeChoices() {
    choicesButton_ = new QPushButton(this);
    choicesButton_->setObjectName(QStringLiteral("planChoices"));
    auto* menu = new QMenu(choicesButton_);
    menu->setToolTipsVisible(true);
    const auto add = [&](bool plan::PlanChoices::* choice, const QString& name, const QString& hint) {
        QAction* action = menu->addAction(name);
        action->setCheckable(true);
        action->setChecked(choices_.*choice);
        action->setToolTip(hint);
        connect(action, &QAction::toggled, this, [this, choice](bool on) {
            choices_.*choice = on;
            showChoices();
            later_.start();
        });
    };
    add(&plan::PlanChoices::microBatches, tr("Micro-batches"),
        tr("Parts of a batch one after the other (gradient accumulation), if no layer uses statistics of the "
           "batch"));
    add(&plan::PlanChoices::channelsLast, tr("Channels last"),
        tr("On a GPU: the channels_last memory format"));
    add(&plan::PlanChoices::inplaceAbn, tr("InPlace-ABN"),
        tr("Batch norm and leaky activation become one layer, which keeps one tensor instead of "
           "two.\nResults differ by rounding."));
    add(&plan::PlanChoices::autocast, tr("16 bits (autocast)"),
        tr("On a GPU: convolutions and matrix products in bf16, or fp16 before Ampere.\nResults differ by "
           "rounding."));
    add(&plan::PlanChoices::offload, tr("Offloading"),
        tr("On a GPU: what layers keep for the backward pass is moved to host memory.\nThe time of the "
           "transfers is an estimate from the link's datasheet."));
    choicesButton_->setMenu(menu);
    view_->addField(tr("May use"), choicesButton_);
    showChoices();
}

/// Shows the selected choices on the button.
void PlanDialog::showChoices() {
    QStringList names = {tr("recomputation")};
    for (const QAction* action : choicesButton_->menu()->actions()) {
        if (action->isChecked()) {
            names << action->text();
        }
    }
    choicesButton_->setText(names.size() > 2 ? tr("%1 + %2 more").arg(names[0]).arg(names.size() - 1)
                                             : names.join(QStringLiteral(" + ")));
    choicesButton_->setToolTip(tr("Memory limit for plans: %1").arg(names.join(QStringLiteral(", "))));
}

void PlanDialog::connectView() {
    connect(view_, &PlanView::planChosen, this, [this](int plan) {
        chosenByUser_ = true;
        showSteps(plan);
        showApplied();
    });
    connect(view_, &PlanView::applyRequested, this, [this] {
        const plan::Plan& chosen = found_->curve.plans[static_cast<std::size_t>(view_->chosen())];
        apply(tr("Make it fit: %1").arg(widgets::fromUtf8(plan::headline(chosen))), chosen);
    });
    connect(view_, &PlanView::confirmRequested, this, [this] { run(); });
    connect(view_, &PlanView::reportRequested, this, [this] {
        if (const QString file = askReportFile(this); !file.isEmpty()) {
            saveReport(file);
        }
    });
    connect(view_, &PlanView::cancelRequested, this, [this] {
        scan_.cancel();
        finish(tr("cancelled"));
    });
    connect(&view_->taskChanges(), &TaskChangesPanel::asked, this, [this] {
        view_->taskChanges().setMessage(
            tr("Looking for a smaller batch, a smaller patch and other networks that fit…"));
        scan_.findTaskChanges();
    });
    connect(&view_->taskChanges(), &TaskChangesPanel::applyRequested, this, [this](int change) {
        const plan::Plan plan = taskChanges_[static_cast<std::size_t>(change)];
        apply(tr("Make it fit: %1").arg(toTaskChange(plan, document_.experiment(), found_->aim.target).title),
              plan);
    });
}

void PlanDialog::connectScan() {
    connect(&scan_, &PlanScan::progressed, view_, [this](double done) { view_->setProgress(done); });
    connect(&scan_, &PlanScan::found, this, &PlanDialog::showFound);
    connect(&scan_, &PlanScan::finished, this, &PlanDialog::finish);
    connect(&scan_, &PlanScan::taskChangesFound, this, &PlanDialog::showTaskChanges);
    connect(&scan_, &PlanScan::stepsPredicted, this, [this](int plan, const PlanSteps& steps) {
        steps_[plan] = steps;
        if (plan == view_->chosen()) {
            view_->setSteps(steps);
        }
    });
    connect(&targets_, &TargetField::changed, this, [this] { later_.start(); });
    later_.setSingleShot(true);
    later_.setInterval(kPlanSettleMs);
    connect(&later_, &QTimer::timeout, this, &PlanDialog::search);
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, [this] { scan_.predictSteps(view_->chosen()); });
}

void PlanDialog::experimentChanged() {
    const auto shown = [this](const plan::Plan& plan) { return plan.experiment == document_.experiment(); };
    if (found_ && !later_.isActive() &&
        (shown(found_->curve.asItIs) || std::ranges::any_of(found_->curve.plans, shown))) {
        showApplied();
        return;
    }
    const QString again = tr("The experiment has changed: looking for plans again…");
    sayNone(again, again);
    later_.start();
}

/// Discards all results.
void PlanDialog::sayNone(const QString& headline, const QString& hint) {
    scan_.cancel();
    rest_.stop();
    found_.reset();
    steps_.clear();
    taskChanges_.clear();
    chosenByUser_ = false;
    view_->setNoPlans(headline, hint);
    view_->setProgress({});
}

void PlanDialog::search() {
    later_.stop();
    view_->setTitle(titleOf(document_.experiment()));
    if (const auto& info = document_.info(); !info) {
        const QString why = plainError(widgets::fromUtf8(info.error().message));
        return sayNone(tr("No plans: %1").arg(why), why);
    }
    if (!budget_->isRight()) {
        return sayNone(tr("Budget: %1").arg(budget_->reason()), budget_->reason());
    }
    const QString device = targets_.choice().id == "cpu" ? tr("this CPU") : targets_.title();
    const QString looking = tr("Looking for plans for %1…").arg(onDevice(device));
    sayNone(looking, looking);
    view_->setProgress(0);
    scan_.start({document_.experiment(), targets_.choice(), device, choices_, limit_});
}

void PlanDialog::showFound(const std::shared_ptr<const PlanScan::Found>& found) {
    const bool kept = chosenByUser_ && found_;
    const stack::Experiment chosen =
        kept ? found_->curve.plans[static_cast<std::size_t>(view_->chosen())].experiment
             : stack::Experiment{};
    found_ = found;
    steps_.clear();
    int place = found_->best;
    for (std::size_t i = 0; kept && i < found_->curve.plans.size(); ++i) {
        if (found_->curve.plans[i].experiment == chosen) {
            place = static_cast<int>(i);
        }
    }
    view_->setCurve(found_->values, place);
    view_->confirmed().setRows({}, tr("Confirm runs the current experiment and the chosen plan in turns and "
                                      "compares the measurements with the predictions."));
    showSteps(view_->chosen());
    showApplied();
    showConfirmable();
}

void PlanDialog::finish(const QString& problem) {
    view_->setProgress({});
    if (!found_) {
        const QString why = plainError(problem);
        view_->setNoPlans(tr("No plans: %1").arg(why), why);
        return;
    }
    view_->taskChanges().setUnasked(scan_.running() || problem.isEmpty());
}

void PlanDialog::showSteps(int plan) {
    if (const auto known = steps_.find(plan); known != steps_.end()) {
        rest_.stop();
        return view_->setSteps(known->second);
    }
    PlanSteps waiting;
    if (!steps_.empty()) {
        waiting = steps_.begin()->second;
        waiting.plan.clear();
    }
    waiting.note = tr("predicting…");
    view_->setSteps(waiting);
    rest_.start();
}

void PlanDialog::showApplied() {
    int applied = -1;
    for (std::size_t i = 0; found_ && i < found_->curve.plans.size(); ++i) {
        if (found_->curve.plans[i].experiment == document_.experiment()) {
            applied = static_cast<int>(i);
        }
    }
    view_->setApplied(applied);
}

void PlanDialog::apply(const QString& what, const plan::Plan& plan) {
    document_.edit(what, [&](stack::Experiment& experiment) { experiment = plan.experiment; });
}

void PlanDialog::showTaskChanges(const std::vector<plan::Plan>& plans, const QString& problem) {
    taskChanges_ = plans;
    if (!problem.isEmpty()) {
        return view_->taskChanges().setMessage(plainError(problem));
    }
    if (plans.empty()) {
        return view_->taskChanges().setMessage(tr("No smaller batch, smaller patch or other network fits."));
    }
    std::vector<TaskChange> changes;
    for (const plan::Plan& plan : plans) {
        changes.push_back(toTaskChange(plan, document_.experiment(), found_->aim.target));
    }
    view_->taskChanges().setChanges(changes);
}

}  // namespace highwater::desktop

#include "moc_plan_dialog.cpp"
