#include "widgets/plot/plot_values.h"

#include <QObject>
#include <cmath>
#include <string_view>

#include "core/base/text.h"
#include "core/memory/phase.h"

namespace highwater::widgets {

QString phaseName(int phase) {
    static const std::array<QString, kPhaseCount> kNames = {QObject::tr("data"), QObject::tr("forward"),
                                                            QObject::tr("recompute"), QObject::tr("backward"),
                                                            QObject::tr("optimizer")};
    return phase >= 0 && phase < kPhaseCount ? kNames[static_cast<std::size_t>(phase)] : QObject::tr("setup");
}

QString categoryName(memory::Category c) {
    static const std::array<QString, memory::kCategoryCount> kNames = {
        QObject::tr("input"),      QObject::tr("parameters"),  QObject::tr("optimizer state"),
        QObject::tr("gradients"),  QObject::tr("activations"), QObject::tr("workspace"),
        QObject::tr("temporaries")};
    return kNames[static_cast<std::size_t>(c)];
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
        QObject::tr("data: waiting for the next patches"),
        QObject::tr("forward: the outputs of the stack and the loss"),
        QObject::tr(
            "recompute: the forward pass again, for blocks whose activations checkpointing did not keep"),
        QObject::tr("backward: the gradients, last layer first"),
        QObject::tr("optimizer: the update of the parameters")};
    return phase >= 0 && phase < kPhaseCount ? kMeanings[static_cast<std::size_t>(phase)] : QString();
}

QString categoryMeaning(memory::Category c) {
    static const std::array<QString, memory::kCategoryCount> kMeanings = {
        QObject::tr("input: patches, targets and the buffer of prefetched ones"),
        QObject::tr("parameters: weights, biases and the norms' running values"),
        QObject::tr("optimizer state: what the optimizer keeps for each parameter"),
        QObject::tr("gradients: one for each parameter"),
        QObject::tr("activations: outputs of layers that the backward pass needs"),
        QObject::tr("workspace: scratch memory of the convolution and matrix libraries"),
        QObject::tr("temporaries: everything short-lived inside an operation")};
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
    return !name.isEmpty() && name[0].isDigit() ? QObject::tr("layer %1").arg(name) : name;
}

QString RunShape::where(int phase, int layer) const {
    const QString name = layerName(layer);
    return name.isEmpty() ? phaseName(phase) : QObject::tr("%1 of %2").arg(phaseName(phase), name);
}

}  // namespace highwater::widgets
