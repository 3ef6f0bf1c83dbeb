#include "app/desktop/study/claim_values.h"
#include "app/desktop/window/text.h"
#include "widgets/stack/error_words.h"

#include <QDateTime>
#include <QObject>
#include <QRegularExpression>

namespace highwater::desktop {

namespace {

/// The latest finding's words for a quantity; one of an older version may not be readable any more.
QString quantityWords(const std::string& quantity) {
    const auto parsed = study::parseQuantity(quantity);
    return widgets::plainError(text(parsed ? study::wordsOf(*parsed) : quantity));
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

widgets::ClaimVerdict toVerdict(study::Verdict verdict) {
    switch (verdict) {
        case study::Verdict::Holds:
            return widgets::ClaimVerdict::Holds;
        case study::Verdict::DoesNotHold:
            return widgets::ClaimVerdict::DoesNotHold;
        case study::Verdict::Depends:
            return widgets::ClaimVerdict::Depends;
        case study::Verdict::NotTestable:
            break;
    }
    return widgets::ClaimVerdict::NotTestable;
}

std::vector<widgets::ClaimFigure> toFigures(const study::Finding& finding, const study::Claim& claim) {
    std::vector<widgets::ClaimFigure> figures;
    for (const study::Figure& f : finding.figures) {
        QString at = text(f.at);
        if (!at.isEmpty() && claim.along && !claim.along->words.empty()) {
            at = text(claim.along->words) + ' ' + at;
        }
        figures.push_back({text(f.label), quantityWords(f.quantity), text(f.unit), at, f.value});
    }
    return figures;
}

QString measuredOn(const study::Finding& finding) {
    QStringList parts;
    if (!finding.deviceName.empty() || !finding.device.empty()) {
        parts << text(finding.deviceName.empty() ? finding.device : finding.deviceName);
    }
    if (finding.threads > 0) {
        parts << (finding.threads == 1 ? QObject::tr("1 thread")
                                       : QObject::tr("%1 threads").arg(finding.threads));
    }
    if (!finding.isa.empty()) {
        parts << text(finding.isa);
    }
    if (!finding.libtorch.empty()) {
        parts << "LibTorch " + text(finding.libtorch);
    }
    const QDateTime when = QDateTime::fromString(text(finding.created), Qt::ISODate);
    const QString date =
        when.isValid() ? when.toLocalTime().toString("yyyy-MM-dd HH:mm") : text(finding.created);
    return QStringList{parts.join(", "), date}.filter(QRegularExpression(".")).join(QStringLiteral(" · "));
}

widgets::ClaimRow toRow(const study::Claim& claim, const study::Finding* finding) {
    widgets::ClaimRow row;
    row.id = text(claim.id);
    row.row = text(claim.row);
    row.rowTitle = rowTitle(claim.row);
    row.statement = text(claim.statement);
    row.about = text(claim.about);
    row.needsGpu = claim.needsCuda;
    if (!finding) {
        return row;
    }
    row.verdict = toVerdict(finding->verdict);
    row.boundary = widgets::plainError(text(finding->boundary));
    row.why = widgets::plainError(text(finding->why));
    row.noise = finding->noise;
    row.figures = toFigures(*finding, claim);
    row.measuredOn = measuredOn(*finding);
    return row;
}

}  // namespace highwater::desktop
