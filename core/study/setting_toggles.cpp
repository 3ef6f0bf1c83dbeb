#include <fmt/format.h>

#include <algorithm>

#include "core/stack/program.h"
#include "core/stack/shapes.h"
#include "core/study/toggle_applies.h"

namespace highwater::study {

using base::Error;
using stack::Experiment;
using stack::Precision;

namespace {

constexpr std::int64_t kWorkers = 2;

Error already() {
    return Error{"it is already on"};
}

/// Sets a setting of the experiment to `value`; an Error if it has that value.
template <class Part, class Value>
Switched set(const Experiment& e, Part Experiment::* part, Value Part::* field, Value value) {
    if (e.*part.*field == value) {
        return already();
    }
    Experiment changed = e;
    changed.*part.*field = value;
    return ifValid(std::move(changed));
}

bool waitsForData(const Experiment& e) {
    return std::holds_alternative<stack::ScanInput>(e.input) || e.data.readDelayMs > 0;
}

}  // namespace

Switched ifValid(Experiment changed) {
    HIGHWATER_TRY(stack::inferShapes(changed));
    return changed;
}

Switched checkpointSqrt(const Experiment& e) {
    if (!e.step.train) {
        return Error{"without training nothing is kept for a backward; set /step/train to true"};
    }
    if (e.step.checkpoint.kind == stack::Checkpointing::Kind::Sqrt) {
        return already();
    }
    Experiment changed = e;
    changed.step.checkpoint = {stack::Checkpointing::Kind::Sqrt, {}};
    const auto info = HIGHWATER_TRY(stack::inferShapes(changed));
    const auto program = stack::makeProgram(changed, info);
    if (std::none_of(program.segments.begin(), program.segments.end(),
                     [](const stack::Segment& segment) { return segment.checkpoint; })) {
        return Error{"the stack is too short to be cut into segments; add layers"};
    }
    return changed;
}

Switched oneDnnOff(const Experiment& e) {
    return set(e, &Experiment::backend, &stack::Backend::onednn, false);
}

Switched cudnnOff(const Experiment& e) {
    return set(e, &Experiment::backend, &stack::Backend::cudnn, false);
}

Switched cudnnBenchmark(const Experiment& e) {
    if (!e.backend.cudnn) {
        return Error{"cuDNN is off, so that there is nothing to choose from; set /backend/cudnn to true"};
    }
    return set(e, &Experiment::backend, &stack::Backend::benchmark, true);
}

Switched deterministic(const Experiment& e) {
    return set(e, &Experiment::backend, &stack::Backend::deterministic, true);
}

Switched tf32(const Experiment& e) {
    if (e.step.precision == Precision::Tf32) {
        return already();
    }
    if (stack::elementBytes(e.step.precision) == 2) {
        return Error{fmt::format("{} computes in 16 bits what TF32 would; set /step/precision to \"fp32\"",
                                 stack::precisionName(e.step.precision))};
    }
    return set(e, &Experiment::backend, &stack::Backend::tf32, true);
}

Switched workers(const Experiment& e) {
    if (!waitsForData(e)) {
        return Error{
            "synthetic input without a read delay costs no time; give a scan or /data/read_delay_ms"};
    }
    if (e.data.workers > 0) {
        return already();
    }
    return set(e, &Experiment::data, &stack::Data::workers, kWorkers);
}

Switched pinned(const Experiment& e) {
    return set(e, &Experiment::data, &stack::Data::pinned, true);
}

Switched windows(const Experiment& e) {
    if (e.windows) {
        return already();
    }
    const auto data = HIGHWATER_TRY(stack::inputShape(e));
    Experiment changed = e;
    stack::Sizes& size = changed.windows.emplace().size;
    size.assign(data.begin() + 2, data.end());
    if (*std::max_element(size.begin(), size.end()) < 2) {
        return Error{"there is nothing to cut windows from: the input has one value per axis"};
    }
    for (std::int64_t& axis : size) {
        axis = (axis + 1) / 2;
    }
    return ifValid(std::move(changed));
}

Switched microBatches(const Experiment& e) {
    if (e.step.microBatches > 1) {
        return already();
    }
    if (e.step.batchSize % 2 != 0) {
        return Error{fmt::format("a batch of {} cannot be split in two; give an even one", e.step.batchSize)};
    }
    Experiment half = e;  // half a batch, as the network would read it, must be valid too
    half.step.batchSize = e.step.batchSize / 2;
    HIGHWATER_TRY(stack::inferShapes(half));
    return set(e, &Experiment::step, &stack::Step::microBatches, std::int64_t{2});
}

Switched bf16(const Experiment& e) {
    return set(e, &Experiment::step, &stack::Step::precision, Precision::Bf16);
}

Switched fp16(const Experiment& e) {
    return set(e, &Experiment::step, &stack::Step::precision, Precision::Fp16);
}

Switched channelsLast(const Experiment& e) {
    const auto data = stack::inputShape(e);
    if (data && data->size() < 4) {
        return Error{"a 1d signal has no such layout; it is for 2d and 3d"};
    }
    return set(e, &Experiment::step, &stack::Step::channelsLast, true);
}

}  // namespace highwater::study
