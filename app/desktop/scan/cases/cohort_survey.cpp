#include "app/desktop/scan/cases/cohort_survey.h"

namespace highwater::desktop {

void CohortSurvey::cancel() {
    if (!running()) {
        return;
    }
    job_.cancel();
    cancelled_ = true;
    emit finished({});
}

void CohortSurvey::start(const QString& folder) {
    cohort_ = {};
    facts_.clear();
    cancelled_ = false;
    const auto work =
        [this, folder = folder.toStdString()](const widgets::LatestJob::Cancel& cancel) -> std::string {
        const auto found = scan::findCases(folder);
        if (!found) {
            return found.error().message;
        }
        job_.report(cancel, [this, cohort = *found] {
            cohort_ = cohort;
            emit named();
        });
        scan::SurveyOptions how;
        how.cancel = cancel.get();
        how.progress = [this, &cancel](std::size_t, const scan::CaseFacts& last) {
            job_.report(cancel, [this, last] {
                facts_.push_back(last);
                emit caseRead(static_cast<int>(facts_.size()) - 1);
            });
        };
        const auto facts = scan::surveyCohort(*found, how);
        return facts ? std::string() : facts.error().message;
    };
    job_.run(work, [this](const std::string& problem) { emit finished(QString::fromStdString(problem)); });
}

}  // namespace highwater::desktop

#include "moc_cohort_survey.cpp"
