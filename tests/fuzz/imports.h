#pragma once

#include <gtest/gtest.h>

#include "core/stack/shapes.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::fuzz {

/// `import(round)` reads a differently damaged file each time, and returns a valid experiment or one line.
/// Some of the files remain valid, but not all.
template <class Import>
void expectExperimentsOrLines(Import import) {
    const std::uint64_t all = rounds(2000);
    std::uint64_t made = 0;
    for (std::uint64_t round = 0; round < all; ++round) {
        const auto imported = import(round);
        if (!imported) {
            expectOneLine(imported.error().message);
            continue;
        }
        ++made;
        EXPECT_TRUE(stack::inferShapes(imported->experiment));
    }
    EXPECT_GT(made, all / 50);
    EXPECT_LT(made, all);
}

}  // namespace highwater::fuzz
