#pragma once

#include <cstddef>
#include <vector>

#include "core/plan/chain.h"

/// The table of the dynamic program. Private to core/plan.
namespace highwater::plan {

/// How a list of parts for some units begins: with the first unit kept, or with units that are recomputed.
struct ChainChoice {
    int option = -1;  ///< option of the first unit, if it is kept; -1: it is not
    int next = 0;     ///< the first unit after the recomputed ones
};

/// Contains, for all units s to t (both included) of a chain and every number m of slots, the least time in
/// which they can be run forward and backward, if the input of s is held elsewhere and everything else,
/// including the gradient of t's output, fits in m slots.
///
/// The formulas are those of RR-9302 with options; each list of parts begins in one of two ways:
/// - s is kept: its time, plus that of s+1 to t in the remaining slots;
/// - s to p-1 are run and only p's input is kept: the time of that forward, plus that of p to t in the
///   remaining slots, plus that of s to p-1 in m, which are now recomputed.
class ChainTable {
public:
    /// `columns` is at least 1: the numbers of slots are 0 to columns - 1, each of `slot` bytes.
    ChainTable(Chain chain, base::Bytes slot, int columns);

    const Chain& chain() const { return chain_; }
    int columns() const { return columns_; }
    /// The least time of the whole chain; infinite if there is no plan.
    float time(int slots) const { return row(0, last())[slots]; }
    /// The parts of a plan of the whole chain with this time, which must be finite.
    std::vector<ChainPart> parts(int slots) const { return partsOf(0, last(), slots); }

private:
    /// A size as whole slots and remaining bytes: two of them are added without a division.
    struct Size {
        int slots = 0;
        base::Bytes rest = 0;
    };
    /// A unit kept with one of its options, in slots and milliseconds.
    struct Kept {
        Size forward;  ///< memory of its forward, without the gradient held at the same time
        int backward;  ///< memory of its backward
        int holds;     ///< memory that it keeps until its backward
        float ms;
    };
    struct Unit {
        std::vector<Kept> kept;      ///< with each option, if others follow
        std::vector<Kept> keptLast;  ///< the same as the last of a list of parts, resumed if possible
        int holds = 0;               ///< slots of its output that the plan holds
        Size gradient;      ///< gradient of its output that is held while a list that ends here runs forward
        double before = 0;  ///< milliseconds of all earlier units, run without saving anything
    };
    /// For one row: the columns before `from` are infinite, those from `full` on are all equal.
    struct Span {
        int from = 0, full = 0;
    };
    /// Rows that are filled together, for s in [lowS, highS] and t in [lowT, highT].
    struct Tile {
        int lowS, highS, lowT, highT;
    };

    int last() const { return static_cast<int>(chain_.units.size()) - 1; }
    const Unit& unit(int at) const { return units_[static_cast<std::size_t>(at)]; }
    const Span& span(int s, int t) const { return spans_[index(s, t)]; }
    /// Unit s with each of its options, as the first of s to t.
    const std::vector<Kept>& keptIn(int s, int t) const { return s == t ? unit(s).keptLast : unit(s).kept; }
    static std::size_t index(int s, int t);
    const float* row(int s, int t) const { return times_.data() + index(s, t) * width(); }
    float* row(int s, int t) { return times_.data() + index(s, t) * width(); }
    std::size_t width() const { return static_cast<std::size_t>(columns_); }

    Size sizeOf(base::Bytes bytes) const;
    int slotsOf(base::Bytes bytes) const { return slotsOf(sizeOf(bytes), Size()); }
    int slotsOf(const Size& a, const Size& b) const;
    int needs(const Kept& kept, int t) const;
    /// Memory for running s to next - 1 if only the last output is kept and t's gradient is held.
    int sweepNeeds(int s, int next, int t) const;
    float sweepMs(int s, int next) const { return static_cast<float>(unit(next).before - unit(s).before); }

    void measureUnits();
    Kept measured(int at, const ChainOption& option, bool isLast) const;
    void measureSweeps();
    int fullAt(int s, int t) const;
    void fill();
    void fill(const Tile& tile);
    void keepFirst(int s, int t);
    void runAgain(int s, int t, int next);
    void settle(int s, int t);
    int end(int s, int t) const;
    ChainChoice choose(int s, int t, int slots) const;
    std::vector<ChainPart> partsOf(int s, int t, int slots) const;

    Chain chain_;
    base::Bytes slot_;
    int columns_;
    std::vector<Unit> units_;
    std::vector<float> times_;  ///< a row of columns_ for each s and t, at index()
    std::vector<Span> spans_;   ///< one for each row
    std::vector<Size> sweeps_;  ///< memory for running s to t without saving anything, at index()
};

}  // namespace highwater::plan
