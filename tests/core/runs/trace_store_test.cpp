#include "core/runs/trace_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/memory/trace_record.h"
#include "core/memory/trace_replay.h"
#include "tests/core/capture/random_trace.h"
#include "tests/core/runs/trace_chunks.h"
#include "tests/core/temporary_folder.h"

namespace highwater::runs {
namespace {

using highwater::test::RandomTraceOptions;
using memory::Trace;
using memory::TraceEvent;
using ::testing::HasSubstr;

Trace someTrace(std::uint64_t seed, RandomTraceOptions options = {}) {
    Trace trace = highwater::test::randomTrace(seed, options);
    trace.labels.back() = "größe";  // the label becomes one line when read
    return trace;
}

void write(const std::filesystem::path& folder, const Trace& trace, std::size_t chunk = 100,
           bool finish = true) {
    auto writer = TraceWriter::create(folder, trace.layers);
    ASSERT_TRUE(writer) << writer.error().message;
    for (const TraceChunk& each : highwater::test::inChunks(trace, chunk)) {
        const auto status = writer->append(each);
        ASSERT_TRUE(status) << status.error().message;
    }
    if (finish) {
        ASSERT_TRUE(writer->finish());
    }
}

void expectEqual(const Trace& read, const Trace& written) {
    EXPECT_EQ(read.layers, written.layers);
    EXPECT_EQ(read.labels, written.labels);
    EXPECT_EQ(read.blocks, written.blocks);
    EXPECT_EQ(read.alive, written.alive);
    EXPECT_EQ(read.events, written.events);
    EXPECT_EQ(read.steps, written.steps);
    EXPECT_EQ(read.allEvents, static_cast<std::int64_t>(written.events.size()));
    EXPECT_EQ(read.firstEvent, 0);
}

/// The blocks alive before event `first`, by their properties, whatever their numbers.
struct Alive {
    memory::TraceBlock block;
    memory::Category category;
    std::int16_t layer;
    bool operator==(const Alive&) const = default;
};
std::vector<Alive> aliveAt(const Trace& trace, std::size_t first) {
    memory::TraceReplay replay;
    replay.grow(trace.blocks.size());
    std::vector<std::int16_t> layers(trace.blocks.size(), -1);
    for (const memory::TraceAlive& each : trace.alive) {
        EXPECT_EQ(replay.begin(each, trace.blocks[each.block].bytes), nullptr);
        layers[each.block] = each.layer;
    }
    for (std::size_t i = 0; i < first; ++i) {
        EXPECT_EQ(replay.apply(trace.events[i], trace.blocks[trace.events[i].block].bytes), nullptr);
        if (trace.events[i].kind == TraceEvent::Kind::Allocate) {
            layers[trace.events[i].block] = trace.events[i].layer;
        }
    }
    std::vector<Alive> alive;
    for (std::uint32_t i = 0; i < trace.blocks.size(); ++i) {
        if (replay.lives(i)) {
            alive.push_back({trace.blocks[i], replay.category(i), layers[i]});
        }
    }
    return alive;
}

/// `part` is events [first, first + part's) of `whole`, whatever its blocks' numbers.
void expectPart(const Trace& part, const Trace& whole, std::size_t first) {
    ASSERT_TRUE(memory::check(part)) << memory::check(part).error().message;
    EXPECT_EQ(part.firstEvent, static_cast<std::int64_t>(first));
    EXPECT_EQ(part.allEvents, static_cast<std::int64_t>(whole.events.size()));
    std::vector<Alive> alive;
    for (const memory::TraceAlive& each : part.alive) {
        alive.push_back({part.blocks[each.block], each.category, each.layer});
    }
    EXPECT_EQ(alive, aliveAt(whole, first));
    ASSERT_LE(first + part.events.size(), whole.events.size());
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < part.events.size(); ++i) {
        TraceEvent event = part.events[i];
        const TraceEvent& original = whole.events[first + i];
        EXPECT_EQ(numbers.emplace(original.block, event.block).first->second, event.block);
        EXPECT_EQ(part.blocks[event.block], whole.blocks[original.block]);
        event.block = original.block;
        ASSERT_EQ(event, original) << i;
    }
    for (const memory::TraceStep& step : part.steps) {
        EXPECT_EQ(std::count(whole.steps.begin(), whole.steps.end(),
                             memory::TraceStep{step.event + first, step.index}),
                  1);
    }
    const auto within = std::count_if(
        whole.steps.begin(), whole.steps.end(),
        [&](const memory::TraceStep& s) { return s.event >= first && s.event < first + part.events.size(); });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(part.steps.size()), within);
}

