#include "app/desktop/prediction/plan/plan_layer_values.h"

#include <QObject>
#include <algorithm>

#include "widgets/plot/memory_scene.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

bool isGroup(const stack::LayerInfo& layer) {
    return layer.type == "block" || layer.type == "branch";
}

QString actionOf(int forwards, bool offloaded, const stack::LayerInfo& layer) {
    return layer.type == "branch" ? QString()
           : forwards > 1         ? QObject::tr("recompute")
           : offloaded            ? QObject::tr("offload")
                                  : QObject::tr("keep");
}

/// `part`: what happens to a part of what the layer keeps; may be empty.
QString noteOf(int forwards, const stack::LayerInfo& layer, const QString& part) {
    QStringList notes;
    if (!part.isEmpty()) {
        notes << part;
    }
    if (forwards > 2) {
        notes << QStringLiteral("×%1").arg(forwards - 1);
    }
    if (!isGroup(layer) && layer.newBytes == 0) {
        notes << QObject::tr("in place");
    }
    return notes.join(QStringLiteral(", "));
}

/// Sets how many layers of a block are recomputed, and how many are offloaded.
void sumUp(std::vector<PlanLayer>& layers, const stack::StackInfo& info, const QString& part) {
    struct Counts {
        int again = 0, offloaded = 0, all = 0;
    };
    std::vector<Counts> counts(layers.size());
    const auto share = [](const QString& all, const QString& some, int count, int of) {
        return count == 0 ? QString() : count == of ? all : some.arg(count).arg(of);
    };
    for (std::size_t i = layers.size(); i-- > 0;) {
        PlanLayer& layer = layers[i];
        const Counts& its = counts[i];
        if (!isGroup(info.layers[i])) {
            counts[i] = {layer.again ? 1 : 0, layer.offloaded ? 1 : 0, 1};
        } else if (its.again + its.offloaded > 0) {
            QStringList actions = {
                share(QObject::tr("recompute"), QObject::tr("recompute %1 of %2"), its.again, its.all),
                share(QObject::tr("offload"), QObject::tr("offload %1 of %2"), its.offloaded, its.all)};
            actions.removeAll(QString());
            layer.action = actions.join(QStringLiteral(", "));
            layer.offloaded = its.offloaded > 0;
        } else if (layer.block && layer.freed > 0) {
            layer.note = part;
        }
        if (const int block = info.layers[i].block; block >= 0) {
            const auto of = static_cast<std::size_t>(block);
            layers[of].kept += layers[i].kept;
            layers[of].freed += layers[i].freed;
            counts[of].again += counts[i].again;
            counts[of].offloaded += counts[i].offloaded;
            counts[of].all += counts[i].all;
        }
    }
}

stack::Experiment keepingAll(stack::Experiment experiment) {
    experiment.step.checkpoint = {.kind = stack::Checkpointing::Kind::None};
    return experiment;
}

}  // namespace

const std::vector<base::Bytes>& PlanLayerValues::bytesOf(const stack::Experiment& experiment,
                                                         const stack::StackInfo& info) {
    const stack::Experiment all = keepingAll(experiment);
    for (const auto& [of, bytes] : known_) {
        if (of == all) {
            return bytes;
        }
    }
    return known_.emplace_back(all, keptBytes(all, info)).second;
}

std::vector<base::Bytes> PlanLayerValues::keptBytes(const stack::Experiment& experiment,
                                                    const stack::StackInfo& info) const {
    std::vector<base::Bytes> bytes = plan::keptOf(experiment, info, target_);
    bytes.resize(info.layers.size());
    return bytes;
}

std::vector<PlanLayer> PlanLayerValues::of(const stack::Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return {};
    }
    const std::vector<base::Bytes>& all = bytesOf(experiment, *info);
    const std::vector<base::Bytes> kept = keptBytes(experiment, *info);
    // Such as a copy of its weights in half precision, or its output, which the next layer offloads to the
    // host.
    const QString part = stack::offloads(experiment.step.checkpoint.plan) ? QObject::tr("partly offloaded")
                                                                          : QObject::tr("partly recomputed");
    const std::vector<int> forwards = plan::forwardsOf(experiment, *info);
    const std::vector<bool> offloaded = plan::offloadedOf(experiment, *info);
    std::vector<PlanLayer> layers;
    for (std::size_t i = 0; i < info->layers.size(); ++i) {
        const stack::LayerInfo& layer = info->layers[i];
        const base::Bytes freed = std::max<base::Bytes>(0, all[i] - kept[i]);
        const bool partly = forwards[i] == 1 && !offloaded[i] && freed > 0;
        layers.push_back({widgets::fromUtf8(layer.name).section(QStringLiteral(" · "), -1), layer.depth,
                          layer.type == "block", actionOf(forwards[i], offloaded[i], layer), forwards[i] > 1,
                          noteOf(forwards[i], layer, partly ? part : QString()), kept[i], freed,
                          offloaded[i]});
    }
    sumUp(layers, *info, part);
    return layers;
}

QString keptText(const std::vector<PlanLayer>& layers) {
    base::Bytes kept = 0, all = 0;
    for (const PlanLayer& layer : layers) {
        if (layer.depth == 0) {
            kept += layer.kept;
            all += layer.kept + layer.freed;
        }
    }
    if (all == 0) {
        return {};
    }
    return kept == all ? QObject::tr("keeps all %1 for the backward pass").arg(widgets::bytesText(all))
                       : QObject::tr("keeps %1 of %2 for the backward pass")
                             .arg(widgets::bytesText(kept), widgets::bytesText(all));
}

}  // namespace highwater::desktop
