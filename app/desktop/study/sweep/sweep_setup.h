#pragma once

#include "app/desktop/study/study_setup.h"
#include "app/desktop/study/sweep/sweep_axes.h"

class QComboBox;
class QMenu;
class QToolButton;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

/// The settings of a sweep, as edited.
struct SweepChoice {
    std::vector<SweepAxisEdit> axes;
    int mode = 0;     ///< 0: every combination, 1: the n-th values together, 2: factorial
    int repeats = 1;  ///< minimum for every cell
    int steps = 12;   ///< of each run, warm-up included
    bool operator==(const SweepChoice&) const = default;
};

/// A study of the store.
struct SweepStudy {
    QString id, title;  ///< "sweep of net, 12 runs, 2026-11-24 10:12"
};

/// The left side of the window: the source of the sweep, its axes, the number of repeats, of cells and the
/// estimated duration, and Run.
class SweepSetup : public StudySetup {
    Q_OBJECT
public:
    explicit SweepSetup(QWidget* parent = nullptr);
    SweepChoice choice() const;
    void setChoice(const SweepChoice& choice);
    /// `unknown`: why the studies are not known (yet); empty if they are.
    void setStudies(std::vector<SweepStudy> studies, const QString& unknown = {});
    /// Sets the source of what is shown: "the experiment that is edited", "sweep.json". Not `editable`:
    /// results without the experiment that they were made from.
    void setSource(const QString& title, bool editable, bool composed);
    /// Sets where the runs are executed: "this machine, cpu".
    void setWhere(const QString& where);
    /// `count`: "48 cells, 4 of them cannot be run"; `problem`: why nothing can be run, in one line,
    /// concerning that axis or -1.
    void setCount(const QString& count, const QString& problem, int axis);
    void setState(const StudyState& state);
    QString whyNot() const;  ///< why Run is not possible; empty if it is
    void run();
    SweepAxes& axes() { return panel_->axes(); }
    AxesPanel& panel() { return *panel_; }

signals:
    void runRequested();
    void openRequested();
    void saveRequested();
    void composeRequested();  ///< back to the current experiment
    void studyRequested(const QString& id);
    void studiesWanted();  ///< the menu of studies is about to open

private:
    QWidget* buildSource();
    QVBoxLayout* buildFoot();
    void refresh();
    widgets::ElidedLabel* source_;
    QToolButton *compose_, *save_;
    AxesPanel* panel_;
    QComboBox* mode_;
    QSpinBox *repeats_, *steps_;
    QLabel* where_;
    QMenu* studiesMenu_;
    QString counted_;
    bool editable_ = true;
};

}  // namespace highwater::desktop
