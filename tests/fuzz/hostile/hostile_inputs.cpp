#include "tests/fuzz/hostile/hostile_inputs.h"

#include <array>

#include "tests/fuzz/hostile/kinds.h"

namespace highwater::fuzz {

HostileInput hostileInput(std::uint64_t number, std::size_t size) {
    constexpr std::array kinds = {hostileExperiment, hostilePlans, hostileSnapshot, hostileProgram,
                                  hostileOnnx,       hostileRun,   hostileDicom};
    Draw draw(number, size);
    HostileInput made = kinds[number % kinds.size()](draw);
    made.name += " (input " + std::to_string(number) + ")";
    return made;
}

}  // namespace highwater::fuzz
