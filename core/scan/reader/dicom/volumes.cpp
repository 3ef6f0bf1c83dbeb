#include "core/scan/reader/dicom/volumes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/scan/reader/dicom/numbering.h"

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
    [](const Order& o) { return Value(o.instance, ""); },
};

using Positions = std::vector<std::vector<Candidate>>;
using Values = std::vector<Value>;
using Groups = std::map<Values, Positions>;

std::size_t mostAtOnePosition(const Positions& positions) {
    std::size_t most = 0;
    for (const auto& here : positions) {
        most = std::max(most, here.size());
    }
    return most;
}

/// Whether a key has several values at most of the positions with several pictures.
bool separates(const Positions& positions, Key key) {
    std::size_t several = 0, separated = 0;
    for (const auto& here : positions) {
        if (here.size() > 1) {
            ++several;
            separated += std::any_of(here.begin(), here.end(), [&](const Candidate& c) {
                return key(*c.order) != key(*here.front().order);
            });
        }
    }
    return separated * 2 > several;
}

Values valuesOf(const Candidate& candidate, const std::vector<Key>& keys) {
    Values values;
    for (const Key key : keys) {
        values.push_back(key(*candidate.order));
    }
    return values;
}

/// Whether groups by the combination of these keys have pictures at more than half of their positions. Values
/// that change from slice to slice do not.
bool fillMost(const Positions& positions, const std::vector<Key>& keys) {
    std::map<Values, std::size_t> last;  // end of the range of positions at which each occurs
    std::size_t filled = 0;
    for (std::size_t at = 0; at < positions.size(); ++at) {
        for (const Candidate& candidate : positions[at]) {
            std::size_t& next = last[valuesOf(candidate, keys)];
            filled += next == at + 1 ? 0 : 1;
            next = at + 1;
        }
    }
    return filled * 2 > last.size() * positions.size();
}

Groups groupedBy(const Positions& positions, const std::vector<Key>& keys) {
    Groups groups;
    for (std::size_t at = 0; at < positions.size(); ++at) {
        for (const Candidate& candidate : positions[at]) {
            auto& group = groups[valuesOf(candidate, keys)];
            group.resize(positions.size());
            group[at].push_back(candidate);
        }
    }
    return groups;
}

/// Groups the pictures by all values that identify a volume; one group if there are none. `timed`: only the
/// time does.
Groups namedGroups(const Positions& positions, bool& timed) {
    std::vector<Key> keys;
    Groups groups = groupedBy(positions, keys);
    for (const Key key : kKeys) {
        const bool single = std::all_of(groups.begin(), groups.end(), [](const auto& group) {
            return mostAtOnePosition(group.second) == 1;
        });
        if (single) {
            break;
        }
        if (!separates(positions, key)) {
            continue;
        }
        keys.push_back(key);
        if (fillMost(positions, keys)) {
            groups = groupedBy(positions, keys);
        } else {
            keys.pop_back();
        }
    }
    timed = keys.size() == 1 && keys.front() == kKeys[0];
    return groups;
}

/// Returns the most frequent number of pictures per position; of equally frequent ones the largest.
std::size_t usualCount(const Positions& positions) {
    std::map<std::size_t, std::size_t> counts;
    for (const auto& here : positions) {
        if (!here.empty()) {
            ++counts[here.size()];
        }
    }
    std::size_t usual = 1, most = 0;
    for (const auto& [count, times] : counts) {
        if (times >= most) {
            usual = count;
            most = times;
        }
    }
    return usual;
}

/// Returns the number that distinguishes a group's pictures: the instance number, or the frame number if all
/// have the same instance. nullptr if neither does.
using NumberOf = double (*)(const Candidate&);

