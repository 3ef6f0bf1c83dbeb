#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::volume {

/// Statistics over finite voxels, as real values. min, max and mean are NaN if no voxel is finite.
struct Statistics {
    double min = 0, max = 0, mean = 0;
    std::int64_t finite = 0;  ///< number of finite voxels
    std::int64_t total = 0;   ///< number of all voxels
};

/// Computes statistics in one pass over stored voxels, chunk by chunk.
class StatisticsPass {
public:
    explicit StatisticsPass(VoxelType type) : type_(type) {}
    void add(const std::byte* stored, std::int64_t voxels);
    Statistics result(double slope, double intercept) const;

private:
    VoxelType type_;
    double min_ = 0, max_ = 0, sum_ = 0;
    std::int64_t finite_ = 0, total_ = 0;
};

/// The number of finite voxels in equal bins over [low, high]; the last bin includes `high`.
struct Histogram {
    double low = 0, high = 0;  ///< real values
    std::vector<std::int64_t> counts;
    std::int64_t finite = 0;
    double binWidth() const { return counts.empty() ? 0 : (high - low) / static_cast<double>(counts.size()); }
    /// Returns the value below which a fraction `q` (0 to 1) of the voxels lies, interpolated linearly within
    /// its bin; `low` if empty.
    double percentile(double q) const;
    /// Returns Otsu's threshold between background and foreground (IEEE Trans. SMC 9, 1979); `low` if all
    /// values are equal.
    double otsu() const;
};

/// Computes the histogram of the whole volume. Uses only every `stride`-th row if needed to stay under about
/// 16 million voxels.
Histogram histogram(const Volume& volume, int bins = 4096);

}  // namespace highwater::volume
