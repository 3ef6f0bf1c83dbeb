#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <unordered_map>

#include "core/runs/trace_rows.h"
#include "core/runs/trace_store.h"

namespace highwater::runs {

using base::Error;
using memory::TraceEvent;

std::filesystem::path traceFile(const std::filesystem::path& runFolder) {
    return runFolder / "trace.db";
}

namespace {

constexpr auto kFlushPeriod = std::chrono::seconds(1);

SQLite::Database makeDatabase(const std::filesystem::path& path, const std::vector<std::string>& layers) {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.setBusyTimeout(5000);
    database.exec("PRAGMA page_size = 16384");
    database.exec("PRAGMA journal_mode = DELETE");
    database.exec("PRAGMA synchronous = FULL");
    SQLite::Transaction transaction(database);
    for (const TableText& table : kTraceTables) {
        database.exec(table.sql);
    }
    SQLite::Statement insert(database, "INSERT INTO layers VALUES (?, ?)");
    for (std::size_t i = 0; i < layers.size(); ++i) {
        insert.bind(1, static_cast<std::int64_t>(i));
        insert.bind(2, layers[i]);
        insert.exec();
        insert.reset();
    }
    database.exec(fmt::format("INSERT INTO meta VALUES ({}, 0, 0, -1, '')", kTraceSchema));
    transaction.commit();
    return database;
}

}  // namespace

struct TraceWriter::Impl {
    using Clock = std::chrono::steady_clock;

