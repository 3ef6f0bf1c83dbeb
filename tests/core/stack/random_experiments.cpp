#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/random_stack.h"

/// random_experiments FOLDER COUNT [SEED]: writes random experiments that can be exported as PyTorch
/// programs, as 1.json and so on.
int main(int argc, char** argv) {
    using namespace highwater;
    if (argc < 3) {
        std::cerr << "random_experiments FOLDER COUNT [SEED]\n";
        return 2;
    }
    stack::testing::RandomLimits limits;
    limits.without = {"custom_conv", "inplace_abn"};
    const std::filesystem::path folder = argv[1];
    std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    for (int i = 1; i <= std::atoi(argv[2]); ++i, ++seed) {
        const stack::Experiment experiment = stack::testing::randomExperiment(seed, limits);
        if (!stack::saveExperiment(experiment, folder / (std::to_string(i) + ".json"))) {
            return 1;
        }
    }
    return 0;
}
