#pragma once

#include <atomic>
#include <cstdint>
#include <random>

#include "core/base/result.h"
#include "core/volume/patch.h"
#include "core/volume/volume.h"

/// Where the patches of a run lie: the engine draws with this, and the desktop shows it. A sample draws, in
/// this order: its case (of a cohort of two or more), its box, its augmentations.
namespace highwater::volume {

/// The generator of the n-th sample of a run, which follows from the seed and n alone.
std::mt19937_64 sampleRandom(std::uint64_t seed, std::int64_t sample);

/// Which of `cases` (at least 1) a sample is of, each as likely: the first that its generator draws; with one
/// case nothing is drawn.
std::int64_t drawCase(std::mt19937_64& random, std::int64_t cases);
/// The same of the n-th sample of a run.
std::int64_t caseOf(std::uint64_t seed, std::int64_t sample, std::int64_t cases);

struct Sampler {
    Index3 extent{};          ///< i, j, k
    bool foreground = false;  ///< around voxels of `guide` over `threshold`; else anywhere
    double threshold = 0;     ///< 0.5 for a label map; Otsu's of the first channel without labels
    std::uint64_t seed = 0;
    std::int64_t cases = 1;                 ///< of the cohort; 1 for a scan
    std::int64_t theCase = 0;               ///< which of them `guide` is of
    std::vector<std::int64_t> counts = {};  ///< of the foreground, as countForeground gives them

    /// Sets the threshold and the counts, which takes a pass over the guide.
    void findForeground(const Volume& guide, bool isLabels);
    /// Foreground is wanted and findForeground found none: patches lie anywhere.
    bool lacksForeground() const;
    /// Where sample `n`, which is of this case, lies in `guide` (the label map, or the first channel).
    PatchBox box(const Volume& guide, std::int64_t n) const;
    /// The same from the sample's generator, after its case was drawn.
    PatchBox draw(const Volume& guide, std::mt19937_64& random) const;
};

/// How often samples 0 to count-1 cover each voxel.
struct Coverage {
    /// float32; the number of samples that hold a voxel, on a grid of whole blocks of the volume's voxels, no
    /// side over 128; the mean over each block. Its geometry lies in the patient where the volume does.
    Volume map;
    std::int64_t samples = 0;  ///< that are of the sampler's case: all of them where there is one
    double mean = 0;           ///< over the volume's voxels
    double most = 0;           ///< of the map
    double never = 0;          ///< share of the volume's voxels in blocks that no sample touches, 0 to 1
};

/// Exact sums over boxes (a difference array, Crow 1984), not an estimate. Memory: the grid, at most 26 MB,
/// however many samples. Errors: "cancelled", no volume.
base::Result<Coverage> coverage(const Volume& guide, const Sampler& sampler, std::int64_t samples,
                                const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::volume