    Impl(const std::filesystem::path& file, const std::vector<std::string>& layers)
        : path(file),
          database(makeDatabase(file, layers)),
          insertRow(database,
                    "INSERT OR REPLACE INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
          insertLabel(database, "INSERT INTO labels VALUES (?, ?)"),
          insertStep(database, "INSERT INTO steps VALUES (?, ?, ?)"),
          updateMeta(database, "UPDATE meta SET complete = ?, peak_bytes = ?, peak_event = ?, note = ?") {}

    std::filesystem::path path;
    SQLite::Database database;
    SQLite::Statement insertRow, insertLabel, insertStep, updateMeta;

    // Not on disk yet.
    std::vector<std::string> newLabels;
    std::vector<memory::TraceStep> newSteps;
    std::int64_t labels = 0, steps = 0;  ///< number already on disk
    bool dirty = false;
    Clock::time_point flushed = Clock::now();

    // The row that is being filled.
    EventColumns row;
    std::string rowLive;
    memory::Ledger rowBefore;
    base::Bytes rowHighest = 0;
    std::int64_t rowFirst = 0, rowTime = 0, lastTime = 0;
    std::uint32_t rowFirstBlock = 0, nextBlock = 0;  ///< blocks below nextBlock are in a row

    // The trace so far.
    std::vector<memory::TraceBlock> waiting;  ///< blocks from nextBlock on
    std::unordered_map<std::uint32_t, LiveBlock> live;
    memory::Ledger ledger;
    base::Bytes total = 0, peak = 0;
    std::int64_t peakEvent = -1, events = 0;
    std::string note;
    bool failed = false;

    void take(const TraceChunk& chunk);
    void beginAlive(const TraceChunk& chunk);
    void add(const TraceEvent& event);
    void follow(const TraceEvent& event);
    void beginRow(std::int64_t time);
    void closeRow();
    void flush(bool complete);
    void writeRow();
    template <class Work>
    base::Status attempt(Work work);
};

namespace {

/// Thrown if an event contradicts earlier ones: a bug in the program, never in a file.
struct Nonsense {
    const char* what;
};

}  // namespace

void TraceWriter::Impl::beginAlive(const TraceChunk& chunk) {
    for (const memory::TraceAlive& each : chunk.alive) {
        if (events > 0 || each.block != nextBlock || waiting.size() <= live.size()) {
            throw Nonsense{"comes before blocks that were alive at the start"};
        }
        const memory::TraceBlock& block = waiting[live.size()];
        live[each.block] = {each.block, block, each.category, each.layer};
        ledger[each.category] += block.bytes;
        total += block.bytes;
        ++nextBlock;
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(chunk.alive.size()));
    peak = std::max(peak, total);
}

void TraceWriter::Impl::take(const TraceChunk& chunk) {
    waiting.insert(waiting.end(), chunk.blocks.begin(), chunk.blocks.end());
    newLabels.insert(newLabels.end(), chunk.labels.begin(), chunk.labels.end());
    newSteps.insert(newSteps.end(), chunk.steps.begin(), chunk.steps.end());
    if (!chunk.alive.empty()) {
        beginAlive(chunk);
    }
    std::size_t used = 0;  // of `waiting`
    const std::uint32_t firstWaiting = nextBlock;
    for (const TraceEvent& event : chunk.events) {
        if (event.time < lastTime) {
            throw Nonsense{"is earlier than the one before"};
        }
        const bool begins = event.kind == TraceEvent::Kind::Allocate;
        if (begins && (event.block < nextBlock || event.block - firstWaiting >= waiting.size())) {
            throw Nonsense{"allocates a block that is not the next"};
        }
        if (row.events() == kRowEvents || nextBlock - rowFirstBlock >= kRowBlocks ||
            event.time - lastTime > std::numeric_limits<std::uint32_t>::max()) {
            closeRow();
        }
        if (row.events() == 0) {
            beginRow(event.time);
        }
        row.addEvent(event, static_cast<std::uint32_t>(event.time - lastTime));
        lastTime = event.time;
        for (; begins && nextBlock <= event.block; ++nextBlock, ++used) {
            row.addBlock(waiting[used]);
        }
        if (begins) {
            live[event.block] = {event.block, waiting[used - 1], event.category, event.layer};
        }
        follow(event);
        ++events;
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(used));
    if (!chunk.note.empty()) {
        note = chunk.note;
    }
    dirty = dirty || !chunk.empty();
}

void TraceWriter::Impl::follow(const TraceEvent& event) {
    const auto found = live.find(event.block);
    if (found == live.end()) {
        throw Nonsense{"is of a block that does not live"};
    }
    const base::Bytes bytes = found->second.block.bytes;
    if (event.kind != TraceEvent::Kind::Allocate) {
        ledger[found->second.category] -= bytes;
        total -= bytes;
    }
    if (event.kind == TraceEvent::Kind::Free) {
        live.erase(found);
    } else {
        found->second.category = event.category;
        ledger[event.category] += bytes;
        total += bytes;
    }
    rowHighest = std::max(rowHighest, total);
    if (total > peak) {
        peak = total;
        peakEvent = events;
    }
}

void TraceWriter::Impl::beginRow(std::int64_t time) {
    std::vector<LiveBlock> alive;
    alive.reserve(live.size());
    for (const auto& [number, block] : live) {
        alive.push_back(block);
    }
    std::sort(alive.begin(), alive.end(),
              [](const LiveBlock& a, const LiveBlock& b) { return a.number < b.number; });
    rowLive = encodeLive(alive);
    rowBefore = ledger;
    rowHighest = total;
    rowFirst = events;
    rowTime = lastTime = time;
    rowFirstBlock = nextBlock;
}

void TraceWriter::Impl::writeRow() {
    int c = 1;
    for (const std::int64_t number :
         {rowFirst, static_cast<std::int64_t>(row.events()), rowTime, std::int64_t{rowFirstBlock},
          static_cast<std::int64_t>(row.labels.size() / 4)}) {
        insertRow.bind(c++, number);
    }
    for (const base::Bytes bytes : rowBefore.bytes) {
        insertRow.bind(c++, bytes);
    }
    insertRow.bind(c++, rowHighest);
    for (const std::string* column : {&rowLive, &row.times, &row.blocks, &row.layers, &row.what, &row.bytes,
                                      &row.reserved, &row.labels}) {
        insertRow.bindNoCopy(c++, column->data(), static_cast<int>(column->size()));
    }
    insertRow.exec();
    insertRow.reset();
}

void TraceWriter::Impl::closeRow() {
    if (row.events() == 0) {
        return;
    }
    flush(false);
    row.clear();
}

void TraceWriter::Impl::flush(bool complete) {
    SQLite::Transaction transaction(database);
    if (row.events() > 0) {
        writeRow();
    }
    for (const std::string& label : newLabels) {
        insertLabel.bind(1, labels++);
        insertLabel.bind(2, label);
        insertLabel.exec();
        insertLabel.reset();
    }
    for (const memory::TraceStep& step : newSteps) {
        if (steps >= static_cast<std::int64_t>(kMostTraceSteps)) {
            break;
        }
        insertStep.bind(1, steps++);
        insertStep.bind(2, step.index);
        insertStep.bind(3, static_cast<std::int64_t>(step.event));
        insertStep.exec();
        insertStep.reset();
    }
    updateMeta.bind(1, complete ? 1 : 0);
    updateMeta.bind(2, peak);
    updateMeta.bind(3, peakEvent);
    updateMeta.bind(4, note);
    updateMeta.exec();
    updateMeta.reset();
    transaction.commit();
    newLabels.clear();
    newSteps.clear();
    dirty = false;
    flushed = Clock::now();
}

base::Result<TraceWriter> TraceWriter::create(const std::filesystem::path& runFolder,
                                              const std::vector<std::string>& layers) {
    const auto path = traceFile(runFolder);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
        return Error{fmt::format("{} exists: this run has a trace already", path.string())};
    }
    try {
        return TraceWriter(std::make_unique<Impl>(path, layers));
    } catch (const SQLite::Exception& error) {
        return Error{fmt::format("{}: {}", path.string(), error.what())};
    }
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

template <class Work>
base::Status TraceWriter::Impl::attempt(Work work) {
    if (failed) {
        return Error{fmt::format("{}: an earlier part could not be written", path.string())};
    }
    failed = true;
    try {
        work();
    } catch (const Nonsense& nonsense) {
        return Error{fmt::format("{}: event {} {}", path.string(), events, nonsense.what)};
    } catch (const std::exception& error) {
        return Error{fmt::format("{}: {}", path.string(), error.what())};
    }
    failed = false;
    return {};
}

base::Status TraceWriter::append(const TraceChunk& chunk) {
    return impl_->attempt([&] {
        impl_->take(chunk);
        if (impl_->dirty && Impl::Clock::now() - impl_->flushed >= kFlushPeriod) {
            impl_->flush(false);
        }
    });
}

base::Status TraceWriter::finish() {
    return impl_->attempt([&] { impl_->flush(impl_->note.empty()); });
}

}  // namespace highwater::runs
