#include "widgets/timeline/trace_tables.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace highwater::widgets {

namespace {

bool within(const BlockLife& life, const StateRange& range) {
    return life.here() && life.begin <= range.last && life.end > range.first;
}

/// Alphabetical ranks of names, so that blocks can be sorted by name without comparing strings.
std::vector<std::uint32_t> ranks(const std::vector<std::string>& names) {
    std::vector<std::uint32_t> order(names.size()), rank(names.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(names[a], a) < std::tie(names[b], b);
    });
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        rank[order[i]] = i;
    }
    return rank;
}

double sortKey(const TraceIndex& index, TimelineAxis axis, LargestOrder order, std::uint32_t block,
               const std::vector<std::uint32_t>& labels) {
    const BlockLife& life = index.life(block);
    const memory::TraceBlock& b = index.trace().blocks[block];
    switch (order) {
        case LargestOrder::Bytes:
            return static_cast<double>(b.bytes);
        case LargestOrder::Lifetime:
            return index.length(axis, block);
        case LargestOrder::ByteTime:
            return static_cast<double>(b.bytes) * index.length(axis, block);
        case LargestOrder::Begin:
            return life.begin;
        case LargestOrder::Category:
            return static_cast<double>(life.category);
        case LargestOrder::Layer:
            return life.layer;
        case LargestOrder::Label:
            return b.label < 0 ? -1.0 : labels[static_cast<std::size_t>(b.label)];
    }
    return 0;
}

std::size_t sumPlace(std::int16_t layer, std::size_t layers) {
    return layer < 0 ? layers : static_cast<std::size_t>(layer);
}

}  // namespace

std::vector<bool> layersWithin(const memory::Trace& trace, int layer) {
    std::vector<bool> within(trace.layers.size());
    if (layer < 0 || layer >= static_cast<int>(within.size())) {
        return within;
    }
    const std::string& name = trace.layers[static_cast<std::size_t>(layer)];
    for (std::size_t i = 0; i < within.size(); ++i) {
        within[i] = static_cast<int>(i) == layer || trace.layers[i].starts_with(name + " · ");
    }
    return within;
}

double byteTime(const TraceIndex& index, base::Bytes bytes, double length) {
    return static_cast<double>(bytes) * length * (index.trace().timed ? 1e-9 : 1.0);
}

std::vector<std::uint32_t> largestBlocks(const TraceIndex& index, const StateRange& range, LargestOrder order,
                                         bool descending, std::size_t most) {
    const TimelineAxis axis = index.axis(TimelineAxis::Time);
    const auto labels =
        order == LargestOrder::Label ? ranks(index.trace().labels) : std::vector<std::uint32_t>();
    using Keyed = std::pair<double, std::uint32_t>;
    std::vector<Keyed> keyed;
    for (std::uint32_t b = 0; b < index.blocks(); ++b) {
        if (within(index.life(b), range)) {
            const double key = sortKey(index, axis, order, b, labels);
            keyed.emplace_back(descending ? -key : key, b);
        }
    }
    const auto end = keyed.begin() + static_cast<std::ptrdiff_t>(std::min(most, keyed.size()));
    std::partial_sort(keyed.begin(), end, keyed.end());
    std::vector<std::uint32_t> blocks;
    for (auto it = keyed.begin(); it != end; ++it) {
        blocks.push_back(it->second);
    }
    return blocks;
}

std::vector<LayerSum> layerSums(const TraceIndex& index, const StateRange& range) {
    const std::size_t layers = index.trace().layers.size();
    const TimelineAxis axis = index.axis(TimelineAxis::Time);
    const std::size_t peak = index.totals().of(range.first, range.last).highest;
    const double from = index.begin(axis, range.first), to = index.begin(axis, range.last + 1);
    std::vector<LayerSum> sums(layers + 1);
    for (std::uint32_t b = 0; b < index.blocks(); ++b) {
        const BlockLife& life = index.life(b);
        if (!within(life, range)) {
            continue;
        }
        LayerSum& sum = sums[sumPlace(life.layer, layers)];
        const base::Bytes bytes = index.bytes(b);
        const double length =
            std::min(to, index.begin(axis, life.end)) - std::max(from, index.begin(axis, life.begin));
        sum.byteTime += byteTime(index, bytes, length);
        ++sum.blocks;
        if (life.begin <= peak && life.end > peak) {
            sum.atPeak += bytes;
        }
        if (life.begin > range.first || (life.begin == range.first && range.first > 0)) {
            sum.allocated += bytes;
        }
    }
    return sums;
}

std::vector<LayerDifference> compareLayers(const TraceIndex& index, const TraceIndex& other) {
    const auto here = layerSums(index, allStates(index));
    const auto there = layerSums(other, allStates(other));
    std::vector<LayerDifference> rows;
    std::unordered_map<std::string, std::size_t> places;
    const auto& names = index.trace().layers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        places.try_emplace(names[i], i);
        rows.push_back({names[i], static_cast<int>(i), -1, here[i], {}});
    }
    const auto& others = other.trace().layers;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const auto found = places.find(others[i]);
        const bool known = found != places.end() && rows[found->second].otherLayer < 0;
        if (!known) {
            rows.push_back({others[i], -1, -1, {}, {}});
        }
        LayerDifference& row = known ? rows[found->second] : rows.back();
        row.otherLayer = static_cast<int>(i);
        row.other = there[i];
    }
    rows.push_back({"", -1, -1, here.back(), there.back()});
    return rows;
}

}  // namespace highwater::widgets
