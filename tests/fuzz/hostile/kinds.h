#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tests/fuzz/hostile/hostile_inputs.h"

/// The kinds of hostileInput(). Each chooses a shape and its size. Private to tests/fuzz/hostile.
namespace highwater::fuzz {

class Draw {
public:
    Draw(std::uint64_t seed, std::size_t size) : random_(seed), size_(size) {}
    std::size_t below(std::size_t most) { return random_() % most; }
    /// From a tenth of `usual` to all of it, times the size.
    std::size_t count(std::size_t usual) { return size_ * (usual / 10 + below(usual - usual / 10 + 1)); }
    /// An extreme number as JSON.
    std::string extreme();
    std::uint64_t seed() { return random_(); }

private:
    std::mt19937_64 random_;
    std::size_t size_;
};

/// {"k0":0,...}, without the braces.
std::string manyKeys(std::size_t count);
/// Nested lists.
std::string deepLists(std::size_t depth);

HostileInput hostileExperiment(Draw& draw);
HostileInput hostilePlans(Draw& draw);
HostileInput hostileSnapshot(Draw& draw);
HostileInput hostileProgram(Draw& draw);
HostileInput hostileOnnx(Draw& draw);
HostileInput hostileRun(Draw& draw);
HostileInput hostileDicom(Draw& draw);

}  // namespace highwater::fuzz