NumberOf numbering(const Positions& group) {
    const NumberOf ofInstance = [](const Candidate& c) { return c.order->instance; };
    const NumberOf ofFrame = [](const Candidate& c) { return static_cast<double>(c.frame); };
    constexpr double kMost = 1e15;
    bool sameInstance = true, sameFrame = true, whole = true;
    const Candidate* first = nullptr;
    for (const auto& here : group) {
        for (const Candidate& candidate : here) {
            first = first ? first : &candidate;
            const double instance = ofInstance(candidate);
            sameInstance = sameInstance && instance == ofInstance(*first);
            sameFrame = sameFrame && candidate.frame == first->frame;
            whole = whole && std::abs(instance) < kMost && instance == std::floor(instance);
        }
    }
    return sameInstance ? ofFrame : sameFrame && whole ? ofInstance : nullptr;
}

/// Returns the indices before which at least one value is missing, for values that otherwise increase by 1.
std::vector<std::size_t> gapsIn(const std::vector<double>& ascending) {
    std::vector<std::size_t> gaps;
    bool counts = false;
    for (std::size_t i = 1; i < ascending.size(); ++i) {
        const double step = ascending[i] - ascending[i - 1];
        counts = counts || step == 1;
        if (step > 1) {
            gaps.push_back(i);
        }
    }
    return counts ? gaps : std::vector<std::size_t>();
}

/// Forms the volumes of one group of pictures after another.
class Assembly {
public:
    explicit Assembly(std::size_t positions) : positions_(positions) {}

    /// `alone`: there are no other groups.
    void add(const Positions& group, bool alone) {
        const bool several = positions_ > 1 && mostAtOnePosition(group) > 1;
        if (!several || !addNumbered(group, alone)) {
            addCounted(group, usualCount(group));
        }
    }
    /// At least one volume before the next one has no pictures.
    void lose() { out_.lost.push_back(out_.indices.size()); }

    Volumes finished() {
        std::erase_if(out_.lost, [&](std::size_t at) { return at == 0 || at >= out_.indices.size(); });
        return std::move(out_);
    }

private:
    using Cells = std::vector<std::int64_t>;

    void put(Cells& volume, std::size_t at, const Candidate& candidate) {
        volume.resize(positions_, -1);
        if (volume[at] < 0) {
            volume[at] = static_cast<std::int64_t>(candidate.index);
        } else {
            out_.doubles.push_back({static_cast<std::size_t>(volume[at]), candidate.index});
        }
    }

    static bool hasHalf(const Cells& volume) {
        return std::count(volume.begin(), volume.end(), -1) * 2 <= std::ssize(volume);
    }

    void keep(Cells volume) {
        if (hasHalf(volume)) {
            out_.indices.push_back(std::move(volume));
            return;
        }
        for (const std::int64_t index : volume) {
            if (index >= 0) {
                out_.leftOut.push_back(static_cast<std::size_t>(index));
            }
        }
    }

    /// Pictures at the same positions as those of the last volume.
    void addDoubles(const Cells& others) {
        for (std::size_t at = 0; at < others.size(); ++at) {
            if (others[at] >= 0) {
                out_.doubles.push_back({static_cast<std::size_t>(out_.indices.back()[at]),
                                        static_cast<std::size_t>(others[at])});
            }
        }
    }

    bool addNumbered(const Positions& group, bool alone);
    void addCounted(const Positions& group, std::size_t usual);

    std::size_t positions_;
    Volumes out_;
};

