#include "core/scan/reader/dicom/volumes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace highwater::scan::reader::dicom {
namespace {

auto rankOf(const Candidate& c) {
    const Order& o = *c.order;
    return std::tie(o.temporal, o.bValue, o.echo, o.trigger, o.acquisition, o.type, o.instance, c.frame,
                    c.index);
}

using Value = std::pair<double, std::string>;
using Key = Value (*)(const Order&);

constexpr Key kKeys[] = {
    [](const Order& o) { return Value(o.temporal, ""); },
    [](const Order& o) { return Value(o.bValue, ""); },
    [](const Order& o) { return Value(o.echo, ""); },
    [](const Order& o) { return Value(o.trigger, ""); },
    [](const Order& o) { return Value(o.acquisition, ""); },
    [](const Order& o) { return Value(0, o.type); },
};

using Positions = std::vector<std::vector<Candidate>>;

/// Sorts pictures into volumes by the values of one key. Returns false if the key does not distinguish all
/// pictures at a position.
bool byKey(const Positions& positions, Key key, Volumes& out) {
    std::map<Value, std::vector<std::int64_t>> volumes;
    for (std::size_t at = 0; at < positions.size(); ++at) {
        for (const Candidate& candidate : positions[at]) {
            auto& volume = volumes[key(*candidate.order)];
            volume.resize(positions.size(), -1);
            if (volume[at] >= 0) {
                return false;
            }
            volume[at] = static_cast<std::int64_t>(candidate.index);
        }
    }
    for (auto& [value, volume] : volumes) {
        const auto missing = std::count(volume.begin(), volume.end(), -1);
        const auto all = static_cast<std::ptrdiff_t>(volume.size());
        if (missing * 2 <= all) {
            out.indices.push_back(std::move(volume));
        } else {
            out.leftOut += all - missing;
        }
    }
    const bool some = !out.indices.empty();
    if (!some) {
        out = {};
    }
    return some;
}

Volumes firstOnes(const Positions& positions, std::size_t count) {
    Volumes out;
    out.indices.assign(count, std::vector<std::int64_t>(positions.size(), -1));
    for (std::size_t at = 0; at < positions.size(); ++at) {
        for (std::size_t volume = 0; volume < count; ++volume) {
            out.indices[volume][at] = static_cast<std::int64_t>(positions[at][volume].index);
        }
        if (positions[at].size() > count) {
            out.doubles.push_back(at);
        }
    }
    return out;
}

}  // namespace

Volumes assignVolumes(Positions positions) {
    std::size_t fewest = SIZE_MAX, most = 0;
    for (auto& candidates : positions) {
        std::sort(candidates.begin(), candidates.end(),
                  [](const Candidate& a, const Candidate& b) { return rankOf(a) < rankOf(b); });
        fewest = std::min(fewest, candidates.size());
        most = std::max(most, candidates.size());
    }
    if (fewest == most) {
        return firstOnes(positions, most);
    }
    for (const Key key : kKeys) {
        Volumes out;
        if (byKey(positions, key, out)) {
            return out;
        }
    }
    return firstOnes(positions, fewest);
}

}  // namespace highwater::scan::reader::dicom
