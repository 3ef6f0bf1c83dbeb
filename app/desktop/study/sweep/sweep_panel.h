#pragma once

#include "app/desktop/study/study_panel.h"
#include "app/desktop/study/sweep/sweep_setup.h"
#include "app/desktop/study/sweep/sweep_views.h"

namespace highwater::desktop {

/// A sweep: its setup on the left, its cells on the right. It emits requests and runs nothing itself.
class SweepPanel : public StudyPanel {
    Q_OBJECT
public:
    explicit SweepPanel(QWidget* parent = nullptr);
    SweepSetup& setup() { return *setup_; }
    SweepViews& views() { return *views_; }
    void setState(const StudyState& state);
    void setRows(SweepRows rows);

private:
    QString howToBegin() const override;
    SweepSetup* setup_;
    SweepViews* views_;
};

}  // namespace highwater::desktop