TEST(TraceStore, GivesBackWhatWasWritten) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const highwater::test::TemporaryFolder folder;
        const Trace written =
            someTrace(seed, {.events = 100 * seed, .alive = static_cast<int>(seed % 5 * 8)});
        if (written.events.empty()) {
            continue;
        }
        write(folder.path(), written, 1 + seed * 7);
        const auto read = readTrace(folder.path());
        ASSERT_TRUE(read) << read.error().message;
        expectEqual(*read, written);
        const auto info = inspectTrace(folder.path());
        ASSERT_TRUE(info) << info.error().message;
        const memory::TracePeak peak = findPeak(written);
        EXPECT_EQ(info->peak, peak.ledger.total());
        EXPECT_EQ(info->peakEvent, peak.event);
        EXPECT_EQ(info->events, static_cast<std::int64_t>(written.events.size()));
        EXPECT_EQ(info->blocks, static_cast<std::int64_t>(written.blocks.size()));
        EXPECT_EQ(info->steps, written.steps);
        EXPECT_TRUE(info->complete);
        EXPECT_EQ(info->rows.front().before, written.before());
    }
}

TEST(TraceStore, OpensAnyRangeAlone) {
    const highwater::test::TemporaryFolder folder;
    const Trace written = someTrace(5, {.events = 200'000, .steps = 40, .alive = 30});
    write(folder.path(), written, 20'000);
    const auto info = inspectTrace(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    ASSERT_EQ(info->rows.size(), 4U);
    EXPECT_EQ(info->rows[1].first, 65536);
    for (const auto& [first, count] : std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 100},
                                                                                         {65535, 2},
                                                                                         {65536, 65536},
                                                                                         {70'000, 1},
                                                                                         {199'999, 5},
                                                                                         {200'000, 5},
                                                                                         {150'000, 0},
                                                                                         {300'000, 10},
                                                                                         {60'000, 100'000},
                                                                                         {-5, 10}}) {
        SCOPED_TRACE(first);
        const auto part = readTrace(folder.path(), TraceRange{first, count});
        ASSERT_TRUE(part) << part.error().message;
        const std::int64_t begins = std::clamp<std::int64_t>(first, 0, 200'000);
        EXPECT_EQ(static_cast<std::int64_t>(part->events.size()),
                  std::min<std::int64_t>(count, 200'000 - begins));
        expectPart(*part, written, static_cast<std::size_t>(begins));
    }
}

TEST(TraceStore, RowsTellTheOutline) {
    const highwater::test::TemporaryFolder folder;
    const Trace written = someTrace(6, {.events = 150'000});
    write(folder.path(), written, 5000);
    const auto info = inspectTrace(folder.path());
    ASSERT_TRUE(info);
    base::Bytes highest = 0;
    std::int64_t next = 0;
    for (const TraceRow& row : info->rows) {
        EXPECT_EQ(row.first, next);
        EXPECT_EQ(row.time, written.events[static_cast<std::size_t>(next)].time);
        memory::Ledger before;
        for (const Alive& each : aliveAt(written, static_cast<std::size_t>(row.first))) {
            before[each.category] += each.block.bytes;
        }
        EXPECT_EQ(row.before, before);
        highest = std::max(highest, row.highest);
        next += row.count;
    }
    EXPECT_EQ(next, info->events);
    EXPECT_EQ(highest, info->peak);
}

TEST(TraceStore, LongSilencesAndUndoneBlocksAreNoProblem) {
    const highwater::test::TemporaryFolder folder;
    Trace written = someTrace(9, {.events = 300});
    std::int64_t late = 0;
    for (std::size_t i = 0; i < written.events.size(); ++i) {
        written.events[i].time += late += i % 50 == 0 ? std::int64_t{5'000'000'000} : 0;
    }
    // Blocks without events, whose memory would not be available.
    for (TraceEvent& event : written.events) {
        if (event.block >= written.alive.size()) {
            event.block = event.block * 2 + 3;
        }
    }
    std::vector<memory::TraceBlock> blocks(
        written.blocks.begin(), written.blocks.begin() + static_cast<std::ptrdiff_t>(written.alive.size()));
    blocks.resize(2 * written.blocks.size() + 3, {77, 77, -1});
    for (std::size_t i = written.alive.size(); i < written.blocks.size(); ++i) {
        blocks[2 * i + 3] = written.blocks[i];
    }
    written.blocks = blocks;
    ASSERT_TRUE(memory::check(written)) << memory::check(written).error().message;
    write(folder.path(), written);
    const auto read = readTrace(folder.path());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->events, written.events);
    EXPECT_GT(inspectTrace(folder.path())->rows.size(), 4U);
}

TEST(TraceStore, AKilledEngineLeavesWhatItWrote) {
    const highwater::test::TemporaryFolder folder;
    const Trace written = someTrace(3, {.events = 100'000});
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
        auto writer = TraceWriter::create(folder.path(), written.layers);
        for (const TraceChunk& chunk : highwater::test::inChunks(written, 1000)) {
            if (!writer || !writer->append(chunk)) {
                ::_exit(1);
            }
        }
        ::kill(::getpid(), SIGKILL);
        ::pause();
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto info = inspectTrace(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_FALSE(info->complete);
    EXPECT_GE(info->events, 65536) << "a full row is on disk";
    const auto read = readTrace(folder.path());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(memory::check(*read));
    EXPECT_TRUE(std::equal(read->events.begin(), read->events.end(), written.events.begin()));
}

TEST(TraceStore, ALittleLaterIsOnDiskWithoutAFullRow) {
    const highwater::test::TemporaryFolder folder;
    const Trace written = someTrace(3, {.events = 500});
    auto writer = TraceWriter::create(folder.path(), written.layers);
    ASSERT_TRUE(writer);
    const auto chunks = highwater::test::inChunks(written, 50);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        ASSERT_TRUE(writer->append(chunks[i]));
        if (i % 5 == 4) {
            ::usleep(1'010'000 / static_cast<useconds_t>(chunks.size() / 5));
        }
    }
    ::usleep(1'010'000);
    ASSERT_TRUE(writer->append({}));
    const auto half = readTrace(folder.path());  // while it is being written
    ASSERT_TRUE(half) << half.error().message;
    expectEqual(*half, written);
    EXPECT_FALSE(inspectTrace(folder.path())->complete);
    ASSERT_TRUE(writer->finish());
    EXPECT_TRUE(inspectTrace(folder.path())->complete);
}

TEST(TraceStore, ANoteSaysWhyItIsNotComplete) {
    const highwater::test::TemporaryFolder folder;
    auto writer = TraceWriter::create(folder.path(), {"conv"});
    ASSERT_TRUE(writer);
    TraceChunk chunk;
    chunk.note = "the trace holds the steps up to 3";
    ASSERT_TRUE(writer->append(chunk));
    ASSERT_TRUE(writer->finish());
    const auto info = inspectTrace(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_FALSE(info->complete);
    EXPECT_EQ(info->note, chunk.note);
    EXPECT_EQ(info->events, 0);
    EXPECT_TRUE(readTrace(folder.path()));
}

TEST(TraceStore, RefusesWhatContradictsItself) {
    const highwater::test::TemporaryFolder folder;
    auto writer = TraceWriter::create(folder.path(), {});
    ASSERT_TRUE(writer);
    TraceChunk chunk;
    chunk.events.push_back({0, 4, -1, TraceEvent::Kind::Free, memory::Category::Temporaries, {}});
    EXPECT_THAT(writer->append(chunk).error().message, HasSubstr("event 0 is of a block that does not live"));
    EXPECT_FALSE(writer->append({}));
    EXPECT_FALSE(writer->finish());
    EXPECT_THAT(TraceWriter::create(folder.path(), {}).error().message, HasSubstr("has a trace already"));
}

TEST(TraceStore, SaysWhenThereIsNoneAndStopsWhenAsked) {
    const highwater::test::TemporaryFolder folder;
    EXPECT_THAT(readTrace(folder.path()).error().message, HasSubstr("there is no trace"));
    EXPECT_THAT(inspectTrace(folder.path()).error().message, HasSubstr("--no-trace"));
    write(folder.path(), someTrace(1, {.events = 150'000}), 50'000);
    std::vector<double> told;
    const auto stopped = readTrace(folder.path(), {}, [&](double done) {
        told.push_back(done);
        return told.size() < 2;
    });
    EXPECT_THAT(stopped.error().message, HasSubstr("cancelled"));
    EXPECT_EQ(told.size(), 2U);
    EXPECT_GT(told[1], told[0]);
}

TEST(TraceStore, DamageIsOneLineAboutWhatWasExpected) {
    const struct {
        const char* sql;
        const char* says;
    } cases[] = {
        {"UPDATE meta SET schema = 2", "was written by a newer version; this one reads schema 1"},
        {"UPDATE meta SET peak_event = 1000000", "has its peak at event 1000000"},
        {"DELETE FROM meta", "has no row in \"meta\""},
        {"INSERT INTO meta SELECT * FROM meta", "more than one row in \"meta\""},
        {"CREATE VIEW zoo AS SELECT 1", "has tables that no trace has"},
        {"DROP TABLE steps", "has no table \"steps\""},
        {"DELETE FROM layers WHERE number = 2", "has layers that are not numbered"},
        {"UPDATE steps SET event = 99999", "step"},
        {"UPDATE events SET count = count + 1", "column \"times\" of another size"},
        {"UPDATE events SET count = 65537", "\"count\" that is not a whole number from 1 to 65536"},
        {"UPDATE events SET first = 7", "has a gap"},
        {"UPDATE events SET first_block = 1", "live block"},
        {"UPDATE events SET temporaries = temporaries + 1", "ledger is another"},
        {"UPDATE events SET temporaries = -1", "\"temporaries\" that is not a whole number"},
        {"UPDATE events SET block_count = 'many'", "\"block_count\" that is not a whole number"},
        {"UPDATE events SET live = substr(live, 2)", "damaged list of live blocks"},
        {"UPDATE events SET what = zeroblob(length(what))", "is damaged: event"},
        {"UPDATE events SET layers = replace(hex(layers), '00', '7F')", "column \"layers\" of another size"},
        {"UPDATE events SET blocks = zeroblob(length(blocks))", "is damaged: event"},
        {"UPDATE events SET block_bytes = randomblob(length(block_bytes))", "is damaged: event"},
        {"DELETE FROM labels", "a label that does not exist"},
        {"PRAGMA journal_mode = WAL", "write-ahead log"},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.sql);
        const highwater::test::TemporaryFolder folder;
        write(folder.path(), someTrace(11));
        {
            SQLite::Database database(traceFile(folder.path()).string(), SQLite::OPEN_READWRITE);
            SQLite::Statement(database, each.sql).executeStep();
        }
        const auto read = readTrace(folder.path());
        ASSERT_FALSE(read);
        EXPECT_THAT(read.error().message, HasSubstr(each.says));
        EXPECT_THAT(read.error().message, HasSubstr("trace.db"));
    }
}

/// The trace as written by an engine on a host.
std::string asChunks(const Trace& trace) {
    std::string text = memory::encodeLayers(trace.layers);
    for (TraceChunk chunk : highwater::test::inChunks(trace, 100)) {
        chunk.last = chunk.events.empty();
        text += memory::encodeChunk(chunk);
    }
    return text;
}

void arrive(const std::filesystem::path& folder, const std::string& content) {
    std::ofstream(folder / memory::kTraceChunks, std::ios::binary) << content;
    std::ofstream(folder / memory::kTraceChunksPart) << "what came before the connection broke";
}

TEST(TraceStore, TakesWhatCameFromAHost) {
    for (const std::uint64_t seed : {21U, 22U, 23U}) {
        const highwater::test::TemporaryFolder folder;
        const Trace trace = someTrace(seed);
        arrive(folder.path(), asChunks(trace));
        std::ofstream(traceFile(folder.path())) << "an import that was ended from outside";
        const auto imported = importTrace(folder.path());
        ASSERT_TRUE(imported) << imported.error().message;
        const auto read = readTrace(folder.path());
        ASSERT_TRUE(read) << read.error().message;
        expectEqual(*read, trace);
        EXPECT_TRUE(inspectTrace(folder.path())->complete);
        EXPECT_FALSE(std::filesystem::exists(folder.path() / memory::kTraceChunks));
        EXPECT_FALSE(std::filesystem::exists(folder.path() / memory::kTraceChunksPart));
        ASSERT_TRUE(importTrace(folder.path()));  // there is nothing left to import
        expectEqual(*readTrace(folder.path()), trace);
    }
}

/// Its engine died, or the data is not a trace: keeps the valid part, and says why there is no more.
TEST(TraceStore, SaysWhyATraceFromAHostEnds) {
    const highwater::test::TemporaryFolder folder;
    const Trace trace = someTrace(24);
    const std::string whole = asChunks(trace);
    arrive(folder.path(), whole.substr(0, whole.size() / 2));
    ASSERT_TRUE(importTrace(folder.path()));
    auto info = inspectTrace(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_FALSE(info->complete);
    EXPECT_EQ(info->note, "the engine ended before its trace did");
    EXPECT_GT(info->events, 0);
    const auto read = readTrace(folder.path());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(std::equal(read->events.begin(), read->events.end(), trace.events.begin()));
    arrive(folder.path(), "not a trace at all");
    ASSERT_TRUE(importTrace(folder.path()));
    info = inspectTrace(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->events, 0);
    EXPECT_EQ(info->note, "trace.chunks is damaged");
}

TEST(TraceStore, OtherFilesAreNoTraces) {
    const highwater::test::TemporaryFolder folder;
    std::ofstream(traceFile(folder.path())) << "not a database at all";
    EXPECT_THAT(readTrace(folder.path()).error().message, HasSubstr("is not an SQLite database"));
    std::filesystem::remove(traceFile(folder.path()));
    std::filesystem::create_directory(traceFile(folder.path()));
    EXPECT_THAT(readTrace(folder.path()).error().message, HasSubstr("is not a regular file"));
}

}  // namespace
}  // namespace highwater::runs
