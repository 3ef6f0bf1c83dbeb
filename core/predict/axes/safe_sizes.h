#pragma once

#include <cstdint>
#include <functional>
#include <vector>

/// Searches the nearest sizes at which something does not happen. Private to core/predict.
namespace highwater::predict {

enum class Verdict { NotAccepted, Unsafe, Safe };
using Judge = std::function<Verdict(std::int64_t size)>;

/// Returns the safe sizes nearest to `now`, which is unsafe: the greatest smaller one, then, if `above`, the
/// least greater one up to four times `now`. Assumes that in each direction the accepted sizes are safe from
/// some size on. Every size returned was judged safe. Judges at most `most` sizes per direction; returns no
/// size for a direction in which that was not enough.
std::vector<std::int64_t> nearestSafe(std::int64_t now, bool above, std::size_t most, const Judge& judge);

}  // namespace highwater::predict
