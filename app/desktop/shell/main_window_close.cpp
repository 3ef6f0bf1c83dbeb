#include <QCloseEvent>
#include <QCoreApplication>
#include <QDir>
#include <QMessageBox>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <cstdio>

#include "app/desktop/run/live_page.h"
#include "app/desktop/scan/cases/cohort_window.h"
#include "app/desktop/shell/ending.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/trace/trace_windows.h"
#include "core/base/paths.h"
#include "widgets/theme/utf8.h"

/// MainWindow: closing, and what closed windows have left.
namespace highwater::desktop {

namespace {

/// Some fields apply their text when they lose the focus.
void takeWhatIsTyped(QWidget* field) {
    if (!field) {
        return;
    }
    if (field->hasFocus()) {
        field->clearFocus();
    } else {  // the window is not the active one
        QFocusEvent left(QEvent::FocusOut, Qt::OtherFocusReason);
        QCoreApplication::sendEvent(field, &left);
    }
}

}  // namespace

void MainWindow::closeEvent(QCloseEvent* event) {
    const QPointer<QWidget> field = focusWidget();
    takeWhatIsTyped(field);
    const bool asks = !driven_ && !property(kUnasked).toBool();
    if (asks && !(studies_->mayClose() && mayLeaveRun() && mayLeaveChanges())) {
        event->ignore();
        if (field) {
            field->setFocus();
        }
        return;
    }
    keepState();
    studies_->closeAll();
    traces_->closeAll();
    if (cohort_) {
        cohort_->close();
    }
    if (const base::Status kept = session_.close(); !kept && !asks) {
        std::fprintf(stderr, "highwater: %s\n", kept.error().message.c_str());
    }
    event->accept();
}

bool MainWindow::mayLeaveRun() {
    if (!live_->running()) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, tr("Highwater"), tr("A run is in progress."),
                    QMessageBox::NoButton, this);
    box.setInformativeText(tr("It can continue in the background; reopen Highwater to see it."));
    auto* leave = box.addButton(tr("Keep it running"), QMessageBox::AcceptRole);
    auto* stop = box.addButton(tr("Stop it"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    if (box.clickedButton() == stop) {
        live_->stop();
    }
    return box.clickedButton() == leave || box.clickedButton() == stop;
}

bool MainWindow::mayLeaveChanges() {
    const base::Status kept = session_.close();
    if (kept && (session_.keeps() || !file_.unsaved())) {
        return true;
    }
    if (!kept && !session_.hasUnsaved()) {
        return true;
    }
    QMessageBox box(QMessageBox::Warning, tr("Highwater"), tr("Your changes are not saved."),
                    QMessageBox::NoButton, this);
    box.setInformativeText(
        kept ? tr("This window was opened by a script and does not save its session.")
             : tr("The session could not be saved either: %1").arg(widgets::fromUtf8(kept.error().message)));
    auto* save = box.addButton(tr("Save as…"), QMessageBox::AcceptRole);
    auto* leave = box.addButton(tr("Quit without saving"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    return box.clickedButton() == leave || (box.clickedButton() == save && saveAs());
}

void MainWindow::sayWhatWasLeft(bool crashed) {
    QStringList lines = session_.unreadable();
    if (crashed) {
        lines.prepend(tr("Highwater was not closed properly. Your stack has been restored."));
    }
    const QStringList left = session_.leftByOthers();
    if (left.size() == 1) {
        lines << tr("Another window was closed with unsaved changes to “%1”.").arg(left.front());
    } else if (!left.isEmpty()) {
        lines << tr("Other windows were closed with unsaved changes: “%1”.").arg(left.join("”, “"));
    }
    if (lines.isEmpty()) {
        return;
    }
    const bool warns = crashed || !session_.unreadable().isEmpty();
    const auto kind = warns ? widgets::NoticeBar::Kind::Warning : widgets::NoticeBar::Kind::Info;
    const QString action = left.isEmpty() ? QString() : tr("Open in another window");
    const auto act = [this] { openAnotherWindow(); };
    if (notices_->text().isEmpty()) {
        say(kind, lines.join(' '), action, act);
    } else {  // keep the message why the given experiment could not be opened
        notices_->showNext(kind, lines.join(' '), widgets::NoticeBar::About::Other, action, act);
    }
}

void MainWindow::openAnotherWindow() {
    const std::filesystem::path program = base::siblingProgram("highwater");
    const QString store = QDir::current().absoluteFilePath(widgets::fromUtf8(store_.folder().string()));
    if (program.empty() ||
        !QProcess::startDetached(widgets::fromUtf8(program.string()), {"--store", store})) {
        say(widgets::NoticeBar::Kind::Error,
            tr("Another window could not be opened. Start Highwater again."));
    }
}

void MainWindow::discardLeft() {
    QMessageBox box(QMessageBox::Question, tr("Highwater"),
                    tr("Discard the unsaved changes of other windows?"), QMessageBox::NoButton, this);
    box.setInformativeText(session_.leftByOthers().join('\n') + "\n\n" + tr("This cannot be undone."));
    auto* discard = box.addButton(tr("Discard"), QMessageBox::DestructiveRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    if (box.clickedButton() == discard) {
        session_.discardLeft();
    }
}

void MainWindow::sayWhetherKept(const QString& problem) {
    if (problem.isEmpty()) {
        notices_->withdraw({widgets::NoticeBar::About::Session});
        return;
    }
    say(widgets::NoticeBar::Kind::Error,
        tr("Your changes are not kept for the next start: %1. Save the experiment elsewhere.").arg(problem),
        tr("Save as…"), [this] { saveAs(); });
    notices_->setAbout(widgets::NoticeBar::About::Session);
}

}  // namespace highwater::desktop
