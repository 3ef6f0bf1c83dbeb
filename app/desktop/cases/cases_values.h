#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>

#include "core/cases/cases.h"

namespace highwater::desktop {

/// What the dialog "Will these cases fit?" is to answer.
struct CasesFields {
    QString plans, configuration, folder, gpu, host;
    int classes = 0;  ///< 0: as dataset.json says
    bool onDevice = true, mirror = true;
};

struct CasesFound {
    base::Result<cases::CasesAnswer> answer;
    cases::CasesRequest request;
    QString unasked;  ///< why cuDNN does not answer; empty if it does
};

/// Reads the plans and the scans' headers, and asks the user's cuDNN for workspaces. Blocks. Errors, one
/// line.
CasesFound findCasesThatFit(const CasesFields& fields, const cases::CasesProgress& progress);

/// The table's columns, and those that hold text.
QStringList casesHeads();
QList<int> casesWordColumns();
QStringList casesRow(const cases::CaseNeed& need);
/// By what the row is sorted; NaN: by the text.
QList<double> casesNumbers(const cases::CaseNeed& need);
/// "5 of 7 cases fit".
QString casesHeadline(const cases::CasesAnswer& answer);
/// What would help, and the notes; one line each.
QString casesAdvice(const CasesFound& found);

}  // namespace highwater::desktop
