// How long planning the checkpoints of a chain takes: chain_bench [REPEATS]. Prints the milliseconds of the
// table for all budgets, and of the plan for a third and two thirds of the memory that keeping everything
// takes, in processor time, because wall-clock time is longer on a busy machine. Asserts nothing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "core/plan/chain.h"

namespace {

using namespace highwater;

/// A network that halves its resolution on the way down, with options that save less and take longer.
plan::Chain chainOf(int units, int options) {
    std::mt19937 random(1);
    const auto between = [&](double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(random);
    };
    plan::Chain chain{.input = 64 * base::kMiB};
    for (int u = 0; u < units; ++u) {
        const double size =
            std::max(0.05, std::abs(2.0 * u / units - 1)) * static_cast<double>(64 * base::kMiB);
        const auto bytes = [&](double from, double to) {
            return static_cast<base::Bytes>(size * between(from, to));
        };
        plan::ChainUnit unit{
            .output = bytes(0.5, 1), .forwardOver = bytes(0, 0.5), .forwardMs = between(1, 5)};
        for (int k = 0; k < options; ++k) {
            unit.options.push_back({.saved = bytes(0.2, 2.5) / (k + 1),
                                    .forwardOver = bytes(0, 0.5),
                                    .backwardOver = bytes(0, 1),
                                    .forwardMs = unit.forwardMs,
                                    .backwardMs = unit.forwardMs * between(1.8, 2.2) + 0.5 * k});
        }
        unit.resumable = u % 3 == 0;
        chain.units.push_back(std::move(unit));
    }
    return chain;
}

double millisNow() {
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void print(const char* what, std::vector<double> millis) {
    std::ranges::sort(millis);
    std::printf("  %-28s median %7.2f ms, least %7.2f, most %7.2f\n", what, millis[millis.size() / 2],
                millis.front(), millis.back());
}

void measure(int units, int options, double share, int repeats) {
    const plan::Chain chain = chainOf(units, options);
    const base::Bytes everything = plan::costOf(chain, *plan::fastestParts(chain)).peak;
    const auto most = static_cast<base::Bytes>(share * static_cast<double>(everything));
    std::vector<double> table, one, all;
    std::size_t plans = 0;
    for (int n = 0; n < repeats; ++n) {
        const double begin = millisNow();
        const plan::ChainPlans made(chain, most, 500);
        const double known = millisNow();
        const bool found = made.under(most / 2) && made.under(most);
        const double taken = millisNow();
        plans = found ? made.all().size() : 0;
        table.push_back(known - begin);
        one.push_back(taken - known);
        all.push_back(millisNow() - taken);
    }
    std::printf("%d units, %d options, 500 slots up to %.0f %% of keeping everything: %zu plans\n", units,
                options, 100 * share, plans);
    print("all budgets", table);
    print("two plans", one);
    print("every plan", all);
}

}  // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
    for (const double share : {1.0, 0.5}) {
        measure(100, 6, share, repeats);
        measure(60, 2, share, repeats);
        measure(160, 2, share, repeats);
    }
}
