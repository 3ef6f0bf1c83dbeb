#include "core/runs/run_numbers.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "core/base/file.h"

namespace highwater::runs {

namespace {

constexpr base::Bytes kMostText = 64;

std::filesystem::path numberFile(const std::filesystem::path& store) {
    return store / "last-number";
}

}  // namespace

int lastNumber(const std::filesystem::path& store) {
    const auto text = base::readFile(numberFile(store), kMostText);
    int number = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc()) {
        return 0;
    }
    return std::max(0, number);
}

base::Status saveLastNumber(const std::filesystem::path& store, int number) {
    return base::writeFileAtomically(numberFile(store), std::to_string(number) + "\n");
}

base::Result<int> nextNumber(int given, std::vector<int> folders) {
    std::sort(folders.begin(), folders.end());
    std::int64_t next = std::int64_t{given} + 1;
    for (const int number : folders) {
        if (number >= next && (number <= kMostBelievedNumber || number == next)) {
            next = std::int64_t{number} + 1;
        }
    }
    if (next > std::numeric_limits<int>::max()) {
        return base::Error{"this store has given the highest number that a run can have; use another store"};
    }
    return static_cast<int>(next);
}

}  // namespace highwater::runs
