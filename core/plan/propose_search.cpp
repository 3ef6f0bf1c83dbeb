#include "core/plan/propose_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/stack/shapes.h"

namespace highwater::plan {
namespace {

using base::Error;

/// Returns the shortened patches, from the whole median down to one stride per axis.
std::vector<Three> shortenings(const Search& search) {
    std::vector<Three> all{search.whole};
    for (Three patch = search.whole;;) {
        std::size_t longest = 3;
        double most = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double share = static_cast<double>(patch[axis]) / static_cast<double>(search.median[axis]);
            const bool tie = longest < 3 && share == most && patch[axis] > patch[longest];
            if (patch[axis] > search.stride[axis] && (share > most || tie)) {
                longest = axis;
                most = share;
            }
        }
        if (longest == 3) {
            return all;
        }
        patch[longest] -= search.stride[longest];
        all.push_back(patch);
    }
}

}  // namespace

double product(const Three& sizes) {
    return static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) * static_cast<double>(sizes[2]);
}

stack::Experiment Trials::with(const Three& patch, std::int64_t batch) const {
    return withPatch(experiment_, {patch.begin(), patch.end()}, batch);
}

Tried Trials::at(const Three& patch, std::int64_t batch) {
    const auto found = known_.find({patch, batch});
    if (found != known_.end()) {
        return {patch, batch, found->second};
    }
    auto peak = cancelled() ? base::Result<base::Bytes>(Error{"cancelled"}) : peak_(with(patch, batch));
    known_.emplace(std::pair(patch, batch), peak);
    return {patch, batch, std::move(peak)};
}

bool Trials::fits(const Three& patch, std::int64_t batch) {
    const Tried tried = at(patch, batch);
    return tried.peak && *tried.peak <= options_.capacity;
}

bool Trials::cancelled() {
    cancelled_ = cancelled_ || (options_.cancel && options_.cancel->load(std::memory_order_relaxed));
    return cancelled_;
}

base::Status Trials::accepts(const Three& patch, std::int64_t batch) const {
    const auto info = stack::inferShapes(with(patch, batch));
    return info ? base::Status() : info.error();
}

base::Result<Three> firstThatFits(const Search& search) {
    std::vector<Three> patches = shortenings(search);
    base::Status why;
    while (!patches.empty() && !(why = search.trials.accepts(patches.back(), search.least))) {
        patches.pop_back();
    }
    if (patches.empty()) {
        return Error{
            fmt::format("no patch up to {} is possible: {}", patchText(search.whole), why.error().message)};
    }
    if (search.trials.fits(patches.front(), search.least)) {
        return patches.front();
    }
    if (!search.trials.fits(patches.back(), search.least)) {
        const Tried smallest = search.trials.at(patches.back(), search.least);
        return Error{fmt::format(
            "nothing fits: the smallest patch that was tried, {} with batch {}, needs {}",
            patchText(smallest.patch), smallest.batch, peakText(smallest, search.trials.capacity()))};
    }
    std::size_t over = 0, fits = patches.size() - 1;
    while (fits - over > 1) {
        const std::size_t middle = over + (fits - over) / 2;
        (search.trials.fits(patches[middle], search.least) ? fits : over) = middle;
    }
    return patches[fits];
}

std::optional<Three> longer(const Search& search, const Three& patch) {
    std::array<std::size_t, 3> axes{0, 1, 2};
    std::sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
        const auto share = [&](std::size_t axis) {
            return static_cast<double>(patch[axis]) / static_cast<double>(search.median[axis]);
        };
        return share(a) != share(b) ? share(a) < share(b) : a < b;
    });
    for (const std::size_t axis : axes) {
        Three next = patch;
        next[axis] += search.stride[axis];
        if (next[axis] <= search.whole[axis] && search.trials.fits(next, search.least)) {
            return next;
        }
    }
    return std::nullopt;
}

std::optional<Tried> nextLarger(const Search& search, const Three& patch) {
    std::optional<Three> smallest;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Three next = patch;
        next[axis] += search.stride[axis];
        if (next[axis] <= search.whole[axis] && (!smallest || product(next) < product(*smallest))) {
            smallest = next;
        }
    }
    return smallest ? std::optional(search.trials.at(*smallest, search.least)) : std::nullopt;
}

std::int64_t largestBatch(const Search& search, const Three& patch, std::int64_t unit, std::int64_t most) {
    std::int64_t fits = search.least / unit, step = 1;
    const std::int64_t last = most / unit;
    while (fits < last && search.trials.fits(patch, std::min(fits + step, last) * unit)) {
        fits = std::min(fits + step, last);
        step *= 2;
    }
    std::int64_t over = std::min(fits + step, last + 1);
    while (over - fits > 1) {
        const std::int64_t middle = fits + (over - fits) / 2;
        (search.trials.fits(patch, middle * unit) ? fits : over) = middle;
    }
    return fits * unit;
}

}  // namespace highwater::plan
