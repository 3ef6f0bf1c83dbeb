#include "core/predict/cuda/reduce.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/predict/ghost/cuda_ops.h"

namespace highwater::predict::ghost {

namespace {

/// An axis of the kernel's loop. Strides are in elements.
struct Axis {
    std::int64_t size = 1, stride = 0, result = 0;  ///< `result`: the stride in the result; 0: this axis is
                                                    ///< summed
    bool isSummed() const { return result == 0; }
};

/// Positive: b must come before a; negative: it must not; 0: undecided.
int order(const Axis& a, const Axis& b) {
    if (a.isSummed() != b.isSummed()) {
        return b.isSummed() ? 1 : -1;
    }
    for (const auto stride : {&Axis::result, &Axis::stride}) {
        if (a.*stride == 0 || b.*stride == 0) {
            continue;
        }
        if (a.*stride != b.*stride) {
            return a.*stride < b.*stride ? -1 : 1;
        }
        if (a.size > b.size) {
            return 1;
        }
    }
    return 0;
}

/// The summed axes first, each group by ascending stride, and adjacent axes merged if possible.
std::vector<Axis> loopOf(const Dims& dims, const Strides& strides, const Axes& summed) {
    std::vector<Axis> loop;
    std::int64_t result = 1;
    for (int i = dims.rank; i-- > 0;) {
        const auto axis = static_cast<std::size_t>(i);
        if (dims[i] == 1) {
            continue;
        }
        loop.push_back({dims[i], strides[axis], summed[axis] ? 0 : result});
        result *= summed[axis] ? 1 : dims[i];
    }
    for (std::size_t i = 1; i < loop.size(); ++i) {
        std::size_t at = i;
        for (std::size_t before = i; before-- > 0;) {
            const int decided = order(loop[before], loop[at]);
            if (decided < 0) {
                break;
            }
            if (decided > 0) {
                std::swap(loop[before], loop[at]);
                at = before;
            }
        }
    }
    std::vector<Axis> joined;
    for (const Axis& axis : loop) {
        if (!joined.empty() && joined.back().isSummed() == axis.isSummed() &&
            joined.back().size * joined.back().stride == axis.stride &&
            joined.back().size * joined.back().result == axis.result) {
            joined.back().size *= axis.size;
        } else {
            joined.push_back(axis);
        }
    }
    return joined;
}

std::int64_t divideUp(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

std::int64_t powerBelow(std::int64_t value) {
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

/// How many results a thread loads at a time.
std::int64_t resultsAtOnce(const std::vector<Axis>& loop, std::size_t first) {
    std::int64_t count = 4;
    const auto divides = [&](std::int64_t n) {
        while (n % count != 0) {
            count /= 2;
        }
    };
    divides(loop[first].size);
    for (std::size_t i = 0; i < loop.size(); ++i) {
        if (i != first) {
            divides(loop[i].stride);
        }
    }
    return count;
}

SharedSums::Part partOf(const DeviceAttributes& device, const std::vector<Axis>& loop,
                        const Accumulator& accumulator) {
    constexpr std::int64_t kWarp = 32, kThreads = 512, kFewest = 16, kMost = 256, kLong = 128;
    std::int64_t results = 1, inputs = 1;
    std::size_t summedAxes = 0;
    for (const Axis& axis : loop) {
        (axis.isSummed() ? inputs : results) *= axis.size;
        summedAxes += axis.isSummed() ? 1 : 0;
    }
    const bool along = summedAxes == loop.size() || loop.front().stride < loop[summedAxes].stride;
    std::int64_t width = along ? inputs : results, height = along ? results : inputs, atOnce = 1;
    const std::int64_t least = loop.empty() ? 1 : along ? loop.front().stride : loop[summedAxes].stride;
    if (least == 1 && along && width >= kLong && summedAxes == 1) {
        width /= accumulator.loads;
    } else if (least == 1 && !along) {
        atOnce = resultsAtOnce(loop, summedAxes);
        width /= atOnce;
    }
    const std::int64_t threads = kThreads / atOnce;
    const std::int64_t widest = width < threads ? powerBelow(width) : threads;
    const std::int64_t highest = height < threads ? powerBelow(height) : threads;
    height = std::min(highest, threads / std::min(widest, kWarp));
    width = std::min(widest, threads / height);

    std::int64_t inputStep = along ? width : 1, resultStep = along ? 1 : width;
    const bool acrossWarps = divideUp(inputs, inputStep) >= std::min(height * kFewest, kMost);
    (acrossWarps ? inputStep : resultStep) *= height;
    const std::int64_t target = device.multiprocessors * (device.threadsPerMultiprocessor / (width * height));
    const std::int64_t groups = divideUp(results / atOnce, resultStep), each = divideUp(inputs, inputStep);
    if (!acrossWarps || each < kMost || groups > target) {
        return {};
    }
    const std::int64_t blocks =
        std::max(std::min(divideUp(target, groups), divideUp(each, kFewest)), divideUp(each, kMost));
    if (blocks <= 1) {
        return {};
    }
    return {accumulator.bytes * results * blocks * (along ? 1 : width * atOnce), 4 * groups};
}

/// Whether the kernel can address all of it with 32 bits.
bool isReached(const std::vector<Axis>& loop, Bytes size) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    std::int64_t elements = 1, last = 1, lastResult = 1;
    for (const Axis& axis : loop) {
        elements *= axis.size;
        last += (axis.size - 1) * axis.stride * size;
        lastResult += (axis.size - 1) * axis.result * size;
    }
    return elements <= kMost && last <= kMost && lastResult <= kMost;
}

void addParts(const DeviceAttributes& device, std::vector<Axis> loop, DType type,
              const Accumulator& accumulator, SharedSums& sums) {
    if (isReached(loop, sizeOf(type))) {
        if (const SharedSums::Part part = partOf(device, loop, accumulator); part.sums > 0) {
            sums.parts.push_back(part);
        }
        return;
    }
    const auto reach = [](const Axis& axis) { return (axis.size - 1) * std::max(axis.stride, axis.result); };
    const auto longest = std::max_element(loop.rbegin(), loop.rend(),
                                          [&](const Axis& a, const Axis& b) { return reach(a) < reach(b); });
    const std::int64_t whole = longest->size, half = whole / 2;
    for (const std::int64_t size : {half, whole - half}) {
        longest->size = size;
        addParts(device, loop, type, accumulator, sums);
    }
}

}  // namespace

SharedSums sharedSums(const DeviceAttributes& device, const Dims& dims, const Strides& strides,
                      const Axes& summed, DType type, const Accumulator& accumulator) {
    const std::vector<Axis> loop = loopOf(dims, strides, summed);
    SharedSums sums;
    if (sizeOf(type) == 2 && !isReached(loop, sizeOf(type))) {
        std::int64_t results = 1;
        for (const Axis& axis : loop) {
            results = std::max(results, axis.size * axis.result);
        }
        sums.wide = 4 * results;
    }
    const std::int64_t loads = accumulator.loads != 0 ? accumulator.loads : sizeOf(type) == 2 ? 8 : 4;
    addParts(device, loop, type, {accumulator.bytes, loads}, sums);
    return sums;
}

void shareSums(Machine& machine, const Tensor& x, const Axes& summed, const Accumulator& accumulator) {
    if (!machine.target.gpu || !machine.target.gpu->attributes || x->elements() == 0) {
        return;
    }
    const SharedSums sums =
        sharedSums(*machine.target.gpu->attributes, x->dims, stridesOf(x), summed, x->dtype, accumulator);
    const StoragePtr wide = machine.allocate(sums.wide);
    for (const SharedSums::Part& part : sums.parts) {
        const StoragePtr partial = machine.allocate(part.sums), counters = machine.allocate(part.counters);
    }
}

}  // namespace highwater::predict::ghost
