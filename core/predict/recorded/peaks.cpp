#include "core/predict/recorded/peaks.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/predict/fit/summary.h"

namespace highwater::predict {

namespace {

using base::Bytes;
using memory::Category;
using memory::TraceEvent;

constexpr std::size_t kMostOthers = 8;

/// The peak of the walk's second step.
void predictedPeak(const Walk& walk, RecordedComparison& comparison, memory::Ledger& ledger) {
    Live live(walk);
    Peak peak;
    Estimate& highest = comparison.predictedPeak;
    for (std::size_t i = 0; i < walk.events.size(); ++i) {
        live.pass(walk.events[i]);
        if (i >= walk.stepEvent[kSecondStep]) {
            peak.after(walk.events[i], i, live);
            raise(highest, live.total());
        }
    }
    ledger = peak.ledger();
    comparison.predictedPhase = peak.phase();
    comparison.predictedLayer = peak.layer();
}

/// The categories of the walk's blocks after the event with this index.
struct Moment {
    std::vector<Category> category;
    std::vector<bool> alive;
};

Moment momentOf(const Walk& walk, std::int64_t reached) {
    Moment moment{std::vector<Category>(walk.blocks.size(), Category::Temporaries),
                  std::vector<bool>(walk.blocks.size())};
    for (std::size_t i = 0; i < walk.events.size(); ++i) {
        const WalkEvent& event = walk.events[i];
        const bool past = static_cast<std::int64_t>(i) <= reached;
        if (event.kind == WalkEvent::Kind::Allocate) {
            moment.alive[event.block] = past;
        } else if (event.kind == WalkEvent::Kind::Free && past) {
            moment.alive[event.block] = false;
        }
        // The second step's gradients get their category only later; the block's last category says more.
        if (event.kind != WalkEvent::Kind::Free && (past || event.step == static_cast<int>(kSecondStep))) {
            moment.category[event.block] = event.category;
        }
    }
    return moment;
}

/// Finds the highest total of the recording, and of the part in which steps were found.
class Highest {
public:
    Highest(const memory::Trace& recording, const Aligned& aligned, RecordedComparison& comparison)
        : recording_(recording) {
        Bytes total = recording.before().total();
        comparison.highest = total;
        Bytes within = -1;
        for (std::size_t i = 0; i < recording.events.size(); ++i) {
            const TraceEvent& event = recording.events[i];
            const Bytes bytes = recording.blocks[event.block].bytes;
            total += event.kind == TraceEvent::Kind::Allocate ? bytes
                     : event.kind == TraceEvent::Kind::Free   ? -bytes
                                                              : 0;
            comparison.highest = std::max(comparison.highest, total);
            if (i >= aligned.steady && aligned.reached[i] >= 0 && total > within) {
                within = total;
                event_ = i;
            }
        }
        comparison.recordedPeak = std::max<Bytes>(within, 0);
    }

    std::size_t event() const { return event_; }

    /// The blocks that are live at the peak.
    std::vector<std::uint32_t> blocks() const {
        std::vector<bool> alive(recording_.blocks.size());
        for (const memory::TraceAlive& each : recording_.alive) {
            alive[each.block] = true;
        }
        for (std::size_t i = 0; i <= event_ && i < recording_.events.size(); ++i) {
            const TraceEvent& event = recording_.events[i];
            if (event.kind != TraceEvent::Kind::Retag) {
                alive[event.block] = event.kind == TraceEvent::Kind::Allocate;
            }
        }
        std::vector<std::uint32_t> blocks;
        for (std::uint32_t block = 0; block < alive.size(); ++block) {
            if (alive[block]) {
                blocks.push_back(block);
            }
        }
        return blocks;
    }

private:
    const memory::Trace& recording_;
    std::size_t event_ = 0;
};

/// Parameters, the optimizer's state and the input exist before the step, so only their sizes identify them.
class Standing {
public:
    Standing(const Walk& walk, const Moment& moment) {
        for (std::size_t block = 0; block < walk.blocks.size(); ++block) {
            if (moment.alive[block]) {
                bySize_[walk.blocks[block].bytes.expected].push_back(moment.category[block]);
            }
        }
    }
    std::optional<Category> take(Bytes bytes) {
        const auto at = bySize_.find(bytes);
        if (at == bySize_.end() || at->second.empty()) {
            return std::nullopt;
        }
        const Category category = at->second.front();
        at->second.pop_front();
        return category;
    }

private:
    std::unordered_map<Bytes, std::deque<Category>> bySize_;
};

/// Divides the blocks that are live at the recorded peak among the kinds of memory.
class Explainer {
public:
    Explainer(const Walk& walk, const memory::Trace& recording, const Aligned& aligned,
              const Highest& highest, RecordedComparison& comparison)
        : walk_(walk),
          recording_(recording),
          aligned_(aligned),
          comparison_(comparison),
          blocks_(highest.blocks()),
          moment_(momentOf(walk, aligned.reached[highest.event()])) {}

