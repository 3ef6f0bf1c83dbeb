#include "core/predict/ghost/ghost.h"

#include <algorithm>

#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

namespace highwater::predict::ghost {

namespace {

constexpr Bytes kMostStorage = Bytes{1} << 62;

std::int64_t product(const std::int64_t* from, const std::int64_t* to) {
    constexpr std::int64_t kMost = std::int64_t{1} << 61;
    __int128 result = 1;
    for (; from != to; ++from) {
        result = std::min<__int128>(result * *from, kMost);
    }
    return static_cast<std::int64_t>(result);
}

const DeviceOps& opsFor(const Target& target) {
    return target.gpu ? cudaOps() : cpuOps();
}

memory::TorchVersion torchOf(const Target& target) {
    if (target.gpu) {
        return target.versions.libtorch;
    }
    const auto version = parseTorchVersion(target.cpu.libtorch);
    return version ? *version : memory::TorchVersion{1, 13};
}

}  // namespace

Dims::Dims(std::initializer_list<std::int64_t> sizes) : rank(static_cast<int>(sizes.size())) {
    std::copy(sizes.begin(), sizes.end(), size.begin());
}

Dims::Dims(const std::vector<std::int64_t>& sizes) : rank(static_cast<int>(sizes.size())) {
    std::copy(sizes.begin(), sizes.end(), size.begin());
}

std::int64_t Dims::elements() const {
    return product(size.data(), size.data() + rank);
}

std::int64_t Dims::spatial() const {
    return product(size.data() + 2, size.data() + std::max(rank, 2));
}

Storage::~Storage() {
    machine.freed(*this);
}

void drop(Gradients& gradients) {
    for (Tensor& gradient : gradients) {
        gradient.reset();
    }
}

Machine::Machine(const Target& predictedFor, std::size_t layers)
    : target(predictedFor),
      ops(opsFor(target)),
      cuda(target.gpu.has_value()),
      threads(std::max(1, target.cpu.threads)),
      torch(torchOf(target)) {
    walk.activationBytes.resize(layers);
    walk.parameterBytes.resize(layers);
    walk.blocks.reserve(96 * layers + 64);
    walk.events.reserve(256 * layers + 64);
    walk.ops.reserve(32 * layers + 64);
}

Machine::~Machine() {
    finish();
    deviceState.reset();
}

void Machine::enter(Phase phase, int layer) {
    phase_ = phase;
    layer_ = layer;
    mayStop(sequence_, true);
}

void Machine::beginStep(int step) {
    step_ = step;
    phase_ = Phase::Data;
    layer_ = -1;
    owners_.clear();
    recomputations_ = 0;
    nested_ = 0;
    numbers_.clear();
    walk.stepEvent[step] = walk.events.size();
    walk.stepOp[step] = walk.ops.size();
}

WalkOp& Machine::op(std::string_view name, std::string_view family, double bytesMoved, double flops) {
    label_ = name;
    WalkOp& made = walk.ops.emplace_back();
    made.event = walk.events.size();
    made.layer = static_cast<std::int16_t>(layer_);
    made.phase = phase_;
    made.step = static_cast<std::int8_t>(step_);
    made.family = family;
    made.repeats = repeats;
    made.bytesMoved = bytesMoved;
    made.flops = flops;
    return made;
}

void Machine::note(WalkEvent::Kind kind, std::uint32_t block, Category category, Category from) {
    walk.events.push_back({block, static_cast<std::int16_t>(layer_), kind, category, from, phase_,
                           static_cast<std::int8_t>(step_)});
}

StoragePtr Machine::allocate(const Estimate& bytes) {
    if (bytes.high <= 0 || stopped_) {
        return nullptr;
    }
    if (bytes.high > kMostStorage - liveHigh_) {
        throw TooMuch();
    }
    const auto block = static_cast<std::uint32_t>(walk.blocks.size());
    walk.blocks.push_back({bytes, label_, static_cast<std::int16_t>(layer_), -1, false});
    live_[Category::Temporaries] += bytes.expected;
    liveHigh_ += bytes.high;
    note(WalkEvent::Kind::Allocate, block, Category::Temporaries, Category::Temporaries);
    return std::make_shared<Storage>(*this, block, Category::Temporaries);
}

void Machine::freed(const Storage& storage) {
    if (!recording_) {
        return;
    }
    const Estimate& bytes = walk.blocks[storage.block].bytes;
    live_[storage.category] -= bytes.expected;
    liveHigh_ -= bytes.high;
    note(WalkEvent::Kind::Free, storage.block, storage.category, storage.category);
}

void Machine::retag(const StoragePtr& storage, Category to) {
    if (!storage || storage->category == to) {
        return;
    }
    const Bytes bytes = walk.blocks[storage->block].bytes.expected;
    live_[storage->category] -= bytes;
    live_[to] += bytes;
    note(WalkEvent::Kind::Retag, storage->block, to, storage->category);
    storage->category = to;
}

void Machine::retagTemporary(const StoragePtr& storage, Category to) {
    if (storage && storage->category == Category::Temporaries) {
        retag(storage, to);
    }
}

Tensor Machine::empty(const Dims& dims, DType dtype) {
    const auto made = std::make_shared<TensorImpl>();
    made->dims = dims;
    made->dtype = dtype;
    const std::int64_t elements = dims.elements();
    made->storage = allocate(elements >= kMostStorage / 8 ? kMostStorage : elements * sizeOf(dtype));
    return made;
}

Tensor Machine::like(const Tensor& other) {
    return emptyLike(*this, other, other->dtype);
}

Tensor Machine::view(const Tensor& of, const Dims& dims, bool contiguous) {
    const auto made = std::make_shared<TensorImpl>();
    made->storage = of->storage;
    made->dims = dims;
    made->dtype = of->dtype;
    made->contiguous = contiguous;
    made->channelsLast = of->channelsLast && of->dims.rank == dims.rank;
    if (of->dims == dims && contiguous == of->contiguous) {
        made->strides = of->strides;
    }
    return made;
}

Tensor Machine::gradientView(const Tensor& of, const Dims& dims, bool contiguous) {
    Tensor made = view(of, dims, contiguous);
    made->base = of->base ? of->base : of;
    return made;
}

DType Machine::modelType() const {
    const stack::Precision precision = target.settings.precision;
    return stack::isTrueHalf(precision) ? typeOf(precision) : DType::Float32;
}

void Machine::makeParameter(Parameter& parameter, const Dims& dims) {
    parameter.value = empty(dims, modelType());
    // With one channel or one position it already has both layouts, so contiguous() does not change it.
    parameter.value->channelsLast = cuda && target.settings.channelsLast &&
                                    (dims.rank == 4 || dims.rank == 5) && dims[1] > 1 && dims.spatial() > 1;
    retag(parameter.value->storage, Category::Parameters);
    const auto accumulator = std::make_shared<Node>();
    accumulator->sequence = Node::kAccumulator;
    accumulator->apply = [&parameter](Machine& machine, Node&, Tensor& gradient, Gradients&) {
        if (!parameter.gradient && gradient.use_count() == 1 &&
            liesAs(gradient, parameter.value->channelsLast)) {
            parameter.gradient = detach(gradient);
        } else if (!parameter.gradient) {
            parameter.gradient = machine.like(parameter.value);
        }
        machine.retag(parameter.gradient->storage, Category::Gradients);
        if (parameter.arrived) {
            parameter.arrived();
        }
    };
    parameter.value->edge = accumulator;
}

std::size_t Machine::KeyHash::operator()(const ConvKey& key) const {
    std::uint64_t hash = 1469598103934665603U;
    const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211U; };
    mix(static_cast<std::uint64_t>(key.pass) | (key.transposed ? 2U : 0U) | (key.inputGradient ? 4U : 0U) |
        (key.gradientContiguous ? 8U : 0U) | (key.bias ? 16U : 0U) | (key.inputContiguous ? 32U : 0U) |
        (static_cast<std::uint64_t>(key.dtype) << 8U));
    for (const std::int64_t value : {key.batch, key.inChannels, key.outChannels, key.groups}) {
        mix(static_cast<std::uint64_t>(value));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const auto* each : {&key.input, &key.kernel, &key.stride, &key.padding}) {
            mix(static_cast<std::uint64_t>((*each)[axis]));
        }
    }
    return hash ^ (hash >> 29U);
}

const Machine::Met& Machine::meet(const ConvKey& key) {
    const auto [place, isNew] = met_.try_emplace(key);
    Met& met = place->second;
    if (isNew) {
        met.index = static_cast<int>(walk.convolutions.size());
        ops.lookUp(*this, key, met);
        walk.convolutions.push_back({key, layer_, met.known, met.known && met.asked});
    }
    if (step_ == Walk::kSteps - 1) {
        ++walk.convolutionPasses;
        const Walk::Convolution& each = walk.convolutions[static_cast<std::size_t>(met.index)];
        walk.passesWithoutRow += each.hasRow ? 0 : 1;
        walk.passesAsked += each.asked ? 1 : 0;
    }
    return met;
}

}  // namespace highwater::predict::ghost
