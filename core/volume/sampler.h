#pragma once

#include <atomic>
#include <cstdint>
#include <random>

#include "core/base/result.h"
#include "core/volume/patch.h"
#include "core/volume/volume.h"

/// Draws the positions of a run's patches. Used by the engine, and by the desktop to show them. Each sample
/// draws in this order: its case (if the cohort has two or more), its box, its augmentations.
namespace highwater::volume {

/// Returns the generator of the n-th sample of a run. It depends only on the seed and n.
std::mt19937_64 sampleRandom(std::uint64_t seed, std::int64_t sample);

/// Draws which of `cases` (at least 1) a sample belongs to, each with equal probability. This is the first
/// draw of its generator; with one case nothing is drawn.
std::int64_t drawCase(std::mt19937_64& random, std::int64_t cases);
/// The same for the n-th sample of a run.
std::int64_t caseOf(std::uint64_t seed, std::int64_t sample, std::int64_t cases);

struct Sampler {
    Index3 extent{};          ///< i, j, k
    bool foreground = false;  ///< centered on voxels of `guide` above `threshold`; otherwise anywhere
    double threshold = 0;     ///< 0.5 for a label map; without labels, Otsu's threshold of the first channel
    std::uint64_t seed = 0;
    std::int64_t cases = 1;                 ///< number of cases in the cohort; 1 for a scan
    std::int64_t theCase = 0;               ///< the case that `guide` belongs to
    std::vector<std::int64_t> counts = {};  ///< counts of the foreground, as countForeground returns them

    /// Sets the threshold and the counts; takes one pass over the guide.
    void findForeground(const Volume& guide, bool isLabels);
    /// Whether foreground is requested but findForeground found none. Patches are then placed anywhere.
    bool lacksForeground() const;
    /// Returns the box of sample `n`, which must belong to this case, in `guide` (the label map, or the first
    /// channel).
    PatchBox box(const Volume& guide, std::int64_t n) const;
    /// The same with the sample's generator, after its case was drawn.
    PatchBox draw(const Volume& guide, std::mt19937_64& random) const;
};

/// How often samples 0 to count-1 cover each voxel.
struct Coverage {
    /// float32: the number of samples that contain a voxel, as the mean over each block of the volume's
    /// voxels. No axis has more than 128 blocks. Its geometry has the volume's position in the patient.
    Volume map;
    std::int64_t samples = 0;  ///< number of samples that belong to the sampler's case: all of them if there
                               ///< is only one
    double mean = 0;           ///< mean over the volume's voxels
    double most = 0;           ///< highest value of the map
    double never = 0;          ///< share of the volume's voxels in blocks that no sample touches, 0 to 1
};

/// Computes exact sums over boxes (with a difference array, Crow 1984), not an estimate. Memory: the grid, at
/// most 26 MB, for any number of samples. Errors: "cancelled"; no volume.
base::Result<Coverage> coverage(const Volume& guide, const Sampler& sampler, std::int64_t samples,
                                const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::volume