    void run() {
        const std::vector<std::uint32_t> unknown = takeFound();
        takeUnknown(unknown);
        for (auto& [label, other] : others_) {
            comparison_.others.push_back(std::move(other));
        }
        std::stable_sort(comparison_.others.begin(), comparison_.others.end(),
                         [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
        comparison_.others.resize(std::min(comparison_.others.size(), kMostOthers));
    }

private:
    RecordedKind& kind(Category category) { return comparison_.kinds[static_cast<std::size_t>(category)]; }

    /// Counts the blocks requested by the step of the peak. Returns the others.
    std::vector<std::uint32_t> takeFound() {
        std::int32_t now = -1;  // the step of the peak
        for (const std::uint32_t block : blocks_) {
            now = std::max(now, aligned_.step[block]);
        }
        std::vector<std::uint32_t> unknown;
        for (const std::uint32_t block : blocks_) {
            const Bytes bytes = recording_.blocks[block].bytes;
            const std::int32_t partner = aligned_.partner[block];
            if (partner == Aligned::kWorkspace) {
                kind(Category::Workspace).recorded += bytes;
            } else if (partner < 0 || aligned_.step[block] != now) {
                unknown.push_back(block);
            } else {
                const auto its = static_cast<std::size_t>(partner);
                count(moment_.category[its], bytes, !moment_.alive[its]);
                moment_.alive[its] = false;  // it is accounted for
            }
        }
        return unknown;
    }

    void count(Category category, Bytes bytes, bool keptLonger) {
        kind(category).recorded += bytes;
        kind(category).keptLonger += keptLonger ? bytes : 0;
    }

    /// Counts earlier blocks: by their sizes, by the requests of an earlier step, or by their stacks.
    void takeUnknown(const std::vector<std::uint32_t>& unknown) {
        std::vector<bool> told(recording_.blocks.size());  // their stacks identify them as workspaces
        for (const TraceEvent& event : recording_.events) {
            told[event.block] = told[event.block] || event.category == Category::Workspace;
        }
        Standing standing(walk_, moment_);
        for (const std::uint32_t block : unknown) {
            const memory::TraceBlock& its = recording_.blocks[block];
            const std::int32_t partner = aligned_.partner[block];
            if (const auto category = standing.take(its.bytes)) {
                count(*category, its.bytes, false);
            } else if (partner >= 0) {
                count(moment_.category[static_cast<std::size_t>(partner)], its.bytes, true);
            } else if (told[block]) {
                count(Category::Workspace, its.bytes, false);
            } else {
                addOther(its);
            }
        }
    }

    void addOther(const memory::TraceBlock& block) {
        comparison_.unexplained += block.bytes;
        const std::string label =
            block.label >= 0 ? recording_.labels[static_cast<std::size_t>(block.label)] : "";
        UnexplainedBlocks& other = others_[label];
        other.label = label;
        ++other.blocks;
        other.bytes += block.bytes;
    }

    const Walk& walk_;
    const memory::Trace& recording_;
    const Aligned& aligned_;
    RecordedComparison& comparison_;
    std::vector<std::uint32_t> blocks_;
    Moment moment_;
    std::map<std::string, UnexplainedBlocks> others_;
};

}  // namespace

void comparePeaks(const Walk& walk, const memory::Trace& recording, const Aligned& aligned,
                  RecordedComparison& comparison) {
    memory::Ledger predicted;
    predictedPeak(walk, comparison, predicted);
    for (const Category category : memory::kCategories) {
        comparison.kinds.push_back({category, predicted[category]});
    }
    const Highest highest(recording, aligned, comparison);
    const std::int64_t reached = aligned.reached[highest.event()];
    if (reached >= 0) {
        comparison.recordedPhase = walk.events[static_cast<std::size_t>(reached)].phase;
        comparison.recordedLayer = walk.events[static_cast<std::size_t>(reached)].layer;
    }
    Explainer(walk, recording, aligned, highest, comparison).run();
}

}  // namespace highwater::predict
