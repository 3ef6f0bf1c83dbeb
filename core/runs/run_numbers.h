#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"

/// The numbers of a store's runs, 1, 2, ...: none is used twice, even after its run was deleted. Private to
/// core/runs.
namespace highwater::runs {

/// A folder copied into a store may have any number. Numbers above this one are not used to derive the next
/// number.
inline constexpr int kMostBelievedNumber = 1'000'000'000;

/// The highest number used according to STORE/last-number; 0 if there is no such file or it is damaged.
int lastNumber(const std::filesystem::path& store);
/// Call this before the number is used, with the store locked. The index has it too, but only as a cache,
/// which may be damaged, locked, or written by a newer version.
base::Status saveLastNumber(const std::filesystem::path& store, int number);

/// The number of the next run: above `given`, the highest number ever used, and above the plausible numbers
/// of existing folders; never equal to one of theirs. Error: there is none left.
base::Result<int> nextNumber(int given, std::vector<int> folders);

}  // namespace highwater::runs
