#pragma once

#include <QTimer>
#include <memory>
#include <optional>

#include "app/desktop/study/factorial_estimate.h"
#include "app/desktop/study/study_window.h"
#include "core/study/factorial.h"
#include "widgets/stack/document.h"

namespace highwater::widgets {
class FactorialPanel;
}

namespace highwater::desktop {

/// "Factorial": levers of the experiment that is edited, all combinations of them measured in turns.
class FactorialWindow : public StudyWindow {
    Q_OBJECT
public:
    /// What the window needs of the others, asked when it begins.
    struct Around {
        std::function<QString()> device;                       ///< what to run on, "cpu", "cuda:0"
        std::function<widgets::TargetChoice()> target;         ///< that predicts it
        std::function<std::vector<volume::Volume>()> volumes;  ///< of the experiment, those that are loaded
        std::function<std::optional<base::Bytes>()> budget;    ///< that runs may not pass
    };
    FactorialWindow(widgets::ExperimentDocument& document, StudyWorker& worker, Around around);
    ~FactorialWindow() override;

    bool loading() const override { return estimating_ || later_.isActive(); }
    void choose(const QStringList& ids) override;
    QString run() override;
    /// The levers of the experiment and the device as they are, in a moment: they change many times a second.
    void offerSoon() { later_.start(); }
    /// The format by the file's ending: .csv, .json. Empty, or why not.
    QString saveTo(const QString& file) const;
    const std::optional<study::SweepResult>& result() const { return result_; }
    widgets::FactorialPanel& panel() { return *panel_; }

protected:
    void showState(const widgets::StudyState& state) override;
    void closeEvent(QCloseEvent* event) override;

private:
    struct Outcome;
    void connectPanel();
    void offer();
    void estimateAnew();
    bool cuda() const;
    void finish(const Outcome& outcome, bool cancelled);
    void use(int row);
    void chooseFile();
    widgets::ExperimentDocument& document_;
    Around around_;
    widgets::FactorialPanel* panel_;
    std::optional<study::SweepResult> result_;
    QTimer later_;
    std::shared_ptr<std::atomic<bool>> estimate_;  ///< ends the estimate that is being made
    bool estimating_ = false;
    QString refused_;       ///< why what a script chose cannot be
    Background estimates_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
