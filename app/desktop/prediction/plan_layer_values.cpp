#include "app/desktop/prediction/plan_layer_values.h"

#include <algorithm>

#include "app/desktop/window/text.h"
#include "core/stack/program.h"
#include "widgets/plot/memory_scene.h"

namespace highwater::desktop {

namespace {

struct LayerBytes {
    base::Bytes kept = 0, freed = 0;
};

bool isGroup(const stack::LayerInfo& layer) {
    return layer.type == "block" || layer.type == "branch";
}

/// What a checkpointed segment frees and keeps: its outputs stay, by the layer that made them anew.
void takeSegment(const stack::Program& program, const stack::StackInfo& info, const stack::Segment& segment,
                 std::vector<LayerBytes>& bytes) {
    const auto step = [&](int value) -> const stack::ProgramStep& {
        return program.steps[static_cast<std::size_t>(value)];
    };
    const auto layerOf = [&](int value) { return static_cast<std::size_t>(step(value).layer); };
    for (int at = segment.first; at < segment.last; ++at) {
        LayerBytes& layer = bytes[layerOf(at)];
        layer.freed = std::exchange(layer.kept, 0);
    }
    for (int value : segment.exports) {
        while (value > segment.first && info.layers[layerOf(value)].newBytes == 0) {
            value = step(value).from;  // it works in place
        }
        if (value < segment.first) {
            continue;
        }
        LayerBytes& layer = bytes[layerOf(value)];
        const base::Bytes stays = std::min(layer.freed, info.layers[layerOf(value)].outputBytes);
        layer.kept += stays;
        layer.freed -= stays;
    }
}

QString actionOf(int forwards, const stack::LayerInfo& layer) {
    return layer.type == "branch" ? QString() : forwards > 1 ? QObject::tr("recompute") : QObject::tr("keep");
}

QString noteOf(int forwards, const stack::LayerInfo& layer, bool partAgain) {
    QStringList notes;
    if (partAgain) {
        notes << QObject::tr("a part again");
    }
    if (forwards > 2) {
        notes << QStringLiteral("×%1").arg(forwards - 1);
    }
    if (!isGroup(layer) && layer.newBytes == 0) {
        notes << QObject::tr("in place");
    }
    return notes.join(QStringLiteral(", "));
}

/// A block says how many of its layers are computed again.
void sumUp(std::vector<widgets::PlanLayer>& layers, const stack::StackInfo& info) {
    std::vector<std::pair<int, int>> again(layers.size());  // computed again, of so many
    for (std::size_t i = layers.size(); i-- > 0;) {
        if (!isGroup(info.layers[i])) {
            again[i] = {layers[i].again ? 1 : 0, 1};
        } else if (again[i].first > 0 && again[i].first < again[i].second) {
            layers[i].action = QObject::tr("recompute %1 of %2").arg(again[i].first).arg(again[i].second);
        }
        if (layers[i].block && again[i].first == 0 && layers[i].freed > 0) {
            layers[i].note = QObject::tr("a part again");
        }
        if (const int block = info.layers[i].block; block >= 0) {
            const auto of = static_cast<std::size_t>(block);
            layers[of].kept += layers[i].kept;
            layers[of].freed += layers[i].freed;
            again[of].first += again[i].first;
            again[of].second += again[i].second;
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
    std::vector<base::Bytes> bytes(info.layers.size(), 0);
    const auto prediction =
        predict::predict(all, info, target_, {.timeline = false, .time = false, .reserved = false});
    for (std::size_t i = 0; prediction && i < std::min(bytes.size(), prediction->layers.size()); ++i) {
        bytes[i] = std::max<base::Bytes>(0, prediction->layers[i].activationBytes);
    }
    return known_.emplace_back(all, std::move(bytes)).second;
}

std::vector<widgets::PlanLayer> PlanLayerValues::of(const stack::Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return {};
    }
    const std::vector<base::Bytes>& all = bytesOf(experiment, *info);
    std::vector<LayerBytes> bytes(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        bytes[i].kept = isGroup(info->layers[i]) ? 0 : all[i];
    }
    const stack::Program program = stack::makeProgram(experiment, *info);
    for (const stack::Segment& segment : program.segments) {
        if (segment.checkpoint) {
            takeSegment(program, *info, segment, bytes);
        }
    }
    const auto partAgain = [&](std::size_t layer, int runs) {
        return runs == 1 && bytes[layer].freed > 0;  // such as a copy of its weights in half precision
    };
    const std::vector<int> forwards = plan::forwardsOf(experiment, *info);
    std::vector<widgets::PlanLayer> layers;
    for (std::size_t i = 0; i < info->layers.size(); ++i) {
        const stack::LayerInfo& layer = info->layers[i];
        layers.push_back({text(layer.name).section(QStringLiteral(" · "), -1), layer.depth,
                          layer.type == "block", actionOf(forwards[i], layer), forwards[i] > 1,
                          noteOf(forwards[i], layer, partAgain(i, forwards[i])), bytes[i].kept,
                          bytes[i].freed});
    }
    sumUp(layers, *info);
    return layers;
}

QString keptText(const std::vector<widgets::PlanLayer>& layers) {
    base::Bytes kept = 0, all = 0;
    for (const widgets::PlanLayer& layer : layers) {
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
