#include <QFileInfo>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/scan/cases/cohort_window.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/scan/scan_sources.h"
#include "app/desktop/shell/main_window.h"

/// MainWindow: scans and cohorts.
namespace highwater::desktop {

void MainWindow::makeScans() {
    opener_ = new ScanOpener(*scan_, this);
    connect(opener_, &ScanOpener::cohortRequested, this, &MainWindow::openCohort);
    connect(scan_, &ScanPage::notice, this, sayAbout(widgets::NoticeBar::About::Scan));
    connect(scan_, &ScanPage::caseShown, this, [this](const QString& name) {
        if (cohort_) {
            cohort_->setShown(name);
        }
    });
}

void MainWindow::makeCohort() {
    CohortWindow::Around around;
    around.target = [this] { return live_->controls()->target().choice(); };
    around.targetTitle = [this] { return live_->controls()->target().name(); };
    around.budget = [this] { return live_->controls()->runOptions().budget; };
    cohort_ = std::make_unique<CohortWindow>(document_, std::move(around));
    connect(cohort_.get(), &CohortWindow::caseChosen, scan_, &ScanPage::showCase);
    connect(cohort_.get(), &CohortWindow::closed, scan_, &ScanPage::endPreview);
    connect(&live_->controls()->target(), &TargetField::changed, cohort_.get(), &CohortWindow::targetChanged);
    connect(live_->controls(), &ControlBar::runOptionsChanged, cohort_.get(), &CohortWindow::targetChanged);
}

void MainWindow::openCohort(const QString& folder) {
    const stack::ScanInput* input = cohortOf(document_.experiment());
    const QString wanted = !folder.isEmpty() ? folder
                           : input           ? QString::fromStdString(input->cohort)
                                             : QString();
    if (wanted.isEmpty() && (!cohort_ || cohort_->folder().isEmpty())) {
        opener_->chooseFolder();
        return;
    }
    if (!cohort_) {
        makeCohort();
    }
    if (!wanted.isEmpty()) {
        cohort_->open(QFileInfo(wanted).absoluteFilePath());
    }
    cohort_->show();
    cohort_->raise();
    cohort_->activateWindow();
}

}  // namespace highwater::desktop
