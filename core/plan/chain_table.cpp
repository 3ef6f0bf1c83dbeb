#include "core/plan/chain_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/plan/chain_needs.h"

namespace highwater::plan {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();

/// row = min(row, ms + right)
void lower(float* __restrict row, const float* __restrict right, float ms, int count) {
    for (int m = 0; m < count; ++m) {
        const float with = ms + right[m];
        row[m] = with < row[m] ? with : row[m];
    }
}

/// row = min(row, ms + right + left)
void lower(float* __restrict row, const float* __restrict right, const float* __restrict left, float ms,
           int count) {
    for (int m = 0; m < count; ++m) {
        const float with = ms + right[m] + left[m];
        row[m] = with < row[m] ? with : row[m];
    }
}

}  // namespace

ChainTable::ChainTable(Chain chain, base::Bytes slot, int columns)
    : chain_(std::move(chain)), slot_(slot), columns_(columns) {
    measureUnits();
    measureSweeps();
    spans_.resize(sweeps_.size());
    for (int s = last(); s >= 0; --s) {
        for (int t = s; t <= last(); ++t) {
            spans_[index(s, t)] = {.from = columns_, .full = fullAt(s, t)};
        }
    }
    times_.assign(sweeps_.size() * width(), kNever);
    fill();
}

std::size_t ChainTable::index(int s, int t) {
    const auto column = static_cast<std::size_t>(t);
    return column * (column + 1) / 2 + static_cast<std::size_t>(s);
}

/// Sizes beyond the table's range are capped.
ChainTable::Size ChainTable::sizeOf(base::Bytes bytes) const {
    return bytes / slot_ >= columns_ ? Size{columns_, 0}
                                     : Size{static_cast<int>(bytes / slot_), bytes % slot_};
}

/// Rounds the sum up.
int ChainTable::slotsOf(const Size& a, const Size& b) const {
    const base::Bytes rest = a.rest + b.rest;
    return std::min(columns_, a.slots + b.slots + (rest > 0 ? 1 : 0) + (rest > slot_ ? 1 : 0));
}

int ChainTable::needs(const Kept& kept, int t) const {
    return std::max(slotsOf(kept.forward, unit(t).gradient), kept.backward);
}

int ChainTable::sweepNeeds(int s, int next, int t) const {
    return slotsOf(sweeps_[index(s, next - 1)], unit(t).gradient);
}

void ChainTable::measureUnits() {
    double before = 0;
    for (int at = 0; at <= last(); ++at) {
        const ChainUnit& from = chain_.units[static_cast<std::size_t>(at)];
        Unit unit;
        unit.holds = slotsOf(holds(from));
        unit.gradient = sizeOf(heldGradient(chain_, at));
        unit.before = before;
        for (const ChainOption& option : from.options) {
            unit.kept.push_back(measured(at, option, false));
            unit.keptLast.push_back(measured(at, option, true));
        }
        units_.push_back(std::move(unit));
        before += from.forwardMs;
    }
}

ChainTable::Kept ChainTable::measured(int at, const ChainOption& option, bool isLast) const {
    const ChainUnit& from = chain_.units[static_cast<std::size_t>(at)];
    const bool resumed = isLast && isResumed(chain_, at);
    return {.forward = resumed ? Size{} : sizeOf(keptNeed(from, option)),
            .backward = slotsOf(backwardNeed(chain_, at, option, resumed)),
            .holds = isLast ? 0 : slotsOf(stays(from, option)),
            .ms = static_cast<float>((resumed ? 0 : option.forwardMs) + option.backwardMs)};
}

void ChainTable::measureSweeps() {
    sweeps_.resize(chain_.units.size() * (chain_.units.size() + 1) / 2);
    for (int s = 0; s <= last(); ++s) {
        base::Bytes most = 0;
        for (int t = s; t <= last(); ++t) {
            const base::Bytes input = t == s ? 0 : heldInputOf(chain_, t);
            most = std::max(most, input + bareNeed(chain_.units[static_cast<std::size_t>(t)]));
            sweeps_[index(s, t)] = sizeOf(most);
        }
    }
}

/// The number of slots beyond which more slots make nothing faster; columns_ if the table ends before that.
int ChainTable::fullAt(int s, int t) const {
    const auto fastest = fastestOf(chain_, s);
    if (!fastest) {
        return columns_;
    }
    if (s == t) {
        const int k = fastestOption(chain_.units[static_cast<std::size_t>(s)], isResumed(chain_, s));
        return needs(unit(s).keptLast[static_cast<std::size_t>(k)], s);
    }
    const int after = span(s + 1, t).full;
    if (fastest->resumed) {
        return std::min(columns_,
                        std::max({sweepNeeds(s, s + 1, t), unit(s).holds + after, span(s, s).full}));
    }
    const Kept& kept = unit(s).kept[static_cast<std::size_t>(fastest->option)];
    return std::min(columns_, std::max(needs(kept, t), kept.holds + after));
}

