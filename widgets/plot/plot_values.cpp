#include "widgets/plot/plot_values.h"

#include <QObject>
#include <cmath>
#include <string_view>

#include "core/base/text.h"
#include "core/memory/phase.h"

namespace highwater::widgets {

QString phaseName(int phase) {
    const bool ofStep = phase >= 0 && phase < kPhaseCount;
    const std::string_view key = memory::phaseKey(
        ofStep ? memory::kStepPhases[static_cast<std::size_t>(phase)] : memory::Phase::Setup);
    return QString::fromLatin1(key.data(), static_cast<qsizetype>(key.size()));
}

QString categoryName(memory::Category c) {
    const std::string_view key = memory::categoryKey(c);
    return QString::fromLatin1(key.data(), static_cast<qsizetype>(key.size())).replace('_', ' ');
}

QString durationText(double ms) {
    constexpr double kMinute = 60'000, kHour = 60 * kMinute;
    if (ms < kMinute) {
        return QObject::tr("less than a minute");
    }
    if (ms < 1.5 * kHour) {
        return QObject::tr("about %1 min").arg(std::lround(ms / kMinute));
    }
    return QObject::tr("about %1 h").arg(QString::number(ms / kHour, 'f', ms < 10 * kHour ? 1 : 0));
}

QString phaseMeaning(int phase) {
    static const std::array<QString, kPhaseCount> kMeanings = {
        "data: waiting for the next patches", "forward: the outputs of the stack and the loss",
        "recompute: the forward pass again, for blocks whose activations checkpointing did not keep",
        "backward: the gradients, last layer first", "optimizer: the update of the parameters"};
    return phase >= 0 && phase < kPhaseCount ? kMeanings[static_cast<std::size_t>(phase)] : QString();
}

QString categoryMeaning(memory::Category c) {
    static const std::array<QString, memory::kCategoryCount> kMeanings = {
        "input: patches, targets and the buffer of prefetched ones",
        "parameters: weights, biases and the norms' running values",
        "optimizer state: what the optimizer keeps for each parameter",
        "gradients: one for each parameter",
        "activations: outputs of layers that the backward pass needs",
        "workspace: scratch memory of the convolution and matrix libraries",
        "temporaries: everything short-lived inside an operation"};
    return kMeanings[static_cast<std::size_t>(c)];
}

QString RunShape::stepName(int index) const {
    return QString::fromStdString(base::stepName(index, warmup, std::max(steps, index - warmup + 1)));
}

QString RunShape::layerName(int layer) const {
    if (layer < 0 || layer >= static_cast<int>(layerNames.size())) {
        return {};
    }
    const QString& name = layerNames[static_cast<std::size_t>(layer)];
    return !name.isEmpty() && name[0].isDigit() ? QStringLiteral("layer ") + name : name;
}

QString RunShape::where(int phase, int layer) const {
    const QString name = layerName(layer);
    return name.isEmpty() ? phaseName(phase) : phaseName(phase) + QStringLiteral(" of ") + name;
}

}  // namespace highwater::widgets
