#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/base/file.h"
#include "core/memory/trace_record.h"
#include "core/runs/trace_store.h"
#include "tests/core/capture/random_trace.h"
#include "tests/core/runs/trace_chunks.h"
#include "tests/core/temporary_folder.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::runs {
namespace {

std::string traceBytes(std::uint64_t seed) {
    const highwater::test::TemporaryFolder folder;
    memory::Trace trace = highwater::test::randomTrace(seed, {.events = 200 + 300 * (seed % 4)});
    auto writer = TraceWriter::create(folder.path(), trace.layers);
    EXPECT_TRUE(writer);
    for (const TraceChunk& chunk : highwater::test::inChunks(trace, 100)) {
        EXPECT_TRUE(writer->append(chunk));
    }
    EXPECT_TRUE(writer->finish());
    return *base::readFile(traceFile(folder.path()));
}

void put(const std::filesystem::path& folder, const std::string& bytes) {
    std::filesystem::remove(folder / "trace.db-journal");
    std::ofstream(traceFile(folder), std::ios::binary | std::ios::trunc) << bytes;
}

/// Expects a valid trace or one line, and the same for a range. Returns true if it is a trace.
bool readsWell(const std::filesystem::path& folder, std::int64_t first) {
    const auto whole = readTrace(folder);
    const auto part = readTrace(folder, TraceRange{first, 50});
    for (const auto* read : {&whole, &part}) {
        if (read->ok()) {
            EXPECT_TRUE(memory::check(**read)) << memory::check(**read).error().message;
            continue;
        }
        const std::string& message = read->error().message;
        EXPECT_LT(message.size(), 600U);
        EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << message;
    }
    return whole.ok();
}

TEST(TraceFuzz, DamagedFilesGiveATraceThatMakesSenseOrOneLine) {
    const highwater::test::TemporaryFolder folder;
    const std::string seeds[] = {traceBytes(0), traceBytes(1), traceBytes(2), traceBytes(3)};
    std::uint64_t refused = 0;
    for (std::uint64_t round = 0; round < fuzz::rounds(400); ++round) {
        put(folder.path(), fuzz::mutate(seeds[round % 4], round));
        refused += !readsWell(folder.path(), static_cast<std::int64_t>(round % 500));
    }
    EXPECT_GT(refused, fuzz::rounds(400) / 10);
}

/// Data from a host.
TEST(TraceFuzz, DamagedChunksGiveATraceThatMakesSenseOrNone) {
    std::string seeds[2];
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        const memory::Trace trace = highwater::test::randomTrace(seed, {.events = 300});
        seeds[seed] = memory::encodeLayers(trace.layers);
        for (const TraceChunk& chunk : highwater::test::inChunks(trace, 100)) {
            seeds[seed] += memory::encodeChunk(chunk);
        }
    }
    std::uint64_t imported = 0;
    for (std::uint64_t round = 0; round < fuzz::rounds(200); ++round) {
        const highwater::test::TemporaryFolder folder;
        std::ofstream(folder.path() / memory::kTraceChunks, std::ios::binary)
            << fuzz::mutate(seeds[round % 2], round);
        imported += importTrace(folder.path()).ok() && readsWell(folder.path(), 0);
    }
    EXPECT_GT(imported, fuzz::rounds(200) / 10);
}

/// Whole databases with damaged values, which pass SQLite's own checks.
TEST(TraceFuzz, DamagedColumnsGiveATraceThatMakesSenseOrOneLine) {
    constexpr const char* kColumns[] = {"live", "times",       "blocks",         "layers",
                                        "what", "block_bytes", "block_reserved", "block_labels"};
    constexpr const char* kNumbers[] = {"first",       "count",      "time",        "first_block",
                                        "block_count", "parameters", "temporaries", "highest"};
    constexpr std::int64_t kValues[] = {0, 1, -1, 2, 65536, 4294967295, INT64_MAX, INT64_MIN};
    const highwater::test::TemporaryFolder folder;
    const std::string seeds[] = {traceBytes(4), traceBytes(5)};
    std::uint64_t read = 0;
    for (std::uint64_t round = 0; round < fuzz::rounds(400); ++round) {
        put(folder.path(), seeds[round % 2]);
        std::mt19937_64 random(round);
        {
            SQLite::Database database(traceFile(folder.path()).string(), SQLite::OPEN_READWRITE);
            if (round % 4 == 3) {
                const std::string column = kNumbers[random() % std::size(kNumbers)];
                SQLite::Statement update(database, "UPDATE events SET " + column + " = ?");
                update.bind(1, kValues[random() % std::size(kValues)]);
                update.exec();
            } else {
                const std::string column = kColumns[random() % std::size(kColumns)];
                std::string bytes = database.execAndGet("SELECT " + column + " FROM events").getString();
                // Flips keep the size, so that they reach the checks of the values.
                if (round % 2 == 0) {
                    bytes = fuzz::mutate(std::move(bytes), round);
                } else if (!bytes.empty()) {
                    bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
                }
                SQLite::Statement update(database, "UPDATE events SET " + column + " = ?");
                update.bind(1, bytes.data(), static_cast<int>(bytes.size()));
                update.exec();
            }
        }
        read += readsWell(folder.path(), static_cast<std::int64_t>(random() % 500));
    }
    EXPECT_GT(read, fuzz::rounds(400) / 50);
    EXPECT_LT(read, fuzz::rounds(400));
}

}  // namespace
}  // namespace highwater::runs
