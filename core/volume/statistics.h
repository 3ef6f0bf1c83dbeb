#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::volume {

/// Over finite voxels, real values. All NaN when no voxel is finite.
struct Statistics {
    double min = 0, max = 0, mean = 0;
    std::int64_t finite = 0;  ///< voxels counted
    std::int64_t total = 0;   ///< voxels seen
};

/// Statistics in one pass over stored voxels, chunk by chunk.
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

/// Counts of finite voxels in equal bins over [low, high]; the last bin holds `high` too.
struct Histogram {
    double low = 0, high = 0;  ///< real values
    std::vector<std::int64_t> counts;
    std::int64_t finite = 0;
    double binWidth() const { return counts.empty() ? 0 : (high - low) / static_cast<double>(counts.size()); }
    /// The value below which a share `q` (0 to 1) of the voxels lies, linear within its bin; `low` when
    /// empty.
    double percentile(double q) const;
    /// Otsu's threshold (IEEE Trans. SMC 9, 1979): parts background from foreground; `low` when all are
    /// equal.
    double otsu() const;
};

/// Over the whole volume; looks at every `stride`-th row where that keeps it under about 16 million voxels.
Histogram histogram(const Volume& volume, int bins = 4096);

}  // namespace highwater::volume
