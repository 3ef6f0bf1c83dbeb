#include "app/desktop/scan/cases/cohort_survey.h"

namespace highwater::desktop {

CohortSurvey::CohortSurvey(QObject* parent)
    : QObject(parent), cancel_(std::make_shared<std::atomic<bool>>(false)) {}

CohortSurvey::~CohortSurvey() {
    *cancel_ = true;
}

void CohortSurvey::cancel() {
    if (!running_) {
        return;
    }
    *cancel_ = true;
    running_ = false;
    cancelled_ = true;
    emit finished({});
}

void CohortSurvey::start(const QString& folder) {
    *cancel_ = true;
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    cohort_ = {};
    facts_.clear();
    running_ = true;
    cancelled_ = false;
    const auto cancel = cancel_;
    const auto say = [this, cancel](auto act) {
        QMetaObject::invokeMethod(
            this,
            [this, cancel, act]() mutable {
                if (cancel == cancel_ && running_) {
                    act();
                }
            },
            Qt::QueuedConnection);
    };
    const auto work = [this, folder = folder.toStdString(), cancel, say]() -> std::string {
        const auto found = scan::findCases(folder);
        if (!found) {
            return found.error().message;
        }
        say([this, cohort = *found] {
            cohort_ = cohort;
            emit named();
        });
        scan::SurveyOptions how;
        how.cancel = cancel.get();
        how.progress = [this, &say](std::size_t, const scan::CaseFacts& last) {
            say([this, last] {
                facts_.push_back(last);
                emit caseRead(static_cast<int>(facts_.size()) - 1);
            });
        };
        const auto facts = scan::surveyCohort(*found, how);
        return facts ? std::string() : facts.error().message;
    };
    worker_.run(work, this, [this, cancel](const std::string& problem) {
        if (cancel != cancel_ || !running_) {
            return;
        }
        running_ = false;
        emit finished(QString::fromStdString(problem));
    });
}

}  // namespace highwater::desktop

#include "moc_cohort_survey.cpp"
