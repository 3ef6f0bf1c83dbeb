#pragma once

#include "tests/fuzz/scan/seed_files.h"

namespace highwater::fuzz {

/// Single slices of several transfer syntaxes that need no codec, and an enhanced multi-frame object.
void addDicom(std::vector<SeedFile>& seeds);

}  // namespace highwater::fuzz
