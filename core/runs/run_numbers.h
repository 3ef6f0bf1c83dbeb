#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"

/// The numbers of a store's runs, 1, 2, ...: none is given twice, also where the run is gone that had it.
/// Private to core/runs.
namespace highwater::runs {

/// A folder that was copied into a store may have any number. From here on it says nothing of how many runs
/// the store has made.
inline constexpr int kMostBelievedNumber = 1'000'000'000;

/// The highest number that STORE/last-number says was given; 0 where there is no such file or it is damaged.
int lastNumber(const std::filesystem::path& store);
/// Call it before the number is used, with the store locked. The index keeps it too, but it is a cache: it
/// may be damaged, locked, or of a newer version.
base::Status saveLastNumber(const std::filesystem::path& store, int number);

/// The number of the next run: above `given`, the highest one ever given, and above the believable ones of
/// the folders there are; never one of theirs. Error: there is none left.
base::Result<int> nextNumber(int given, std::vector<int> folders);

}  // namespace highwater::runs
