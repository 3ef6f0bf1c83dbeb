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
        // The second step's gradients get their category after the moment; the block's last one says more.
        if (event.kind != WalkEvent::Kind::Free && (past || event.step == static_cast<int>(kSecondStep))) {
            moment.category[event.block] = event.category;
        }
    }
    return moment;
}

/// Finds the highest total of the recording, and of its part in which steps were found.
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

    /// The blocks that are alive at the peak.
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

/// Parameters, the optimizer's state and the input are there before the step, so only their sizes tell which
/// block is which.
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

void explain(const Walk& walk, const memory::Trace& recording, const Aligned& aligned, const Highest& highest,
             RecordedComparison& comparison) {
    Moment moment = momentOf(walk, aligned.reached[highest.event()]);
    std::vector<std::uint32_t> unknown;
    const auto kind = [&](Category category) -> RecordedKind& {
        return comparison.kinds[static_cast<std::size_t>(category)];
    };
    const std::vector<std::uint32_t> alive = highest.blocks();
    std::int32_t now = -1;  // the step of the peak
    for (const std::uint32_t block : alive) {
        now = std::max(now, aligned.step[block]);
    }
    for (const std::uint32_t block : alive) {
        const Bytes bytes = recording.blocks[block].bytes;
        const std::int32_t partner = aligned.partner[block];
        if (partner == Aligned::kWorkspace) {
            kind(Category::Workspace).recorded += bytes;
            continue;
        }
        if (partner < 0 || aligned.step[block] != now) {
            unknown.push_back(block);
            continue;
        }
        const auto its = static_cast<std::size_t>(partner);
        RecordedKind& found = kind(moment.category[its]);
        found.recorded += bytes;
        if (!moment.alive[its]) {
            found.keptLonger += bytes;
        }
        moment.alive[its] = false;  // it is accounted for
    }
    std::vector<bool> told(recording.blocks.size());  // their stacks say that they are workspaces
    for (const TraceEvent& event : recording.events) {
        told[event.block] = told[event.block] || event.category == Category::Workspace;
    }
    Standing standing(walk, moment);
    std::map<std::string, UnexplainedBlocks> others;
    for (const std::uint32_t block : unknown) {
        const memory::TraceBlock& its = recording.blocks[block];
        if (const auto category = standing.take(its.bytes)) {
            kind(*category).recorded += its.bytes;
            continue;
        }
        if (const std::int32_t partner = aligned.partner[block]; partner >= 0) {  // of an earlier step
            RecordedKind& kept = kind(moment.category[static_cast<std::size_t>(partner)]);
            kept.recorded += its.bytes;
            kept.keptLonger += its.bytes;
            continue;
        }
        if (told[block]) {
            kind(Category::Workspace).recorded += its.bytes;
            continue;
        }
        comparison.unexplained += its.bytes;
        const std::string label = its.label >= 0 ? recording.labels[static_cast<std::size_t>(its.label)] : "";
        UnexplainedBlocks& other = others[label];
        other.label = label;
        ++other.blocks;
        other.bytes += its.bytes;
    }
    for (auto& [label, other] : others) {
        comparison.others.push_back(std::move(other));
    }
    std::stable_sort(comparison.others.begin(), comparison.others.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    comparison.others.resize(std::min(comparison.others.size(), kMostOthers));
}

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
    explain(walk, recording, aligned, highest, comparison);
}

}  // namespace highwater::predict