/// Returns false if the numbers do not identify the volumes.
bool Assembly::addNumbered(const Positions& group, bool alone) {
    const NumberOf numberOf = numbering(group);
    if (!numberOf) {
        return false;
    }
    Numbers numbers;
    for (const auto& here : group) {
        std::set<std::int64_t> sorted;
        for (const Candidate& candidate : here) {
            sorted.insert(static_cast<std::int64_t>(numberOf(candidate)));
        }
        numbers.emplace_back(sorted.begin(), sorted.end());
    }
    const auto volumes = volumesByNumber(numbers);
    if (!volumes) {
        return false;
    }
    std::set<std::int64_t> times;
    std::size_t filled = 0;
    for (const auto& here : *volumes) {
        times.insert(here.begin(), here.end());
        filled += here.size();
    }
    if (filled * 2 < times.size() * positions_) {
        return false;
    }
    std::map<std::int64_t, Cells> made;
    const std::size_t doublesBefore = out_.doubles.size();
    for (std::size_t at = 0; at < group.size(); ++at) {
        for (const Candidate& candidate : group[at]) {
            const auto number = static_cast<std::int64_t>(numberOf(candidate));
            const auto& sorted = numbers[at];
            const auto i = std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin();
            put(made[(*volumes)[at][static_cast<std::size_t>(i)]], at, candidate);
        }
    }
    const std::size_t doubles = out_.doubles.size() - doublesBefore;
    const auto halves =
        std::count_if(made.begin(), made.end(), [](const auto& each) { return hasHalf(each.second); });
    if (doubles * 2 > filled || halves == 0) {
        out_.doubles.resize(doublesBefore);
        return false;
    }
    const auto whole = std::find_if(made.begin(), made.end(), [](const auto& each) {
        return std::count(each.second.begin(), each.second.end(), -1) == 0;
    });
    if (halves == 1 && whole != made.end()) {  // one volume with a few additional pictures
        keep(whole->second);
        for (auto each = made.begin(); each != made.end(); ++each) {
            addDoubles(each == whole ? Cells() : each->second);
        }
        return true;
    }
    const auto gaps = gapsIn({times.begin(), times.end()});
    std::size_t at = 0;
    for (auto& [time, volume] : made) {
        if (alone && std::find(gaps.begin(), gaps.end(), at) != gaps.end()) {
            lose();
        }
        ++at;
        keep(std::move(volume));
    }
    return true;
}

/// Uses the order of the pictures at each position. A position with fewer pictures than usual is left out.
void Assembly::addCounted(const Positions& group, std::size_t usual) {
    std::vector<Cells> made(usual, Cells(positions_, -1));
    for (std::size_t at = 0; at < group.size(); ++at) {
        const auto& here = group[at];
        for (std::size_t i = 0; i < here.size(); ++i) {
            if (here.size() < usual) {
                out_.unclear.push_back(here[i].index);
            } else {
                put(made[std::min(i, usual - 1)], at, here[i]);
            }
        }
    }
    for (Cells& volume : made) {
        keep(std::move(volume));
    }
}

/// One volume, with the first picture of each position.
Volumes firstOfEach(const Positions& positions) {
    Volumes out;
    out.indices.emplace_back();
    for (const auto& here : positions) {
        out.indices.front().push_back(static_cast<std::int64_t>(here.front().index));
        for (std::size_t i = 1; i < here.size(); ++i) {
            out.unclear.push_back(here[i].index);
        }
    }
    return out;
}

}  // namespace

Volumes assignVolumes(Positions positions) {
    for (auto& candidates : positions) {
        std::sort(candidates.begin(), candidates.end(),
                  [](const Candidate& a, const Candidate& b) { return rankOf(a) < rankOf(b); });
    }
    Assembly assembly(positions.size());
    bool timed = false;
    const Groups groups = positions.size() == 1 ? groupedBy(positions, {}) : namedGroups(positions, timed);
    std::vector<double> times;
    for (const auto& [values, group] : groups) {
        times.push_back(timed ? values.front().first : 0);
    }
    const auto gaps = gapsIn(times);
    std::size_t at = 0;
    for (const auto& [values, group] : groups) {
        if (std::find(gaps.begin(), gaps.end(), at++) != gaps.end()) {
            assembly.lose();
        }
        assembly.add(group, groups.size() == 1);
    }
    Volumes out = assembly.finished();
    if (out.indices.empty()) {
        out = firstOfEach(positions);
    }
    return out;
}

}  // namespace highwater::scan::reader::dicom
