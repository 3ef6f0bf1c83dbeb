#include "widgets/scan/islands.h"

#include <algorithm>

namespace highwater::widgets {
namespace {

/// All voxels of all pieces, piece after piece.
struct Pieces {
    std::vector<std::uint32_t> voxels;
    std::vector<std::size_t> begins;
};

class Filler {
public:
    Filler(const std::vector<std::uint16_t>& voxels, const std::array<std::int64_t, 3>& size,
           std::uint16_t surface)
        : voxels_(voxels), size_(size), surface_(surface), seen_(voxels.size()) {}

    Pieces run(const std::atomic<bool>& cancelled) {
        for (std::size_t n = 0; n < voxels_.size() && !cancelled; ++n)
            if (!seen_[n] && voxels_[n] > surface_)
                fill(n);
        return std::move(pieces_);
    }

private:
    void fill(std::size_t seed) {
        pieces_.begins.push_back(pieces_.voxels.size());
        std::size_t next = pieces_.voxels.size();
        add(seed);
        const auto ni = static_cast<std::size_t>(size_[0]), nj = static_cast<std::size_t>(size_[1]),
                   nk = static_cast<std::size_t>(size_[2]);
        for (; next < pieces_.voxels.size(); ++next) {
            const std::size_t n = pieces_.voxels[next];
            const std::size_t i = n % ni, j = n / ni % nj, k = n / (ni * nj);
            if (i > 0)
                add(n - 1);
            if (i + 1 < ni)
                add(n + 1);
            if (j > 0)
                add(n - ni);
            if (j + 1 < nj)
                add(n + ni);
            if (k > 0)
                add(n - ni * nj);
            if (k + 1 < nk)
                add(n + ni * nj);
        }
    }

    void add(std::size_t n) {
        if (seen_[n] || voxels_[n] <= surface_)
            return;
        seen_[n] = 1;
        pieces_.voxels.push_back(static_cast<std::uint32_t>(n));
    }

    const std::vector<std::uint16_t>& voxels_;
    std::array<std::int64_t, 3> size_;
    std::uint16_t surface_;
    std::vector<std::uint8_t> seen_;
    Pieces pieces_;
};

}  // namespace

void removeIslands(std::vector<std::uint16_t>& voxels, const std::array<std::int64_t, 3>& size,
                   std::uint16_t surface, const std::atomic<bool>& cancelled) {
    Pieces pieces = Filler(voxels, size, surface).run(cancelled);
    pieces.begins.push_back(pieces.voxels.size());
    std::size_t largest = 0;
    for (std::size_t p = 0; p + 1 < pieces.begins.size(); ++p)
        largest = std::max(largest, pieces.begins[p + 1] - pieces.begins[p]);
    for (std::size_t p = 0; p + 1 < pieces.begins.size() && !cancelled; ++p) {
        if ((pieces.begins[p + 1] - pieces.begins[p]) * 50 >= largest)
            continue;
        for (std::size_t n = pieces.begins[p]; n < pieces.begins[p + 1]; ++n)
            voxels[pieces.voxels[n]] = surface;
    }
}

}  // namespace highwater::widgets
