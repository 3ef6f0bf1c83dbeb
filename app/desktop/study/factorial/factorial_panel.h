#pragma once

#include "app/desktop/study/factorial/factorial_setup.h"
#include "app/desktop/study/study_panel.h"

namespace highwater::desktop {

class FactorialResults;

/// A factorial: the levers to combine on the left, the results on the right. It emits requests to run and
/// runs nothing itself.
class FactorialPanel : public StudyPanel {
    Q_OBJECT
public:
    explicit FactorialPanel(QWidget* parent = nullptr);
    FactorialSetup& setup() { return *setup_; }
    FactorialResults& results() { return *results_; }
    void setState(const StudyState& state);
    void setResult(const FactorialRows& rows);

private:
    QString howToBegin() const override;
    FactorialSetup* setup_;
    FactorialResults* results_;
    bool running_ = false;
};

}  // namespace highwater::desktop
