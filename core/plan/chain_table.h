#pragma once

#include <cstddef>
#include <vector>

#include "core/plan/chain.h"

/// The table of the dynamic programme. Private to core/plan.
namespace highwater::plan {

/// How a list of parts for some units begins: with the first unit kept, or with units that are run again.
struct ChainChoice {
    int option = -1;  ///< of the first unit, if it is kept; -1: if it is not
    int next = 0;     ///< the first unit after what is run again
};

/// Holds, for all units s to t (both included) of a chain and every number m of slots, the least time in
/// which they can be run forward and backward: with the input of s held elsewhere, and all else that they
/// hold in m slots, the gradient of t's output included.
///
/// The formulas are those of RR-9302 with options; each list of parts begins in one of two ways:
/// - s is kept: its time, and that of s+1 to t in what it leaves of m;
/// - s to p-1 are run and only p's input is kept: their forward's time, that of p to t in what the input
///   leaves of m, and that of s to p-1 in m, which are now run again.
class ChainTable {
public:
    /// `columns` is at least 1: the numbers of slots are 0 to columns - 1, of `slot` bytes each.
    ChainTable(Chain chain, base::Bytes slot, int columns);

    const Chain& chain() const { return chain_; }
    int columns() const { return columns_; }
    /// The least time of the whole chain, infinite where there is no plan.
    float time(int slots) const { return row(0, last())[slots]; }
    /// The parts of a plan of the whole chain that takes this time, which is finite.
    std::vector<ChainPart> parts(int slots) const { return partsOf(0, last(), slots); }

private:
    /// A size as whole slots and the bytes that are left: two of them are added without a division.
    struct Size {
        int slots = 0;
        base::Bytes rest = 0;
    };
    /// A unit that is kept with one of its options, in slots and milliseconds.
    struct Kept {
        Size forward;  ///< what its forward needs, without the gradient that is held besides
        int backward;  ///< what its backward needs
        int holds;     ///< what it keeps from those after it
        float ms;
    };
    struct Unit {
        std::vector<Kept> kept;      ///< with each option, where others follow
        std::vector<Kept> keptLast;  ///< the same as the last of a list of parts, resumed if it can be
        int holds = 0;               ///< slots that the plan holds of its output
        Size gradient;      ///< of its output, as far as it is held while what ends here runs forward
        double before = 0;  ///< milliseconds of the units before it, run without keeping anything
    };
    /// Of one row: the columns before `from` are infinite, those from `full` on are all the same.
    struct Span {
        int from = 0, full = 0;
    };
    /// Some rows that are filled together, of s in [lowS, highS] and t in [lowT, highT].
    struct Tile {
        int lowS, highS, lowT, highT;
    };

    int last() const { return static_cast<int>(chain_.units.size()) - 1; }
    const Unit& unit(int at) const { return units_[static_cast<std::size_t>(at)]; }
    const Span& span(int s, int t) const { return spans_[index(s, t)]; }
    /// Unit s with each of its options, where it is the first of s to t.
    const std::vector<Kept>& keptIn(int s, int t) const { return s == t ? unit(s).keptLast : unit(s).kept; }
    static std::size_t index(int s, int t);
    const float* row(int s, int t) const { return times_.data() + index(s, t) * width(); }
    float* row(int s, int t) { return times_.data() + index(s, t) * width(); }
    std::size_t width() const { return static_cast<std::size_t>(columns_); }

    Size sizeOf(base::Bytes bytes) const;
    int slotsOf(base::Bytes bytes) const { return slotsOf(sizeOf(bytes), Size()); }
    int slotsOf(const Size& a, const Size& b) const;
    int needs(const Kept& kept, int t) const;
    /// What running s to next - 1 needs, where nothing but the last output stays and t's gradient is held.
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
    std::vector<float> times_;  ///< a row of columns_ for each s and t, as index() says
    std::vector<Span> spans_;   ///< one for each row
    std::vector<Size> sweeps_;  ///< what running s to t without keeping anything needs, as index() says
};

}  // namespace highwater::plan
