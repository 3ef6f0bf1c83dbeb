#include "app/desktop/study/study_windows.h"

#include <QMessageBox>
#include <QPushButton>

#include "app/desktop/study/claims/claims_window.h"
#include "app/desktop/study/sweep/sweep_panel.h"
#include "app/desktop/study/sweep/sweep_window.h"

namespace highwater::desktop {

StudyWindows::StudyWindows(ExperimentDocument& document, Store& store, FactorialWindow::Around around,
                           QObject* parent)
    : QObject(parent), document_(document), store_(store), around_(std::move(around)), worker_(store) {
    connect(&worker_, &StudyWorker::stateChanged, this, &StudyWindows::stateChanged);
}

StudyWindows::~StudyWindows() = default;

ClaimsWindow& StudyWindows::openClaims() {
    if (!claims_) {
        claims_ = std::make_unique<ClaimsWindow>(store_, worker_, around_.device, around_.host);
    } else if (!claims_->isVisible()) {
        claims_->load();  // other programs may have stored findings since
    }
    show(*claims_);
    return *claims_;
}

FactorialWindow& StudyWindows::openFactorial() {
    if (!factorial_) {
        factorial_ = std::make_unique<FactorialWindow>(document_, worker_, around_);
    }
    show(*factorial_);
    return *factorial_;
}

SweepWindow& StudyWindows::openSweep() {
    if (!sweep_) {
        sweep_ = std::make_unique<SweepWindow>(document_, store_, worker_, around_);
        connect(sweep_.get(), &SweepWindow::runWanted, this, &StudyWindows::runWanted);
        connect(sweep_.get(), &SweepWindow::composed, this, &StudyWindows::sweepComposed);
        if (composed_) {
            sweep_->panel().setup().setChoice(*composed_);
        }
    }
    show(*sweep_);
    return *sweep_;
}

void StudyWindows::show(StudyWindow& window) {
    newest_ = &window;
    window.setBlocked(blocked_);
    window.show();
    window.raise();
    window.activateWindow();
}

void StudyWindows::setBlocked(const QString& whyNot) {
    blocked_ = whyNot;
    if (claims_) {
        claims_->setBlocked(whyNot);
    }
    if (factorial_) {
        factorial_->setBlocked(whyNot);
    }
    if (sweep_) {
        sweep_->setBlocked(whyNot);
    }
}

void StudyWindows::optionsChanged() {
    if (factorial_) {
        factorial_->offerSoon();
    }
    if (sweep_) {
        sweep_->offerSoon();
    }
}

bool StudyWindows::mayClose() {
    if (!worker_.running() || worker_.cancelling()) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, tr("Highwater"), tr("A study is still in progress."),
                    QMessageBox::NoButton, qobject_cast<QWidget*>(parent()));
    box.setInformativeText(tr("Quitting stops it. Completed runs and verdicts are kept."));
    auto* leave = box.addButton(tr("Stop and quit"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    return box.clickedButton() == leave;
}

void StudyWindows::closeAll() {
    worker_.cancel();
    if (claims_) {
        claims_->closeUnasked();
    }
    if (factorial_) {
        factorial_->closeUnasked();
    }
    if (sweep_) {
        sweep_->closeUnasked();
    }
}

bool StudyWindows::loading() const {
    return newest_ && newest_->loading();
}

QString StudyWindows::problem() const {
    return newest_ ? newest_->problem() : QString();
}

}  // namespace highwater::desktop

#include "moc_study_windows.cpp"
