#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/memory/ledger.h"

/// What the live plots are fed with: plain values, no events and no files.
namespace highwater::widgets {

inline constexpr int kPhaseCount = 5;  ///< data, forward, recompute, backward, optimizer
inline constexpr int kSetupPhase = -1;

/// "data", "forward", "recompute", "backward", "optimizer"; "setup" for any other number.
QString phaseName(int phase);
/// A category as people read it: "optimizer state".
QString categoryName(memory::Category c);

/// One sentence about what it is, for tooltips.
QString phaseMeaning(int phase);
QString categoryMeaning(memory::Category c);

/// The ledger from `ms` on, until the next point.
struct MemoryPoint {
    double ms = 0;
    memory::Ledger ledger;
    base::Bytes reserved = 0;  ///< by the allocator of a GPU; 0: not known
};

/// A phase (and a layer of the run, or -1) that begins at `startMs` and lasts until the next span.
struct PhaseSpan {
    double startMs = 0;
    int phase = kSetupPhase;
    int layer = -1;
};

/// The moment of a step's highest total.
struct PeakInfo {
    memory::Ledger ledger;
    double ms = 0;
    int phase = kSetupPhase;
    int layer = -1;
};

/// One step; `index` counts from 0, warm-up included.
struct StepBar {
    int index = 0;
    bool warmup = false;
    std::array<double, kPhaseCount> phaseMs{};
    memory::Ledger peak;
    std::optional<std::array<double, kPhaseCount>> hostMs = {};  ///< on a GPU: until the host had said it
    bool hostSlower = false;                                     ///< the GPU waited for its host
};

/// An allocation that was refused.
struct Refusal {
    base::Bytes requested = 0;
    int step = 0;
    int phase = kSetupPhase;
    int layer = -1;
    memory::Ledger ledger;     ///< what was held when it was refused
    base::Bytes reserved = 0;  ///< by the allocator then; 0: not known
};

/// What a run is made of, before it has measured anything.
struct RunShape {
    int warmup = 0;
    int steps = 0;                    ///< measured steps, warm-up not counted
    std::vector<QString> layerNames;  ///< as stack::StackInfo names them: "5 conv", "enc2 · 1 conv"
    std::optional<base::Bytes> budget;
    base::Bytes capacity = 0;  ///< of the device; 0: unknown

    /// "warm-up 1 of 3" or "step 27 of 40" for a 0-based index.
    QString stepName(int index) const;
    /// Where a step stands on the step axis: 1 for the first measured one, warm-up at 0 and below.
    double stepPosition(int index) const { return index - warmup + 1.0; }
    /// "layer 10 conv", "enc2 · 1 conv"; empty for a layer that is none.
    QString layerName(int layer) const;
    /// "backward of layer 10 conv", "optimizer".
    QString where(int phase, int layer) const;
};

}  // namespace highwater::widgets
