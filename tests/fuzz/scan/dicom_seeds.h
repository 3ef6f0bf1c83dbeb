#pragma once

#include "tests/fuzz/scan/seed_files.h"

namespace highwater::fuzz {

/// Single slices, and some with several frames, of every supported transfer syntax.
void addDicom(std::vector<SeedFile>& seeds);

}  // namespace highwater::fuzz
