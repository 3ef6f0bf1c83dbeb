#include <algorithm>
#include <memory>
#include <vector>

#include "core/volume/downsample.h"
#include "core/volume/sampler.h"
#include "core/volume/statistics.h"

namespace highwater::volume {
namespace {

constexpr std::int64_t kMostSide = 128;

/// Sums of voxels in blocks. Each box is recorded at its corners; then one pass over the grid computes all
/// sums.
class BlockSums {
public:
    BlockSums(const Index3& size, const Index3& block) : size_(size), block_(block) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            blocks_[axis] = (size[axis] + block[axis] - 1) / block[axis];
        }
        sums_.resize(static_cast<std::size_t>((blocks_[0] + 1) * (blocks_[1] + 1) * (blocks_[2] + 1)));
    }

    void enter(const PatchBox& box) {
        std::array<Edges, 3> edges;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            edges[axis] = edgesOf(box, axis);
        }
        for (const Edge& k : edges[2]) {
            for (const Edge& j : edges[1]) {
                for (const Edge& i : edges[0]) {
                    if (const std::int64_t weight = i.weight * j.weight * k.weight; weight != 0) {
                        at(i.at, j.at, k.at) += weight;
                    }
                }
            }
        }
    }

    /// Afterwards at() returns a block's sum.
    void addUp() {
        const auto [ni, nj, nk] = blocks_;
        for (std::int64_t k = 0; k < nk; ++k) {
            for (std::int64_t j = 0; j < nj; ++j) {
                for (std::int64_t i = 1; i < ni; ++i) {
                    at(i, j, k) += at(i - 1, j, k);
                }
            }
        }
        for (std::int64_t k = 0; k < nk; ++k) {
            for (std::int64_t j = 1; j < nj; ++j) {
                for (std::int64_t i = 0; i < ni; ++i) {
                    at(i, j, k) += at(i, j - 1, k);
                }
            }
        }
        for (std::int64_t k = 1; k < nk; ++k) {
            for (std::int64_t j = 0; j < nj; ++j) {
                for (std::int64_t i = 0; i < ni; ++i) {
                    at(i, j, k) += at(i, j, k - 1);
                }
            }
        }
    }

    std::int64_t& at(std::int64_t i, std::int64_t j, std::int64_t k) {
        return sums_[static_cast<std::size_t>((k * (blocks_[1] + 1) + j) * (blocks_[0] + 1) + i)];
    }

    /// Returns how many voxels of the volume are in a block.
    std::int64_t voxels(const Index3& place) const {
        std::int64_t count = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            count *= std::min(block_[axis], size_[axis] - place[axis] * block_[axis]);
        }
        return count;
    }

    const Index3& blocks() const { return blocks_; }

private:
    struct Edge {
        std::int64_t at = 0, weight = 0;
    };
    using Edges = std::array<Edge, 4>;

    /// Returns the change of the number of the box's voxels per block along one axis. A box that begins
    /// within a block fills the rest of it and the following blocks; the part after the box's end is
    /// subtracted again.
    Edges edgesOf(const PatchBox& box, std::size_t axis) const {
        const std::int64_t begin = std::clamp<std::int64_t>(box.start[axis], 0, size_[axis]),
                           end = std::clamp(box.start[axis] + box.extent[axis], begin, size_[axis]),
                           block = block_[axis];
        return {{{begin / block, block - begin % block},
                 {begin / block + 1, begin % block},
                 {end / block, end % block - block},
                 {end / block + 1, -(end % block)}}};
    }

    Index3 size_, block_, blocks_{};
    std::vector<std::int64_t> sums_;
};

Header mapHeader(const Header& guide) {
    Header header;
    header.format = "coverage";
    header.pixelType = "float32";
    header.type = VoxelType::F32;
    header.spacingKnown = guide.spacingKnown;
    header.geometry = downsampledGeometry(guide.geometry, kMostSide);
    return header;
}

Coverage coverageOf(BlockSums& sums, Header header) {
    Coverage out;
    const auto [ni, nj, nk] = sums.blocks();
    const auto values = std::make_shared<std::vector<float>>();
    values->reserve(static_cast<std::size_t>(ni * nj * nk));
    double all = 0, total = 0, untouched = 0;
    for (std::int64_t k = 0; k < nk; ++k) {
        for (std::int64_t j = 0; j < nj; ++j) {
            for (std::int64_t i = 0; i < ni; ++i) {
                const auto sum = static_cast<double>(sums.at(i, j, k));
                const auto voxels = static_cast<double>(sums.voxels({i, j, k}));
                values->push_back(static_cast<float>(sum / voxels));
                out.most = std::max(out.most, sum / voxels);
                all += voxels;
                total += sum;
                untouched += sum == 0 ? voxels : 0;
            }
        }
    }
    out.mean = total / all;
    out.never = untouched / all;
    const auto* const bytes = reinterpret_cast<const std::byte*>(values->data());
    StatisticsPass pass(VoxelType::F32);
    pass.add(bytes, header.geometry.voxels());
    const Statistics statistics = pass.result(1, 0);
    header.min = statistics.min;
    header.max = statistics.max;
    header.mean = statistics.mean;
    out.map = Volume(std::move(header), std::shared_ptr<const std::byte>(values, bytes));
    return out;
}

}  // namespace

base::Result<Coverage> coverage(const Volume& guide, const Sampler& sampler, std::int64_t samples,
                                const std::atomic<bool>* cancel) {
    if (guide.empty() || guide.geometry().voxels() < 1) {
        return base::Error{"there is no volume to sample"};
    }
    BlockSums sums(guide.geometry().size, blockSize(guide.geometry(), kMostSide));
    std::int64_t counted = 0;
    for (std::int64_t n = 0; n < samples; ++n) {
        if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
            return base::Error{"cancelled"};
        }
        std::mt19937_64 random = sampleRandom(sampler.seed, n);
        if (drawCase(random, sampler.cases) != sampler.theCase) {
            continue;
        }
        sums.enter(sampler.draw(guide, random));
        ++counted;
    }
    sums.addUp();
    Coverage out = coverageOf(sums, mapHeader(guide.header()));
    out.samples = counted;
    return out;
}

}  // namespace highwater::volume
