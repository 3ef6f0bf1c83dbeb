#include "core/volume/sampler.h"

#include "core/volume/statistics.h"
#include "core/volume/uniform.h"

namespace highwater::volume {
namespace {

std::uint64_t mixed(std::uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

}  // namespace

std::mt19937_64 sampleRandom(std::uint64_t seed, std::int64_t sample) {
    return std::mt19937_64(mixed(mixed(seed) ^ static_cast<std::uint64_t>(sample)));
}

std::int64_t drawCase(std::mt19937_64& random, std::int64_t cases) {
    return cases > 1 ? below(random, cases) : 0;
}

std::int64_t caseOf(std::uint64_t seed, std::int64_t sample, std::int64_t cases) {
    std::mt19937_64 random = sampleRandom(seed, sample);
    return drawCase(random, cases);
}

void Sampler::findForeground(const Volume& guide, bool isLabels) {
    threshold = isLabels ? 0.5 : histogram(guide).otsu();
    counts = countForeground(guide, threshold);
}

bool Sampler::lacksForeground() const {
    return foreground && (counts.empty() || counts.back() == 0);
}

PatchBox Sampler::box(const Volume& guide, std::int64_t n) const {
    std::mt19937_64 random = sampleRandom(seed, n);
    drawCase(random, cases);
    return draw(guide, random);
}

PatchBox Sampler::draw(const Volume& guide, std::mt19937_64& random) const {
    return foreground ? randomForegroundPatch(guide, extent, threshold, counts, random)
                      : randomPatch(guide.geometry().size, extent, random);
}

}  // namespace highwater::volume
