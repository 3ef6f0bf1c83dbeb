#include "app/desktop/cases/cases_values.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>
#include <map>

#include "core/ask/find_cudnn.h"
#include "core/ask/learner.h"
#include "core/base/processor.h"
#include "core/base/text.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

using cases::CaseNeed;
using widgets::fromUtf8;

constexpr qsizetype kMostNames = 3;

QString bytesText(base::Bytes bytes) {
    return fromUtf8(base::formatBytes(bytes));
}

QString sizeText(const cases::Size& size) {
    return fromUtf8(base::formatShape(size));
}

QString wayWords(CaseNeed::Way way) {
    switch (way) {
        case CaseNeed::Way::OnDevice:
            return QObject::tr("everything on the GPU");
        case CaseNeed::Way::MayFallBack:
            return QObject::tr("may start again with logits on the host");
        case CaseNeed::Way::FallsBack:
            return QObject::tr("starts again with logits on the host");
        case CaseNeed::Way::OnHost:
            return QObject::tr("logits on the host");
        case CaseNeed::Way::NoGpu:
            return QObject::tr("runs out of GPU memory");
        case CaseNeed::Way::Problem:
            break;
    }
    return QObject::tr("unknown");
}

base::Result<cases::CasesRequest> requestOf(const CasesFields& fields) {
    cases::CasesRequest request;
    stack::NnunetOptions options;
    options.configuration = fields.configuration.toStdString();
    options.classes = fields.classes;
    auto plan = stack::readNnunetInference(fields.plans.toStdString(), options);
    if (!plan) {
        return plan.error();
    }
    request.plan = std::move(*plan);
    auto target = predict::gpuTarget(fields.gpu.toStdString(), request.plan.network.experiment);
    if (!target) {
        return target.error();
    }
    request.target = std::move(*target);
    const auto host = fields.host.isEmpty() ? base::Result<base::Bytes>(base::machineMemory())
                                            : base::parseBytes(fields.host.toStdString());
    if (!host) {
        return base::Error{QObject::tr("Host memory: %1").arg(fromUtf8(host.error().message)).toStdString()};
    }
    request.host = *host;
    request.onDevice = fields.onDevice;
    request.mirror = fields.mirror;
    return request;
}

}  // namespace

CasesFound findCasesThatFit(const CasesFields& fields, const cases::CasesProgress& progress) {
    auto request = requestOf(fields);
    if (!request) {
        return {request.error(), {}, {}};
    }
    QString unasked;
    if (const auto library = ask::findCudnn()) {
        ask::Asking asking;
        asking.library = *library;
        asking.cancel = progress.cancel;
        ask::Learner learner(std::move(asking));
        cases::learnWorkspaces(*request, [&](const predict::Prediction& prediction, predict::Target& target) {
            return learner.teach(prediction, target);
        });
        unasked = fromUtf8(learner.why());
    }
    auto answer = cases::casesOf(*request, fields.folder.toStdString(), progress);
    return {std::move(answer), std::move(*request), unasked};
}

QStringList casesHeads() {
    return {QObject::tr("case"),
            QObject::tr("fits"),
            QObject::tr("how"),
            QObject::tr("GPU"),
            QObject::tr("GPU, logits on host"),
            QObject::tr("host memory"),
            QObject::tr("its peak"),
            QObject::tr("size"),
            QObject::tr("resampled"),
            QObject::tr("windows")};
}

QList<int> casesWordColumns() {
    return {0, 1, 2, 6};
}

QStringList casesRow(const CaseNeed& need) {
    const QString name = fromUtf8(need.name);
    if (!need.problem.empty()) {
        return {name, QObject::tr("unknown"), fromUtf8(need.problem), {}, {}, {}, {}, {}, {}, {}};
    }
    const bool hosts = need.way != CaseNeed::Way::OnDevice;
    const QString phase = QString::fromLatin1((hosts ? need.onHost : need.onDevice).host.phase());
    const QString how = wayWords(need.way);
    return {name,
            need.fits() ? QObject::tr("yes") : QObject::tr("no"),
            need.hostSuffices ? how : QObject::tr("too little host memory; %1").arg(how),
            bytesText(need.onDevice.reserved.expected),
            bytesText(need.onHost.reserved.expected),
            bytesText(need.hostPeak),
            phase == "export"    ? QObject::tr("export")
            : phase == "windows" ? QObject::tr("windows")
                                 : QObject::tr("preprocessing"),
            sizeText(need.size.original),
            sizeText(need.size.resampled),
            QString::number(need.size.windows)};
}

QList<double> casesNumbers(const CaseNeed& need) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (!need.problem.empty()) {
        return {none, none, none, 0, 0, 0, none, 0, 0, 0};
    }
    const auto number = [](auto value) { return static_cast<double>(value); };
    return {none,
            none,
            none,
            number(need.onDevice.reserved.expected),
            number(need.onHost.reserved.expected),
            number(need.hostPeak),
            none,
            number(cases::voxels(need.size.original)),
            number(cases::voxels(need.size.resampled)),
            number(need.size.windows)};
}

QString casesHeadline(const cases::CasesAnswer& answer) {
    const auto fit = std::ranges::count_if(answer.cases, &CaseNeed::fits);
    return QObject::tr("%1 of %2 cases fit").arg(fit).arg(answer.cases.size());
}

QString casesAdvice(const CasesFound& found) {
    QStringList lines;
    std::map<std::string, QStringList> helps;  // the cases by what helps them
    for (const CaseNeed& need : found.answer->cases) {
        for (const std::string& line : cases::whatHelps(found.request, need)) {
            helps[line] << fromUtf8(need.name);
        }
    }
    for (const auto& [line, names] : helps) {
        lines << QObject::tr("%1: %2").arg(names.size() > kMostNames
                                               ? QObject::tr("%1 cases").arg(names.size())
                                               : names.join(QStringLiteral(", ")),
                                           fromUtf8(line));
    }
    for (const std::string& note : found.answer->notes) {
        lines << fromUtf8(note);
    }
    if (!found.unasked.isEmpty()) {
        lines << found.unasked;
    }
    return lines.join('\n');
}

}  // namespace highwater::desktop
