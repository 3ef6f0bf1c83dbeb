// Pictures of the view of plans in its states, for visual inspection: plan_pictures FOLDER. Built only by
// name; needs a display (xvfb-run).
#include <QApplication>
#include <QTreeWidget>

#include "app/desktop/prediction/plan/plan_layers.h"
#include "app/desktop/prediction/plan/plan_side.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "tests/app/desktop/prediction/plan/samples.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using namespace highwater::desktop;

void save(PlanView& view, const QString& file) {
    QApplication::processEvents();
    QApplication::processEvents();
    view.grab().save(file);
}

void plans(const QString& folder, const QString& theme, QSize size) {
    const QString end = QStringLiteral("-%1-%2.png").arg(theme).arg(size.width());
    PlanView view;
    view.resize(size);
    view.show();
    view.setTitle(QStringLiteral("unet · batch 2 · 96³"));
    view.setNoPlans("Looking for plans for an RTX 3060…", "Looking for plans for an RTX 3060…");
    view.setProgress(0.3);
    save(view, folder + "/searching" + end);
    view.setProgress({});
    view.setCurve(samples::curve(), 2);
    view.setSteps(samples::steps());
    view.layers().tree().expandAll();
    view.confirmed().setRows({{"peak", "1.42 GiB", "1.42 GiB", "0 B", true},
                              {"step", "+18 %", "+21 % (+19 to +23 %)", "+3 points"}},
                             {});
    view.taskChanges().setChanges({{"batch 1", "6.0 GiB, 120 ms per step"}, {"patch 80 × 224²", "8.1 GiB"}});
    save(view, folder + "/plans" + end);
    view.setNoPlans("No plans: layer 5, conv: kernel 7 does not fit an input of 4 along depth",
                    "layer 5, conv: kernel 7 does not fit an input of 4 along depth");
    save(view, folder + "/no-plans" + end);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    const QString folder = argc > 1 ? argv[1] : ".";
    for (const auto& [name, mode] :
         {std::pair{"dark", widgets::ThemeMode::Dark}, {"light", widgets::ThemeMode::Light}}) {
        widgets::applyTheme(app, mode);
        for (const QSize size : {QSize(1600, 1000), QSize(1000, 700)}) {
            plans(folder, name, size);
        }
    }
    return 0;
}
