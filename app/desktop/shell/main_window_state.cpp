#include "app/desktop/shell/main_window.h"

#include <QSettings>
#include <QSplitter>
#include <algorithm>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/settings_page.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/run/runs_page.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/scan/patches/patch_page.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/theme/screen_size.h"

/// MainWindow: the state that is kept between launches.
namespace highwater::desktop {

namespace {
constexpr auto kStateVersion = 2;  // increase it when the splitters change
}  // namespace

void MainWindow::restoreState(const Options& options) {
    QSettings settings;
    resize(widgets::onScreen(*this, {1480, 920}));
    if (settings.value("window/version").toInt() == kStateVersion && !options.driven()) {
        restoreGeometry(settings.value("window/geometry").toByteArray());
        for (const auto& [name, part] :
             {std::pair{"columns", columns_}, {"left", left_}, {"right", right_}, {"upper", upper_}}) {
            part->restoreState(settings.value(QString("window/") + name).toByteArray());
        }
    } else {
        columns_->setSizes({456, 1144});
        left_->setSizes({560, 310});
        right_->setSizes({700, 180});
        upper_->setSizes({740, 404});
    }
    if (options.size.isValid()) {
        resize(options.size);
    }
    viewsLarge_ = options.views;
    if (viewsLarge_) {
        for (QWidget* const part : {settings_->column(), static_cast<QWidget*>(live_->controls()),
                                    static_cast<QWidget*>(runs_->table())}) {
            part->hide();
        }
        upper_->setSizes({1, width()});
    }
    if (!options.driven()) {
        predictions_->rememberTarget();
        devices_->rememberDevice();
        devices_->lookForPython();
        settings_->restoreState();
        patches_->restoreState();
        runs_->table()->view().restoreColumns(settings.value("runs/columns").toByteArray());
        live_->plots()->showLoss(settings.value("plots/loss").toBool());
        live_->plots()->loss().setLogarithmic(settings.value("plots/logLoss").toBool());
    }
    RunOptions run = live_->controls()->runOptions();
    run.steps = options.steps > 0 ? options.steps : settings.value("run/steps", run.steps).toInt();
    run.warmup = settings.value("run/warmup", run.warmup).toInt();
    if (const qint64 budget = settings.value("run/budget").toLongLong(); budget > 0 && !options.driven()) {
        run.budget = budget;
    }
    live_->controls()->setRunOptions(run);
    if (!options.driven()) {  // stored at once, so that they survive if the window is killed
        connect(live_->controls(), &ControlBar::runOptionsChanged, this, &MainWindow::keepRunOptions);
    }
}

/// Changes the height of the table, up to all the room that the plots do not need.
void MainWindow::growRuns(int rows) {
    const int row = runs_->table()->view().fontMetrics().height() + 11;
    const QList<int> sizes = right_->sizes();
    const int all = sizes[0] + sizes[1], most = all - upper_->minimumHeight();
    const int wanted = sizes[0] == 0 && rows < 0 ? most : sizes[1] + rows * row;
    const int least = std::min(runs_->table()->minimumHeight(), all);
    const bool whole = rows > 0 && sizes[1] >= most;
    const int height = whole ? all : std::clamp(wanted, least, std::max(most, least));
    right_->setSizes({all - height, height});
}

void MainWindow::keepState() {
    if (viewsLarge_ || driven_) {
        return;  // sizes of hidden parts would be lost; a script's are not the user's
    }
    QSettings settings;
    settings.setValue("window/version", kStateVersion);
    settings.setValue("window/geometry", saveGeometry());
    settings.setValue("window/columns", columns_->saveState());
    settings.setValue("window/left", left_->saveState());
    settings.setValue("window/right", right_->saveState());
    settings.setValue("window/upper", upper_->saveState());
    settings_->keepState();
    patches_->keepState();
    settings.setValue("runs/columns", runs_->table()->view().columns());
    settings.setValue("plots/loss", live_->plots()->lossOnShow());
    settings.setValue("plots/logLoss", live_->plots()->loss().logarithmic());
    keepRunOptions();
}

void MainWindow::keepRunOptions() {
    QSettings settings;
    const RunOptions run = live_->controls()->runOptions();
    settings.setValue("run/steps", run.steps);
    settings.setValue("run/warmup", run.warmup);
    settings.setValue("run/budget", static_cast<qint64>(run.budget.value_or(0)));
}

}  // namespace highwater::desktop
