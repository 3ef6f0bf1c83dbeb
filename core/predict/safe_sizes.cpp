#include "core/predict/safe_sizes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/predict/axis.h"

namespace highwater::predict {

namespace {

enum class Verdict { NotAccepted, Unsafe, Safe };

/// Tries sizes along one axis, each once.
class Trials {
public:
    Trials(const stack::Experiment& experiment, std::string_view axis, const Unsafe& unsafe)
        : experiment_(experiment), axis_(axis), unsafe_(unsafe) {}

    Verdict at(std::int64_t size) {
        const auto found = known_.find(size);
        if (found != known_.end())
            return found->second;
        return known_[size] = judge(size);
    }
    bool exhausted() const { return known_.size() >= kMost; }

private:
    static constexpr std::size_t kMost = 600;

    Verdict judge(std::int64_t size) {
        if (exhausted() || !setAxis(experiment_, axis_, size))
            return Verdict::NotAccepted;
        const auto info = stack::inferShapes(experiment_);
        if (!info)
            return Verdict::NotAccepted;
        return unsafe_(experiment_, *info) ? Verdict::Unsafe : Verdict::Safe;
    }

    stack::Experiment experiment_;
    std::string_view axis_;
    const Unsafe& unsafe_;
    std::map<std::int64_t, Verdict> known_;
};

/// From an unsafe size towards `end` (exclusive) in steps of `direction`, -1 or 1: the nearest safe size.
/// Always true: all accepted sizes up to `unsafe` are unsafe, and the answer lies before `end` or is `best`.
std::optional<std::int64_t> search(Trials& trials, std::int64_t unsafe, std::int64_t end, int direction) {
    std::optional<std::int64_t> best;
    std::int64_t reach = 1;  // how far to look while nothing safe is known
    while ((end - unsafe) * direction > 1) {
        const std::int64_t room = (end - unsafe) * direction;
        const std::int64_t start = unsafe + direction * (best ? room / 2 : std::min(reach, room - 1));
        std::int64_t size = start;
        while (size != end && trials.at(size) == Verdict::NotAccepted)
            size += direction;
        if (trials.exhausted())
            return std::nullopt;
        if (size != end && trials.at(size) == Verdict::Unsafe) {
            unsafe = size;
            reach *= 2;
            continue;
        }
        if (size != end)
            best = size;
        end = start;
    }
    return best;
}

}  // namespace

std::vector<std::int64_t> nearestSafe(const stack::Experiment& experiment, std::string_view axis, bool above,
                                      const Unsafe& unsafe) {
    Trials trials(experiment, axis, unsafe);
    const std::int64_t now = axisSize(experiment, axis);
    std::vector<std::int64_t> sizes;
    if (const auto below = search(trials, now, 0, -1))
        sizes.push_back(*below);
    if (!above)
        return sizes;
    if (const auto greater = search(trials, now, 4 * now + 1, 1))
        sizes.push_back(*greater);
    return sizes;
}

}  // namespace highwater::predict
