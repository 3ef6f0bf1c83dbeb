#include "app/desktop/shell/drive.h"

#include <QCoreApplication>
#include <QPixmap>
#include <cstdio>

#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "core/base/text.h"

namespace highwater::desktop {

namespace {

constexpr int kLookEveryMs = 25;
constexpr qint64 kLongestSettlingMs = 20000;  // a 3D view that never settles must not delay the picture

int exitCodeOf(wire::RunStatus status) {
    switch (status) {
        case wire::RunStatus::OutOfMemory:
            return 3;
        case wire::RunStatus::Failed:
            return 4;
        case wire::RunStatus::Cancelled:
            return 130;
        default:
            return 0;
    }
}

}  // namespace

Drive::Drive(MainWindow& window, Options options, QObject* parent)
    : QObject(parent), window_(window), options_(std::move(options)) {
    timer_.setInterval(kLookEveryMs);
    connect(&timer_, &QTimer::timeout, this, &Drive::step);
    timer_.start();
    inStage_.start();
}

void Drive::enter(Stage stage) {
    stage_ = stage;
    inStage_.restart();
}

void Drive::fail(const QString& line, int code) {
    std::fprintf(stderr, "highwater: %s\n", base::oneLine(line.toStdString(), 5000).c_str());
    exitCode_ = code;
}

/// Starts what --run refers to.
QString Drive::start() {
    if (PlanDialog* plans = window_.predictions().plans()) {
        return plans->run();
    }
    StudyWindow* study = window_.studies().newest();
    return study ? study->run() : window_.startRun();
}

void Drive::step() {
    switch (stage_) {
        case Stage::Loading:
            if (window_.loading()) {
                return;
            }
            if (!window_.loadProblem().isEmpty()) {
                fail(window_.loadProblem(), 2);
                return enter(Stage::Settling);
            }
            if (!options_.run) {
                return enter(Stage::Settling);
            }
            if (const QString problem = start(); !problem.isEmpty()) {
                fail(problem, 2);
                return enter(Stage::Settling);
            }
            emit runStarted();
            return enter(Stage::Running);
        case Stage::Running:
            if (window_.studies().running() && options_.at > 0 &&
                window_.studies().worker().fraction() * 100 >= options_.at) {
                savePicture();
                options_.screenshot.clear();  // it has been saved
                options_.at = 0;
                window_.studies().worker().cancel();
            }
            if (window_.running() || window_.studies().running()) {
                return;
            }
            if (window_.predictions().plans()) {
                return enter(Stage::Settling);
            }
            if (StudyWindow* study = window_.studies().newest()) {
                if (!study->problem().isEmpty()) {
                    fail(study->problem(), 4);
                }
                return enter(Stage::Settling);
            }
            if (const auto& last = window_.lastRun(); !last) {
                fail(QObject::tr("the run could not be started"), 4);
            } else if (last->status != wire::RunStatus::Done) {
                fail(QString::fromStdString(last->message), exitCodeOf(last->status));
            }
            return enter(Stage::Settling);
        case Stage::Settling:
            if (!window_.settled() && inStage_.elapsed() < kLongestSettlingMs) {
                return;
            }
            savePicture();
            enter(Stage::Reporting);
            if (options_.report.isEmpty() || !window_.lastRun()) {
                return finish();
            }
            window_.saveReport({window_.lastRun()->id}, options_.report, [this](const QString& problem) {
                if (!problem.isEmpty()) {
                    fail(problem, 2);
                }
                finish();
            });
            return;
        case Stage::Reporting:
        case Stage::Done:
            return;
    }
}

void Drive::savePicture() {
    if (!options_.screenshot.isEmpty() && !window_.pictured()->grab().save(options_.screenshot)) {
        fail(QObject::tr("%1: the picture cannot be written").arg(options_.screenshot), 2);
    }
}

void Drive::finish() {
    enter(Stage::Done);
    timer_.stop();
    if (options_.quit) {
        QCoreApplication::exit(exitCode_);
    } else {
        window_.handOver();
    }
}

}  // namespace highwater::desktop

#include "moc_drive.cpp"
