#include "core/predict/fit/summary.h"

#include <algorithm>

namespace highwater::predict {

namespace {

using memory::Phase;

/// The maximum memory that each layer adds while the run executes it.
class Spans {
public:
    explicit Spans(std::vector<LayerPrediction>& layers) : layers_(layers) {}

    void before(const WalkEvent& event, const Live& live) {
        if (event.layer == layer_ && event.phase == phase_) {
            return;
        }
        layer_ = event.layer;
        phase_ = event.phase;
        start_ = live.total();
    }

    void after(const WalkEvent& event, const Live& live) {
        if (layer_ < 0 || event.step != Walk::kSteps - 1) {
            return;
        }
        const Estimate& now = live.total();
        const Estimate added{now.low - start_.low, now.expected - start_.expected, now.high - start_.high};
        LayerPrediction& layer = layers_[static_cast<std::size_t>(layer_)];
        if (phase_ == Phase::Forward) {
            raise(layer.forwardBytes, added);
        } else if (phase_ == Phase::Backward || phase_ == Phase::Recompute) {
            raise(layer.backwardBytes, added);
        }
    }

private:
    std::vector<LayerPrediction>& layers_;
    Estimate start_;
    int layer_ = -2;
    Phase phase_ = Phase::Setup;
};

void fillAtPeak(const Walk& walk, std::size_t peak, std::vector<LayerPrediction>& layers) {
    for (std::size_t i = 0; i <= peak && i < walk.events.size(); ++i) {
        const WalkEvent& event = walk.events[i];
        const WalkBlock& block = walk.blocks[event.block];
        if (block.layer < 0 || event.kind == WalkEvent::Kind::Retag) {
            continue;
        }
        const base::Bytes sign = event.kind == WalkEvent::Kind::Allocate ? 1 : -1;
        layers[static_cast<std::size_t>(block.layer)].atPeak += sign * block.bytes.expected;
    }
}

}  // namespace

void summarize(const Walk& walk, const stack::StackInfo& info, Prediction& prediction) {
    prediction.layers.resize(info.layers.size());
    Live live(walk);
    Peak peak;
    Spans spans(prediction.layers);
    for (std::size_t i = 0; i < walk.events.size(); ++i) {
        const WalkEvent& event = walk.events[i];
        spans.before(event, live);
        live.pass(event);
        spans.after(event, live);
        peak.after(event, i, live);
        raise(prediction.peakAllocated, live.total());
    }
    peak.fill(prediction);
    prediction.atEnd = live.ledger();
    fillAtPeak(walk, peak.at(), prediction.layers);
    for (std::size_t i = 0; i < prediction.layers.size(); ++i) {
        prediction.layers[i].activationBytes = walk.activationBytes[i];
        prediction.layers[i].parameterBytes = walk.parameterBytes[i];
    }
    for (const WalkOp& op : walk.ops) {
        if (op.convolution >= 0 && op.layer >= 0 &&
            walk.convolutions[static_cast<std::size_t>(op.convolution)].asked) {
            prediction.layers[static_cast<std::size_t>(op.layer)].asked = true;
        }
    }
    prediction.convolutions = walk.convolutionPasses;
    prediction.withoutRow = walk.passesWithoutRow;
    prediction.asked = walk.passesAsked;
    prediction.workspaces = walk.workspaces;
}

void sumBlocks(const stack::StackInfo& info, std::vector<LayerPrediction>& layers) {
    for (std::size_t i = layers.size(); i-- > 0;) {
        if (info.layers[i].block < 0) {
            continue;
        }
        LayerPrediction& block = layers[static_cast<std::size_t>(info.layers[i].block)];
        const LayerPrediction& layer = layers[i];
        block.parameterBytes += layer.parameterBytes;
        block.activationBytes += layer.activationBytes;
        raise(block.forwardBytes, layer.forwardBytes);
        raise(block.backwardBytes, layer.backwardBytes);
        block.atPeak += layer.atPeak;
        block.forwardMs += layer.forwardMs;
        block.backwardMs += layer.backwardMs;
    }
}

}  // namespace highwater::predict
