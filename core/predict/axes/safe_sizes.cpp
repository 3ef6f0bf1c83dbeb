#include "core/predict/axes/axis.h"

#include <algorithm>

#include <optional>
#include <unordered_map>

namespace highwater::predict {

namespace {

/// Judges each size at most once.
class Trials {
public:
    Trials(const Judge& judge, std::size_t most) : judge_(judge), most_(most) {}

    Verdict at(std::int64_t size) {
        const auto [place, isNew] = known_.try_emplace(size, Verdict::NotAccepted);
        if (isNew && !exhausted()) {
            place->second = judge_(size);
        }
        return place->second;
    }
    bool exhausted() const { return known_.size() > most_; }

private:
    const Judge& judge_;
    std::size_t most_;
    std::unordered_map<std::int64_t, Verdict> known_;
};

/// Searches the nearest safe size from an unsafe size towards `end` (exclusive), in direction -1 or 1.
/// Invariant: all accepted sizes up to `unsafe` are unsafe, and the answer lies before `end` or is `best`.
std::optional<std::int64_t> searchSizes(Trials& trials, std::int64_t unsafe, std::int64_t end,
                                        int direction) {
    std::optional<std::int64_t> best;
    std::int64_t reach = 1;  // how far to look until a safe size is known
    while ((end - unsafe) * direction > 1) {
        const std::int64_t room = (end - unsafe) * direction;
        const std::int64_t start = unsafe + direction * (best ? room / 2 : std::min(reach, room - 1));
        std::int64_t size = start;
        while (size != end && trials.at(size) == Verdict::NotAccepted) {
            size += direction;
        }
        if (trials.exhausted()) {
            return std::nullopt;
        }
        if (size != end && trials.at(size) == Verdict::Unsafe) {
            unsafe = size;
            reach *= 2;
            continue;
        }
        if (size != end) {
            best = size;
        }
        end = start;
    }
    return best;
}

}  // namespace

std::vector<std::int64_t> nearestSafe(std::int64_t now, bool above, std::size_t most, const Judge& judge) {
    std::vector<std::int64_t> sizes;
    Trials below(judge, most), beyond(judge, most);
    if (const auto smaller = searchSizes(below, now, 0, -1)) {
        sizes.push_back(*smaller);
    }
    if (!above) {
        return sizes;
    }
    if (const auto greater = searchSizes(beyond, now, 4 * now + 1, 1)) {
        sizes.push_back(*greater);
    }
    return sizes;
}

}  // namespace highwater::predict
