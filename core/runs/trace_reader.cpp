#include <fmt/format.h>

#include <algorithm>

#include "core/memory/trace_replay.h"
#include "core/runs/run_folder.h"
#include "core/runs/trace_file.h"

namespace highwater::runs {

using base::Error;
using memory::Trace;
using memory::TraceEvent;

namespace {

/// Builds a consistent trace from rows, whatever the file contains. Blocks are numbered again: first those
/// that are allocated at the first row's start, then those that the rows allocate.
class TraceBuilder {
public:
    TraceBuilder(Trace& trace, const TraceRange& wanted) : trace_(trace), wanted_(wanted) {}

    void add(const OpenTrace::Row& row);
    /// Starts the trace here: the current blocks become the ones that were allocated before it.
    void begin();
    bool begun() const { return begun_; }

private:
    [[noreturn]] static void damaged(std::int64_t event, const char* wrong) {
        throw TraceDamage{fmt::format("is damaged: event {} {}", event, wrong)};
    }
    void beginRow(const OpenTrace::Row& row);
    void beginLive();
    void addBlocks(const OpenTrace::Row& row);
    std::uint32_t localNumber(std::uint32_t number) const;
    void checkBlock(const memory::TraceBlock& block, std::int64_t event) const;

    Trace& trace_;
    TraceRange wanted_;
    memory::TraceReplay replay_;
    std::vector<LiveBlock> live_, rowLive_;  ///< blocks at the start of the first row and of the current one
    std::vector<std::int16_t> madeBy_;       ///< layer by block, until the trace begins
    std::int64_t firstBlock_ = -1, nextBlock_ = 0, lastTime_ = 0;
    bool begun_ = false;
};

void TraceBuilder::checkBlock(const memory::TraceBlock& block, std::int64_t event) const {
    if (block.bytes < 0 || block.reserved < 0) {
        damaged(event, "has a block of negative bytes");
    }
    if (block.label < -1 || block.label >= static_cast<std::int64_t>(trace_.labels.size())) {
        damaged(event, "has a block with a label that does not exist");
    }
}

void TraceBuilder::beginLive() {
    live_ = rowLive_;
    replay_.grow(live_.size());
    for (std::size_t i = 0; i < live_.size(); ++i) {
        const LiveBlock& each = live_[i];
        checkBlock(each.block, 0);
        if (each.layer < -1 || each.layer >= static_cast<std::int64_t>(trace_.layers.size()) ||
            each.number >= firstBlock_) {
            damaged(wanted_.first, "follows a live block that cannot be");
        }
        trace_.blocks.push_back(each.block);
        madeBy_.push_back(each.layer);
        if (const char* wrong =
                replay_.begin({static_cast<std::uint32_t>(i), each.category, each.layer}, each.block.bytes)) {
            damaged(wanted_.first, wrong);
        }
    }
}

void TraceBuilder::beginRow(const OpenTrace::Row& row) {
    if (!decodeLive(row.live, rowLive_)) {
        damaged(row.row.first, "begins a row with a damaged list of live blocks");
    }
    if (firstBlock_ < 0) {
        firstBlock_ = nextBlock_ = row.firstBlock;
        beginLive();
    } else if (row.firstBlock != nextBlock_) {
        damaged(row.row.first, "begins a row whose blocks do not follow");
    }
    if (row.row.time < lastTime_) {
        damaged(row.row.first, "is earlier than the one before");
    }
    if (!(row.row.before == replay_.ledger())) {
        damaged(row.row.first, "begins a row whose ledger is another than the events before it leave");
    }
    addBlocks(row);
    for (const LiveBlock& each : rowLive_) {
        const std::uint32_t local = localNumber(each.number);
        if (local >= trace_.blocks.size() || !replay_.lives(local) ||
            replay_.category(local) != each.category || !(trace_.blocks[local] == each.block)) {
            damaged(row.row.first, "begins a row that lists other blocks than live there");
        }
    }
    lastTime_ = row.row.time;
}

void TraceBuilder::addBlocks(const OpenTrace::Row& row) {
    for (std::int64_t i = 0; i < row.blockCount; ++i) {
        const memory::TraceBlock block = row.columns.block(static_cast<std::size_t>(i));
        checkBlock(block, row.row.first);
        trace_.blocks.push_back(block);
    }
    nextBlock_ += row.blockCount;
    replay_.grow(trace_.blocks.size());
    if (!begun_) {
        madeBy_.resize(trace_.blocks.size(), -1);
    }
}

/// The block's number in the trace; for a number that this part cannot contain, one past the last block.
std::uint32_t TraceBuilder::localNumber(std::uint32_t number) const {
    if (number >= firstBlock_) {
        return static_cast<std::uint32_t>(
            std::min<std::int64_t>(static_cast<std::int64_t>(live_.size()) + number - firstBlock_,
                                   static_cast<std::int64_t>(trace_.blocks.size())));
    }
    if (number < live_.size() && live_[number].number == number) {
        return number;
    }
    const auto found =
        std::lower_bound(live_.begin(), live_.end(), number,
                         [](const LiveBlock& block, std::uint32_t n) { return block.number < n; });
    return found != live_.end() && found->number == number ? static_cast<std::uint32_t>(found - live_.begin())
                                                           : static_cast<std::uint32_t>(trace_.blocks.size());
}

void TraceBuilder::begin() {
    begun_ = true;
    for (std::uint32_t i = 0; i < trace_.blocks.size(); ++i) {
        if (replay_.lives(i)) {
            trace_.alive.push_back({i, replay_.category(i), madeBy_[i]});
        }
    }
    madeBy_ = {};
}

void TraceBuilder::add(const OpenTrace::Row& row) {
    beginRow(row);
    const auto layers = static_cast<std::int64_t>(trace_.layers.size());
    const std::int64_t end = wanted_.first + wanted_.count;
    for (std::int64_t i = 0; i < row.row.count && row.row.first + i < end; ++i) {
        const std::int64_t number = row.row.first + i;
        if (!begun_ && number >= wanted_.first) {
            begin();
        }
        TraceEvent event = row.columns.event(static_cast<std::size_t>(i));
        event.time = lastTime_ + (i > 0 ? row.columns.sinceLast(static_cast<std::size_t>(i)) : 0);
        event.block = localNumber(event.block);
        if (event.layer < -1 || event.layer >= layers) {
            damaged(number, "is of a layer that does not exist");
        }
        if (event.block >= trace_.blocks.size()) {
            damaged(number, "is of a block that does not exist");
        }
        if (const char* wrong = replay_.apply(event, trace_.blocks[event.block].bytes)) {
            damaged(number, wrong);
        }
        lastTime_ = event.time;
        if (begun_) {
            trace_.events.push_back(event);
        } else if (event.kind == TraceEvent::Kind::Allocate) {
            madeBy_[event.block] = event.layer;
        }
    }
}

/// The steps that begin within the events that were read.
std::vector<memory::TraceStep> stepsWithin(const std::vector<memory::TraceStep>& all, std::int64_t first,
                                           std::size_t count) {
    std::vector<memory::TraceStep> steps;
    for (const memory::TraceStep& step : all) {
        if (step.event >= static_cast<std::size_t>(first) &&
            step.event < static_cast<std::size_t>(first) + count) {
            steps.push_back({step.event - static_cast<std::size_t>(first), step.index});
        }
    }
    return steps;
}

Trace readEvents(OpenTrace& file, const TraceInfo& info, TraceRange wanted,
                 const std::function<bool(double)>& progress) {
    Trace trace;
    trace.layers = file.names("layers");
    trace.labels = file.names("labels");
    trace.firstEvent = wanted.first;
    trace.allEvents = info.events;
    // An event takes 11 bytes of the file, a block 20.
    trace.events.reserve(static_cast<std::size_t>(std::min(wanted.count, file.fileBytes() / 11)));
    if (wanted.count == info.events) {
        trace.blocks.reserve(static_cast<std::size_t>(std::min(info.blocks, file.fileBytes() / 20)));
    }
    TraceBuilder builder(trace, wanted);
    if (wanted.first < info.events || info.events > 0) {
        file.readRows(wanted.first, [&](const OpenTrace::Row& row) {
            builder.add(row);
            const std::int64_t end = row.row.first + row.row.count;
            if (progress && !progress(wanted.count == 0 ? 1.0
                                                        : static_cast<double>(trace.events.size()) /
                                                              static_cast<double>(wanted.count))) {
                throw TraceDamage{"cancelled"};
            }
            return end < wanted.first + wanted.count;
        });
    }
    if (!builder.begun()) {
        builder.begin();
    }
    trace.steps = stepsWithin(info.steps, wanted.first, trace.events.size());
    return trace;
}

TraceInfo inspect(OpenTrace& file) {
    TraceInfo info;
    const OpenTrace::Meta meta = file.meta();
    info.fileBytes = file.fileBytes();
    info.rows = file.rows(info.blocks);
    if (!info.rows.empty()) {
        info.events = info.rows.back().first + info.rows.back().count;
    }
    info.complete = meta.complete;
    info.peak = meta.peak;
    info.peakEvent = meta.peakEvent;
    info.note = meta.note;
    if (info.peakEvent >= info.events) {
        throw TraceDamage{fmt::format("has its peak at event {} of {}", info.peakEvent, info.events)};
    }
    info.steps = file.steps();
    if (!info.steps.empty() && info.steps.back().event > static_cast<std::size_t>(info.events)) {
        throw TraceDamage{
            fmt::format("has a step that begins at event {} of {}", info.steps.back().event, info.events)};
    }
    return info;
}

}  // namespace

base::Result<TraceInfo> inspectTrace(const std::filesystem::path& runFolder) {
    const auto path = traceFile(runFolder);
    HIGHWATER_TRY(traceExists(path));
    try {
        OpenTrace file(path);
        return inspect(file);
    } catch (...) {
        return traceError(path);
    }
}

namespace {

/// Adds the information from the run's other files: its budget, its warm-up, and the request refused at the
/// end if memory ran out.
void addRunsWords(const std::filesystem::path& runFolder, bool toTheEnd, Trace& trace) {
    if (const auto started = readStarted(runFolder)) {
        trace.budget = started->budget.value_or(0);
        trace.warmup = started->warmup;
    }
    const auto result = toTheEnd ? readResult(runFolder) : base::Result<wire::RunResult>(base::Error{});
    if (!result || !result->failure || result->failure->status != wire::RunStatus::OutOfMemory) {
        return;
    }
    memory::TraceRefusal refusal;
    refusal.event = trace.events.size();
    refusal.time = trace.events.empty() ? 0 : trace.events.back().time;
    refusal.asked = result->failure->requested;
    trace.refusals.push_back(refusal);
}

}  // namespace

base::Result<Trace> readTrace(const std::filesystem::path& runFolder, std::optional<TraceRange> range,
                              const std::function<bool(double)>& progress) {
    const auto path = traceFile(runFolder);
    HIGHWATER_TRY(traceExists(path));
    try {
        OpenTrace file(path);
        const TraceInfo info = inspect(file);
        TraceRange wanted = range.value_or(TraceRange{0, info.events});
        wanted.first = std::clamp<std::int64_t>(wanted.first, 0, info.events);
        wanted.count = std::clamp<std::int64_t>(wanted.count, 0, info.events - wanted.first);
        Trace trace = readEvents(file, info, wanted, progress);
        addRunsWords(runFolder, wanted.first + wanted.count == info.events, trace);
        return trace;
    } catch (...) {
        return traceError(path);
    }
}

}  // namespace highwater::runs
