#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <vector>

#include "app/desktop/window/background.h"
#include "core/scan/cohort.h"

namespace highwater::desktop {

/// Names the cases of a folder and reads them one after the other, in the background. A new start ends the
/// one before.
class CohortSurvey : public QObject {
    Q_OBJECT
public:
    explicit CohortSurvey(QObject* parent = nullptr);
    ~CohortSurvey() override;

    void start(const QString& folder);
    void cancel();
    bool running() const { return running_; }
    bool cancelled() const { return cancelled_; }
    const scan::Cohort& cohort() const { return cohort_; }
    /// Of the first cases; all of them once it has ended.
    const std::vector<scan::CaseFacts>& facts() const { return facts_; }

signals:
    void named();              ///< the cases are known
    void caseRead(int place);  ///< facts() has one more
    void finished(const QString& problem);

private:
    std::shared_ptr<std::atomic<bool>> cancel_;
    scan::Cohort cohort_;
    std::vector<scan::CaseFacts> facts_;
    bool running_ = false, cancelled_ = false;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
