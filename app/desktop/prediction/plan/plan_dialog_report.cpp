#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "core/base/id.h"
#include "core/report/prediction_report.h"

/// The report of a plan.
namespace highwater::desktop {

namespace {

std::optional<predict::Prediction> stepOf(const stack::Experiment& experiment,
                                          const predict::Target& target) {
    const auto info = stack::inferShapes(experiment);
    auto prediction =
        info ? predict::predict(experiment, *info, target) : base::Result<predict::Prediction>(info.error());
    return prediction ? std::optional(std::move(*prediction)) : std::nullopt;
}

}  // namespace

void PlanDialog::saveReport(const QString& file) {
    if (!found_ || view_->chosen() < 0) {
        return;
    }
    report::PlanInput input;
    input.target = found_->aim.target;
    input.budget = found_->aim.budget;
    input.capacity = found_->aim.capacity;
    input.curve = found_->curve;
    input.chosen = static_cast<std::size_t>(view_->chosen());
    input.headline = view_->headline().toStdString();
    const auto write = [input = std::move(input)](const std::filesystem::path& path,
                                                  const report::Stop& stop) mutable {
        input.before = stepOf(input.curve.asItIs.experiment, input.target);
        input.after = stepOf(input.curve.plans[input.chosen].experiment, input.target);
        input.created = base::isoNow();
        return report::write(report::contentOf(input), path, stop);
    };
    writeReport(file, write, reports_, this, sayIn(*notices_));
}

}  // namespace highwater::desktop
