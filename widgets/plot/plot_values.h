#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/memory/ledger.h"

/// The plain values that the live plots show. No events and no files.
namespace highwater::widgets {

inline constexpr int kPhaseCount = 5;  ///< data, forward, recompute, backward, optimizer
inline constexpr int kSetupPhase = -1;

/// "data", "forward", "recompute", "backward", "optimizer"; "setup" for any other number.
QString phaseName(int phase);
/// The name of a category as shown: "optimizer state".
QString categoryName(memory::Category c);

/// "about 3 min", "about 2.5 h", "less than a minute".
QString durationText(double ms);

/// One sentence about the meaning of the term, for tooltips.
QString phaseMeaning(int phase);
QString categoryMeaning(memory::Category c);

/// The ledger from `ms` on, until the next point.
struct MemoryPoint {
    double ms = 0;
    memory::Ledger ledger;
    base::Bytes reserved = 0;  ///< reserved by the allocator of a GPU; 0 if unknown
    int phase = kSetupPhase;   ///< only for a live sample; otherwise see the track's spans
};

/// A phase, with a layer of the run or -1, from `startMs` until the next span.
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
    bool inFirstStep =
        false;  ///< of a forecast: higher than in the steps after the first, which its points show
};

/// One step; `index` counts from 0, warm-up included.
struct StepBar {
    int index = 0;
    bool warmup = false;
    std::array<double, kPhaseCount> phaseMs{};
    memory::Ledger peak;
    /// GPU only: the time until the host had enqueued the phase's work.
    std::optional<std::array<double, kPhaseCount>> hostMs = {};
    bool hostSlower = false;  ///< the GPU had to wait for the host
    std::optional<double> loss = {};
};

/// An allocation that failed.
struct Refusal {
    base::Bytes requested = 0;
    int step = 0;
    int phase = kSetupPhase;
    int layer = -1;
    memory::Ledger ledger;     ///< what was allocated when it failed
    base::Bytes reserved = 0;  ///< reserved by the allocator at that moment; 0 if unknown
};

/// What is known of a run before it has measured anything.
struct RunShape {
    int warmup = 0;
    int steps = 0;                    ///< measured steps, warm-up not counted
    std::vector<QString> layerNames;  ///< as in stack::StackInfo: "5 conv", "enc2 · 1 conv"
    std::optional<base::Bytes> budget;
    base::Bytes capacity = 0;  ///< of the device; 0 if unknown

    /// "warm-up 1 of 3" or "step 27 of 40"; `index` counts from 0.
    QString stepName(int index) const;
    /// The position of a step on the step axis: 1 for the first measured step, 0 and below for warm-up steps.
    double stepPosition(int index) const { return index - warmup + 1.0; }
    /// "layer 10 conv", "enc2 · 1 conv"; empty if there is no such layer.
    QString layerName(int layer) const;
    /// "backward of layer 10 conv", "optimizer".
    QString where(int phase, int layer) const;
};

}  // namespace highwater::widgets
