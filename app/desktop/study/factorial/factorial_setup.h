#pragma once

#include "app/desktop/study/study_setup.h"
#include "app/desktop/study/sweep/sweep_axes.h"

namespace highwater::desktop {

class ToggleList;

/// The settings of a factorial.
struct FactorialChoice {
    QStringList toggles;
    int repeats = 3;      ///< minimum number of repeats of every combination; 2 or more
    int mostRepeats = 5;  ///< maximum number of repeats; repeating stops when the times are known to 2 %
    int steps = 12;       ///< measured steps of each run
    std::vector<SweepAxisEdit> axes = {};  ///< fields with two or more values
    bool empty() const { return toggles.isEmpty() && axes.empty(); }
    qint64 combinations() const;
    bool operator==(const FactorialChoice&) const = default;
};

inline constexpr int kMostToggles = 8;
inline constexpr qint64 kMostCombinations = qint64{1} << kMostToggles;

/// The setup of a factorial: the levers and fields to combine, the number of repeats and steps, the resulting
/// number of runs with an estimate of the time, and Run.
class FactorialSetup : public StudySetup {
    Q_OBJECT
public:
    explicit FactorialSetup(QWidget* parent = nullptr);
    void setToggles(const std::vector<ToggleRow>& toggles);
    FactorialChoice choice() const;
    void setChoice(const FactorialChoice& choice);
    void setState(const StudyState& state);
    /// Why no levers of this experiment can be combined; empty if they can.
    void setProblem(const QString& problem);
    /// What is wrong with the fields, in one line about one of them or -1; empty if nothing is.
    void setAxesProblem(const QString& problem, int axis);
    void run();
    ToggleList& toggles() { return *toggles_; }
    AxesPanel& fields() { return *fields_; }

signals:
    void runRequested(const highwater::desktop::FactorialChoice& choice);

private:
    void refresh();
    QString whyNot() const;
    ToggleList* toggles_;
    AxesPanel* fields_;
    QString axesProblem_;
    QSpinBox *repeats_, *most_, *steps_;
};

}  // namespace highwater::desktop
