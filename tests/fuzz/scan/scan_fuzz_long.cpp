/// scan_fuzz_long [COUNT [FIRST]]: opens COUNT damaged scans of all formats, as many generated as real ones;
/// prints a summary, and exits with 1 if there was any failure.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/fuzz/scan/scan_attack.h"

namespace {

int report(const char* name, const highwater::fuzz::Summary& summary) {
    fmt::print("{}: {} had to be refused, the reader process died on {} (each said in one line)\n", name,
               summary.mustRefuse, summary.stopped);
    for (const auto& [format, row] : summary.formats) {
        fmt::print("  {:<28} {:>6} refused {:>6} accepted\n", format, row.refused, row.accepted);
    }
    fmt::print("  slowest {:.2f} s, most memory of a reader so far {} MiB\n", summary.slowest,
               summary.mostMemory >> 20);
    for (const std::string& failure : summary.failures) {
        fmt::print("  FAILED {}\n", failure);
    }
    return summary.failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace highwater::fuzz;
    const int count = argc > 1 ? std::atoi(argv[1]) : 20000;
    const auto first = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 0);
    int failed = 0;
    const auto real = realSeeds(600'000);
    const int ofReal = real.empty() ? 0 : count / 4;
    failed |= report("made files", attack(madeSeeds(), first, count - ofReal));
    if (ofReal > 0) {
        failed |= report("real files", attack(real, first, ofReal));
    } else {
        fmt::print("real files: skipped, there are none here\n");
    }
    return failed;
}