/// Filling row by row, each sum would read two distant rows of the table; the rows of a tile share what they
/// read.
void ChainTable::fill() {
    constexpr int kSide = 8;
    for (int highS = last(); highS >= 0; highS -= kSide) {
        const int lowS = std::max(0, highS - kSide + 1);
        for (int lowT = lowS; lowT <= last(); lowT += kSide) {
            fill({lowS, highS, lowT, std::min(last(), lowT + kSide - 1)});
        }
    }
}

void ChainTable::fill(const Tile& tile) {
    // The sums of rows that are all in earlier tiles.
    for (int next = tile.highS + 1; next <= tile.lowT; ++next) {
        for (int s = tile.lowS; s <= tile.highS; ++s) {
            for (int t = tile.lowT; t <= tile.highT; ++t) {
                runAgain(s, t, next);
            }
        }
    }
    for (int s = tile.highS; s >= tile.lowS; --s) {
        for (int t = std::max(s, tile.lowT); t <= tile.highT; ++t) {
            for (int next = s + 1; next <= t; ++next) {
                if (next <= tile.highS || next > tile.lowT) {
                    runAgain(s, t, next);
                }
            }
            keepFirst(s, t);
            settle(s, t);
        }
    }
}

/// The columns that must be filled.
int ChainTable::end(int s, int t) const {
    return std::min(columns_, span(s, t).full + 1);
}

void ChainTable::keepFirst(int s, int t) {
    float* times = row(s, t);
    for (const Kept& kept : keptIn(s, t)) {
        if (s == t) {
            for (int m = needs(kept, t); m < end(s, t); ++m) {
                times[m] = std::min(times[m], kept.ms);
            }
            continue;
        }
        const int from = std::max(needs(kept, t), kept.holds + span(s + 1, t).from);
        if (from < end(s, t)) {
            lower(times + from, row(s + 1, t) + (from - kept.holds), kept.ms, end(s, t) - from);
        }
    }
}

void ChainTable::runAgain(int s, int t, int next) {
    const int holds = unit(next - 1).holds;
    const int from = std::max({sweepNeeds(s, next, t), span(next, t).from + holds, span(s, next - 1).from});
    if (from < end(s, t)) {
        lower(row(s, t) + from, row(next, t) + (from - holds), row(s, next - 1) + from, sweepMs(s, next),
              end(s, t) - from);
    }
}

void ChainTable::settle(int s, int t) {
    float* times = row(s, t);
    const int filled = end(s, t);
    std::fill(times + filled, times + columns_, times[filled - 1]);
    spans_[index(s, t)].from =
        static_cast<int>(std::find_if(times, times + columns_, [](float ms) { return ms < kNever; }) - times);
}

ChainChoice ChainTable::choose(int s, int t, int slots) const {
    const float least = row(s, t)[slots];
    float best = kNever;
    ChainChoice choice;
    for (int k = 0; const Kept& kept : keptIn(s, t)) {
        if (slots >= std::max(needs(kept, t), kept.holds)) {
            const float ms = s == t ? kept.ms : kept.ms + row(s + 1, t)[slots - kept.holds];
            if (ms < best) {
                best = ms;
                choice = {.option = k, .next = s + 1};
            }
        }
        ++k;
    }
    for (int next = s + 1; next <= t && best > least && sweepNeeds(s, next, t) <= slots; ++next) {
        const int left = slots - unit(next - 1).holds;
        const float ms = left < 0 ? kNever : sweepMs(s, next) + row(next, t)[left] + row(s, next - 1)[slots];
        if (ms < best) {
            best = ms;
            choice = {.option = -1, .next = next};
        }
    }
    return choice;
}

std::vector<ChainPart> ChainTable::partsOf(int s, int t, int slots) const {
    std::vector<ChainPart> parts;
    while (s <= t) {
        const ChainChoice choice = choose(s, t, slots);
        if (choice.option < 0) {
            parts.push_back({s, choice.next, 0, partsOf(s, choice.next - 1, slots)});
            slots -= unit(choice.next - 1).holds;
        } else {
            parts.push_back({s, s + 1, choice.option, {}});
            slots -= keptIn(s, t)[static_cast<std::size_t>(choice.option)].holds;
        }
        s = choice.next;
    }
    return parts;
}

}  // namespace highwater::plan
