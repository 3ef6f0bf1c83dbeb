#include "app/desktop/study/claims/claim_values.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "widgets/theme/utf8.h"

#include <QDateTime>
#include <QObject>
#include <QRegularExpression>

namespace highwater::desktop {

namespace {

/// The latest finding's text for a quantity; one of an older version may no longer be readable.
QString quantityWords(const std::string& quantity) {
    const auto parsed = study::parseQuantity(quantity);
    return plainError(widgets::fromUtf8(parsed ? study::wordsOf(*parsed) : quantity));
}

}  // namespace

QString rowTitle(const std::string& row) {
    static const std::pair<const char*, const char*> titles[] = {
        {"S1", "custom convolution"},    {"S2", "checkpointing"},
        {"S3", "cuDNN switches"},        {"S4", "data pipeline"},
        {"S5", "downsample first"},      {"S6", "sliding windows"},
        {"S7", "separable convolution"}, {"S8", "checkpointing one convolution"},
        {"S9", "where the memory goes"}, {"S10", "conv-bn-relu squeezed"},
        {"S11", "allocator and device"}, {"S12", "time by phase"}};
    for (const auto& [id, title] : titles) {
        if (row == id) {
            return QObject::tr(title);
        }
    }
    return {};
}

ClaimVerdict toVerdict(study::Verdict verdict) {
    switch (verdict) {
        case study::Verdict::Holds:
            return ClaimVerdict::Holds;
        case study::Verdict::DoesNotHold:
            return ClaimVerdict::DoesNotHold;
        case study::Verdict::Depends:
            return ClaimVerdict::Depends;
        case study::Verdict::NotTestable:
            break;
    }
    return ClaimVerdict::NotTestable;
}

std::vector<ClaimFigure> toFigures(const study::Finding& finding, const study::Claim& claim) {
    std::vector<ClaimFigure> figures;
    for (const study::Figure& f : finding.figures) {
        QString at = widgets::fromUtf8(f.at);
        if (!at.isEmpty() && claim.along && !claim.along->words.empty()) {
            at = widgets::fromUtf8(claim.along->words) + ' ' + at;
        }
        figures.push_back(
            {widgets::fromUtf8(f.label), quantityWords(f.quantity), widgets::fromUtf8(f.unit), at, f.value});
    }
    return figures;
}

QString measuredOn(const study::Finding& finding) {
    QStringList parts;
    if (!finding.deviceName.empty() || !finding.device.empty()) {
        parts << widgets::fromUtf8(finding.deviceName.empty() ? finding.device : finding.deviceName);
    }
    if (finding.threads > 0) {
        parts << (finding.threads == 1 ? QObject::tr("1 thread")
                                       : QObject::tr("%1 threads").arg(finding.threads));
    }
    if (!finding.isa.empty()) {
        parts << widgets::fromUtf8(finding.isa);
    }
    if (!finding.libtorch.empty()) {
        parts << "LibTorch " + widgets::fromUtf8(finding.libtorch);
    }
    const QDateTime when = QDateTime::fromString(widgets::fromUtf8(finding.created), Qt::ISODate);
    const QString date =
        when.isValid() ? when.toLocalTime().toString("yyyy-MM-dd HH:mm") : widgets::fromUtf8(finding.created);
    return QStringList{parts.join(", "), date}.filter(QRegularExpression(".")).join(QStringLiteral(" · "));
}

ClaimRow toRow(const study::Claim& claim, const study::Finding* finding) {
    ClaimRow row;
    row.id = widgets::fromUtf8(claim.id);
    row.row = widgets::fromUtf8(claim.row);
    row.rowTitle = rowTitle(claim.row);
    row.statement = widgets::fromUtf8(claim.statement);
    row.about = widgets::fromUtf8(claim.about);
    row.needsGpu = claim.needsCuda;
    if (!finding) {
        return row;
    }
    row.verdict = toVerdict(finding->verdict);
    row.boundary = plainError(widgets::fromUtf8(finding->boundary));
    row.why = plainError(widgets::fromUtf8(finding->why));
    row.noise = finding->noise;
    row.figures = toFigures(*finding, claim);
    row.measuredOn = measuredOn(*finding);
    return row;
}

}  // namespace highwater::desktop
