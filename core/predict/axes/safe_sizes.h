#pragma once

#include <cstdint>
#include <functional>
#include <vector>

/// The sizes nearest to a present one at which something does not happen. Private to core/predict.
namespace highwater::predict {

enum class Verdict { NotAccepted, Unsafe, Safe };
using Judge = std::function<Verdict(std::int64_t size)>;

/// From `now`, an unsafe size: the greatest smaller size that is safe, then, where `above`, the least greater
/// one up to four times the size. Assumes that in each direction accepted sizes are safe from some size on;
/// each size given back was judged safe. At most `most` sizes are judged a direction; where that is not
/// enough, nothing is given back for it.
std::vector<std::int64_t> nearestSafe(std::int64_t now, bool above, std::size_t most, const Judge& judge);

}  // namespace highwater::predict
