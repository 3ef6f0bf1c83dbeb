#include "widgets/scan/volume3d/islands.h"

#include <algorithm>
#include <cstddef>

namespace highwater::widgets {
namespace {

/// Finds one piece after another; each voxel is visited once.
class Filler {
public:
    Filler(const std::vector<std::uint16_t>& voxels, const std::array<std::int64_t, 3>& size,
           std::uint16_t surface)
        : voxels_(voxels),
          ni_(static_cast<std::uint32_t>(size[0])),
          nj_(static_cast<std::uint32_t>(size[1])),
          nk_(static_cast<std::uint32_t>(size[2])),
          surface_(surface),
          seen_(voxels.size()) {}

    /// Calls `take(count)` for every piece; meanwhile kept() holds its first `keep` voxels.
    template <class Take>
    void run(std::size_t keep, const std::atomic<bool>& cancelled, Take&& take) {
        for (std::size_t n = 0; n < voxels_.size(); ++n) {
            if (n % ni_ == 0 && cancelled) {
                return;
            }
            if (voxels_[n] > surface_ && !seen_[n]) {
                take(fill(static_cast<std::uint32_t>(n), keep));
            }
        }
    }
    const std::vector<std::uint32_t>& kept() const { return kept_; }

private:
    /// A flood fill in shells of equal distance from the seed, of which only two are stored.
    std::size_t fill(std::uint32_t seed, std::size_t keep) {
        kept_.clear();
        std::size_t count = 0;
        add(seed);
        while (!next_.empty()) {
            shell_.swap(next_);
            next_.clear();
            count += shell_.size();
            for (const std::uint32_t n : shell_) {
                if (kept_.size() < keep) {
                    kept_.push_back(n);
                }
                addNeighbors(n);
            }
        }
        return count;
    }

    void addNeighbors(std::uint32_t n) {
        const std::uint32_t row = n / ni_, i = n - row * ni_, k = row / nj_, j = row - k * nj_;
        const std::uint32_t slab = ni_ * nj_;
        if (i > 0) {
            add(n - 1);
        }
        if (i + 1 < ni_) {
            add(n + 1);
        }
        if (j > 0) {
            add(n - ni_);
        }
        if (j + 1 < nj_) {
            add(n + ni_);
        }
        if (k > 0) {
            add(n - slab);
        }
        if (k + 1 < nk_) {
            add(n + slab);
        }
    }

    void add(std::uint32_t n) {
        if (voxels_[n] <= surface_ || seen_[n]) {
            return;
        }
        seen_[n] = true;
        next_.push_back(n);
    }

    const std::vector<std::uint16_t>& voxels_;
    std::uint32_t ni_, nj_, nk_;
    std::uint16_t surface_;
    std::vector<bool> seen_;
    std::vector<std::uint32_t> shell_, next_, kept_;
};

}  // namespace

void removeIslands(std::vector<std::uint16_t>& voxels, const std::array<std::int64_t, 3>& size,
                   std::uint16_t surface, const std::atomic<bool>& cancelled) {
    std::size_t largest = 0, smallest = voxels.size();
    Filler(voxels, size, surface).run(0, cancelled, [&](std::size_t count) {
        largest = std::max(largest, count);
        smallest = std::min(smallest, count);
    });
    if (smallest * 50 >= largest) {
        return;
    }
    // Lowering a whole piece neither joins nor splits others.
    Filler again(voxels, size, surface);
    again.run(largest / 50 + 1, cancelled, [&](std::size_t count) {
        if (count * 50 < largest) {
            for (const std::uint32_t n : again.kept()) {
                voxels[n] = surface;
            }
        }
    });
}

}  // namespace highwater::widgets
