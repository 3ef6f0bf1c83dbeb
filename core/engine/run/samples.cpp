#include "core/engine/run/samples.h"

namespace highwater::engine {

namespace {

constexpr std::size_t kMostLayerSamples = 10000;

double medianOf(const std::vector<float>& values) {
    const std::vector<double> wide(values.begin(), values.end());
    return base::median(wide);
}

void keep(std::vector<float>& samples, std::size_t step, float value) {
    if (samples.size() < kMostLayerSamples) {
        samples.push_back(value);
    } else {
        samples[step % kMostLayerSamples] = value;
    }
}

}  // namespace

std::vector<wire::LayerCost> emptyCosts(const stack::StackInfo& info) {
    std::vector<wire::LayerCost> costs;
    for (const stack::LayerInfo& layer : info.layers) {
        costs.push_back({layer.name, layer.type, layer.output, layer.parameters, 0, 0, 0});
    }
    return costs;
}

Samples::Samples(const stack::StackInfo& info)
    : info_(info), forward_(info.layers.size()), backward_(info.layers.size()) {}

void Samples::Phases::add(const wire::PhaseTimes& times) {
    data.push_back(times.data);
    forward.push_back(times.forward);
    recompute.push_back(times.recompute);
    backward.push_back(times.backward);
    optimizer.push_back(times.optimizer);
}

wire::PhaseTimes Samples::Phases::medians() const {
    return {base::median(data), base::median(forward), base::median(recompute), base::median(backward),
            base::median(optimizer)};
}

void Samples::addStep(const StepTimes& times) {
    if (times.layered) {
        for (std::size_t i = 0; i < forward_.size(); ++i) {
            keep(forward_[i], layered_, times.forward[i]);
            keep(backward_[i], layered_, times.backward[i]);
        }
        ++layered_;
    }
    totals_.push_back(times.phases.total());
    phases_.add(times.phases);
    if (times.host) {
        host_.add(*times.host);
    }
}

std::vector<wire::LayerCost> Samples::layers(const std::vector<Bytes>& activationBytes) const {
    std::vector<wire::LayerCost> costs = emptyCosts(info_);
    for (std::size_t i = costs.size(); i-- > 0;) {  // from the back: a block comes before its layers
        costs[i].activationBytes += activationBytes[i];
        costs[i].forwardMs += medianOf(forward_[i]);
        costs[i].backwardMs += medianOf(backward_[i]);
        if (const int block = info_.layers[i].block; block >= 0) {
            wire::LayerCost& outer = costs[static_cast<std::size_t>(block)];
            outer.activationBytes += costs[i].activationBytes;
            outer.forwardMs += costs[i].forwardMs;
            outer.backwardMs += costs[i].backwardMs;
        }
    }
    return costs;
}

base::Interval Samples::stepMs() const {
    return base::medianWithInterval(totals_);
}

wire::PhaseTimes Samples::phases() const {
    return phases_.medians();
}

wire::PhaseTimes Samples::host() const {
    return host_.medians();
}

}  // namespace highwater::engine
