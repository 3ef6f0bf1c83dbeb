#pragma once

#include <string>
#include <vector>

#include "core/plan/make_fit.h"
#include "core/report/document.h"

/// What reports of predictions, plans and devices have in common. Private to core/report.
namespace highwater::report {

/// A row of the CSV; see prediction_report.h.
struct FitRow {
    const stack::Experiment& experiment;
    std::string target, deviceName, libtorch, cudnn;
    plan::DeviceFit fit;
    std::string changes, error;  ///< with an error, there is no fit
};
FitRow fitRow(const stack::Experiment& experiment, const predict::Target& target, const plan::DeviceFit& fit,
              std::string changes = {});
std::string fitCsv(const std::vector<FitRow>& rows);

Tone fitTone(predict::Fits fits);
/// "Fits", "Does not fit", "Uncertain: 12 % likely to run out".
std::string verdictWords(const plan::DeviceFit& fit);
/// The name of an experiment as a title.
std::string titleOf(const stack::Experiment& experiment);
/// "NVIDIA GeForce RTX 3060 12 GB", "this CPU".
std::string deviceOf(const predict::Target& target);
/// A card with the batch and the patch of an experiment.
Card sizeCard(const stack::Experiment& experiment);
/// "—" for an empty text.
std::string orDash(std::string text);
/// The end of such a report: which figures are estimates, and when it was made.
std::string estimatesFooter(const std::string& created);
/// The experiment as text, to be saved and used with `command`.
Parts experimentPart(const stack::Experiment& experiment, const std::string& command);
/// The options that name a target: "--target rtx3060 --libtorch 2.4 --cudnn 9.1".
std::string targetOptions(const predict::Target& target);

}  // namespace highwater::report
