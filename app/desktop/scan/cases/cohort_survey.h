#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/scan/cohort.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// Finds the cases of a folder and reads them one after the other, in the background. A new start cancels the
/// previous one.
class CohortSurvey : public QObject {
    Q_OBJECT
public:
    explicit CohortSurvey(QObject* parent = nullptr) : QObject(parent) {}

    void start(const QString& folder);
    void cancel();
    bool running() const { return job_.busy(); }
    bool cancelled() const { return cancelled_; }
    const scan::Cohort& cohort() const { return cohort_; }
    /// The facts of the cases read so far; of all cases when it has finished.
    const std::vector<scan::CaseFacts>& facts() const { return facts_; }

signals:
    void named();              ///< the cases have been found
    void caseRead(int place);  ///< facts() has one entry more
    void finished(const QString& problem);

private:
    scan::Cohort cohort_;
    std::vector<scan::CaseFacts> facts_;
    bool cancelled_ = false;
    widgets::LatestJob job_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
