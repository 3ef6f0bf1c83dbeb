#include "app/desktop/study/study_window.h"

#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QVBoxLayout>

#include "widgets/controls/notice_bar.h"
#include "widgets/help/docs_window.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"

namespace highwater::desktop {

StudyWindow::StudyWindow(const QString& key, StudyWorker& worker)
    : key_(key), worker_(worker), notices_(new widgets::NoticeBar), question_([this] { return ask(); }) {
    connect(&worker_, &StudyWorker::stateChanged, this, &StudyWindow::follow);
    connect(&worker_, &StudyWorker::progressed, this, &StudyWindow::follow);
    resize(widgets::onScreen(*this, {1280, 860}));
    widgets::placeAsKept(*this, QSettings().value(key_ + "/geometry").toByteArray());
    addShortcut(QKeySequence::Close, [this] { close(); });
    widgets::addHelpKey(this, "study-windows.md");
    addShortcut(QKeySequence("Shift+F5"), [this] {
        if (running()) {
            cancel();
        }
    });
}

StudyWindow::~StudyWindow() = default;

void StudyWindow::setContent(QWidget* content) {
    auto* center = new QWidget;
    auto* layout = widgets::makeLayout<QVBoxLayout>(center, 0);
    layout->addWidget(notices_);
    layout->addWidget(content, 1);
    setCentralWidget(center);
    follow();
}

bool StudyWindow::start(std::function<void(StudyWorker::Job&)> work,
                        std::function<void(bool cancelled)> done) {
    if (worker_.running()) {
        return false;
    }
    mine_ = true;
    problem_.clear();
    notices_->dismiss();
    return worker_.start(std::move(work),
                         [this, guard = QPointer<StudyWindow>(this), done = std::move(done)](bool cancelled) {
                             if (!guard) {
                                 return;
                             }
                             mine_ = false;
                             done(cancelled);
                         });
}

void StudyWindow::setBlocked(const QString& whyNot) {
    if (blocked_ == whyNot) {
        return;
    }
    blocked_ = whyNot;
    follow();
}

void StudyWindow::fail(const QString& problem) {
    problem_ = problem;
    notices_->show(widgets::NoticeBar::Kind::Error, problem);
}

void StudyWindow::addShortcut(const QKeySequence& keys, std::function<void()> act) {
    auto* shortcut = new QShortcut(keys, this);
    connect(shortcut, &QShortcut::activated, this, std::move(act));
}

void StudyWindow::follow() {
    StudyState state;
    state.running = running();
    state.cancelling = state.running && worker_.cancelling();
    state.what = worker_.what();
    state.fraction = worker_.fraction();
    state.whyNot = !blocked_.isEmpty()                   ? blocked_
                   : worker_.running() && !state.running ? tr("Another study is running. Cancel it first.")
                                                         : QString();
    showState(state);
}

StudyWindow::Answer StudyWindow::ask() {
    QMessageBox box(QMessageBox::Question, windowTitle(), tr("Measurements are still in progress here."),
                    QMessageBox::NoButton, this);
    box.setInformativeText(tr("Completed runs are kept either way."));
    auto* stop = box.addButton(tr("Stop them"), QMessageBox::DestructiveRole);
    auto* goOn = box.addButton(tr("Continue in the background"), QMessageBox::AcceptRole);
    box.addButton(QMessageBox::Cancel);
    box.setDefaultButton(goOn);
    box.exec();
    return box.clickedButton() == stop   ? Answer::Stop
           : box.clickedButton() == goOn ? Answer::GoOn
                                         : Answer::Stay;
}

void StudyWindow::closeUnasked() {
    unasked_ = true;
    close();
    unasked_ = false;
}

void StudyWindow::closeEvent(QCloseEvent* event) {
    if (running() && !cancelling() && !unasked_) {
        const Answer answer = question_();
        if (answer == Answer::Stay) {
            event->ignore();
            return;
        }
        if (answer == Answer::Stop) {
            cancel();
        }
    }
    QSettings().setValue(key_ + "/geometry", saveGeometry());
    event->accept();
}

void StudyWindow::offerSoon() {
    missed_ = away_;
    if (!away_) {
        offerLater();
    }
}

void StudyWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    away_ = event->spontaneous() && away_;
    if (!away_ && missed_) {
        offerSoon();
    }
}

void StudyWindow::hideEvent(QHideEvent* event) {
    QMainWindow::hideEvent(event);
    if (!event->spontaneous() && !away_) {  // closed, rather than minimized or on another desktop
        away_ = true;
        missed_ = stopOffering();
    }
}

}  // namespace highwater::desktop

#include "moc_study_window.cpp"
