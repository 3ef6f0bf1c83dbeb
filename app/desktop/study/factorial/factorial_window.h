#pragma once

#include <QTimer>
#include <optional>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/study/factorial/factorial_estimate.h"
#include "app/desktop/study/study_window.h"
#include "core/study/factorial.h"
#include "widgets/jobs/background.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

class FactorialPanel;

/// The window "Factorial": measures all combinations of selected levers of the current experiment, in turns.
class FactorialWindow : public StudyWindow {
    Q_OBJECT
public:
    /// What the window needs from the rest of the program. The functions are called when a study starts.
    struct Around {
        std::function<QString()> device;          ///< device to run on: "cpu", "cuda:0"
        std::function<QString()> host;            ///< the host of that device; empty: this machine
        std::function<TargetChoice()> runTarget;  ///< the target that corresponds to that device
        std::function<TargetChoice()> target;     ///< the one to predict for
        std::function<QString()> targetTitle;     ///< its name, "this CPU"
        /// The experiment's volumes, as far as they are loaded.
        std::function<std::vector<volume::Volume>()> volumes;
        std::function<std::optional<base::Bytes>()> budget;  ///< the budget for the runs
    };
    FactorialWindow(ExperimentDocument& document, StudyWorker& worker, Around around);

    bool loading() const override { return estimates_.busy() || later_.isActive(); }
    void choose(const QStringList& ids) override;
    QString run() override;
    /// Adds the field to those that are combined, or puts the cursor into its values if it is there.
    void vary(const SweepAxisEdit& axis);
    /// Writes the results; the suffix of the file decides the format: .csv, .json. Returns an empty string,
    /// or why it failed.
    QString saveTo(const QString& file) const;
    /// Writes a report of the results; the suffix of the file decides the format.
    void saveReport(const QString& file);
    const std::optional<study::SweepResult>& result() const { return result_; }
    FactorialPanel& panel() { return *panel_; }

protected:
    void showState(const StudyState& state) override;
    /// Updates the levers for the experiment and the device, which change many times per second.
    void offerLater() override { later_.start(); }
    bool stopOffering() override;
    void closeEvent(QCloseEvent* event) override;

private:
    struct Outcome;
    void connectPanel();
    void offer();
    void estimateAnew();
    bool cuda() const;
    void takeRun(std::size_t cell, const base::Result<study::RunOutcome>& ended, double tolerance);
    void showMeasuring();
    void finish(const Outcome& outcome, bool cancelled);
    void use(int row);
    void chooseFile();
    void chooseReport();
    ExperimentDocument& document_;
    Around around_;
    FactorialPanel* panel_;
    std::optional<study::SweepResult> result_;  ///< while a factorial is measured: its runs so far
    QTimer later_;
    QString refused_;  ///< why the levers given on the command line cannot be used
    // Declared last: they end before the members that their work uses.
    widgets::LatestJob estimates_;
    widgets::Background reports_;
};

}  // namespace highwater::desktop
