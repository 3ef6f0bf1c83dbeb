#include "core/runs/trace_file.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>
#include <new>

#include "core/base/text.h"

namespace highwater::runs {

namespace {

constexpr std::int64_t kMostEvents = std::int64_t{1} << 40;
constexpr std::int64_t kMostBlocks = std::numeric_limits<std::uint32_t>::max();
constexpr base::Bytes kMostBytes = base::Bytes{1} << 62;
constexpr const char* kFacts =
    "first, count, time, first_block, block_count, input, parameters, optimizer_state, gradients, "
    "activations, "
    "workspace, temporaries, highest";
constexpr const char* kColumns =
    "live, times, blocks, layers, what, block_bytes, block_reserved, block_labels";

std::int64_t integer(SQLite::Statement& query, int column, std::int64_t low, std::int64_t high) {
    const SQLite::Column value = query.getColumn(column);
    if (!value.isInteger() || value.getInt64() < low || value.getInt64() > high) {
        throw TraceDamage{
            fmt::format("has a \"{}\" that is not a whole number from {} to {}", value.getName(), low, high)};
    }
    return value.getInt64();
}

}  // namespace

OpenTrace::OpenTrace(const std::filesystem::path& file)
    // Not read-only: SQLite first rolls back what a killed engine left incomplete, if that is allowed.
    : database_(file, SQLite::OPEN_READWRITE), left_(database_.fileBytes()) {
    database_.expectTables(kTraceTables, "trace");
}

OpenTrace::~OpenTrace() = default;

void OpenTrace::spend(std::int64_t bytes) {
    left_ -= bytes;
    if (left_ < 0) {
        throw TraceDamage{"uses the same bytes more than once"};
    }
}

OpenTrace::Meta OpenTrace::meta() {
    SQLite::Statement query(*database_, "SELECT schema, complete, peak_bytes, peak_event, note FROM meta");
    if (!query.executeStep()) {
        throw TraceDamage{"has no row in \"meta\""};
    }
    if (integer(query, 0, 1, std::numeric_limits<int>::max()) != kTraceSchema) {
        throw TraceDamage{
            fmt::format("was written by a newer version; this one reads schema {}", kTraceSchema)};
    }
    Meta meta;
    meta.complete = integer(query, 1, 0, 1) != 0;
    meta.peak = integer(query, 2, 0, kMostBytes);
    meta.peakEvent = integer(query, 3, -1, kMostEvents);
    meta.note = base::oneLine(blob(query, 4));
    if (query.executeStep()) {
        throw TraceDamage{"has more than one row in \"meta\""};
    }
    return meta;
}

std::vector<std::string> OpenTrace::names(const char* table) {
    SQLite::Statement query(*database_, fmt::format("SELECT number, name FROM {} ORDER BY number", table));
    std::vector<std::string> names;
    while (query.executeStep()) {
        const auto next = static_cast<std::int64_t>(names.size());
        if (names.size() >= kMostTraceNames || integer(query, 0, 0, kMostEvents) != next) {
            throw TraceDamage{
                fmt::format("has {} that are not numbered from 0 to at most {}", table, kMostTraceNames - 1)};
        }
        names.push_back(base::oneLine(blob(query, 1), 4096));
    }
    return names;
}

std::vector<memory::TraceStep> OpenTrace::steps() {
    SQLite::Statement query(*database_, "SELECT number, step, event FROM steps ORDER BY number");
    std::vector<memory::TraceStep> steps;
    while (query.executeStep()) {
        const auto next = static_cast<std::int64_t>(steps.size());
        if (steps.size() >= kMostTraceSteps || integer(query, 0, 0, kMostEvents) != next) {
            throw TraceDamage{
                fmt::format("has steps that are not numbered from 0 to at most {}", kMostTraceSteps - 1)};
        }
        const memory::TraceStep step{static_cast<std::size_t>(integer(query, 2, 0, kMostEvents)),
                                     static_cast<int>(integer(query, 1, 0, std::numeric_limits<int>::max()))};
        if (!steps.empty() && (step.event < steps.back().event || step.index <= steps.back().index)) {
            throw TraceDamage{
                fmt::format("has a step {} that does not follow step {}", step.index, steps.back().index)};
        }
        steps.push_back(step);
    }
    return steps;
}

/// `expected`: the number of the row's first event, or -1.
OpenTrace::Row OpenTrace::rowOf(SQLite::Statement& query, std::int64_t expected) const {
    Row row;
    int c = 0;
    row.row.first = integer(query, c++, 0, kMostEvents);
    if (expected >= 0 && row.row.first != expected) {
        throw TraceDamage{
            fmt::format("has a gap: after event {} comes event {}", expected - 1, row.row.first)};
    }
    row.row.count = integer(query, c++, 1, kRowEvents);
    row.row.time = integer(query, c++, 0, std::numeric_limits<std::int64_t>::max() / 2);
    row.firstBlock = integer(query, c++, 0, kMostBlocks);
    row.blockCount = integer(query, c++, 0, kMostBlocks - row.firstBlock);
    for (base::Bytes& bytes : row.row.before.bytes) {
        bytes = integer(query, c++, 0, kMostBytes / memory::kCategoryCount);
    }
    row.row.highest = integer(query, c++, row.row.before.total(), kMostBytes);
    return row;
}

std::vector<TraceRow> OpenTrace::rows(std::int64_t& blocks) {
    SQLite::Statement query(*database_, fmt::format("SELECT {} FROM events ORDER BY first", kFacts));
    std::vector<TraceRow> rows;
    std::int64_t next = 0;
    blocks = 0;
    while (query.executeStep()) {
        const Row row = rowOf(query, next);
        spend(16);  // the minimum size of a row
        next += row.row.count;
        blocks = row.firstBlock + row.blockCount;
        rows.push_back(row.row);
    }
    return rows;
}

std::string_view OpenTrace::blob(SQLite::Statement& query, int column) {
    const SQLite::Column value = query.getColumn(column);
    const auto* const data = static_cast<const char*>(value.getBlob());
    spend(value.getBytes());
    return {data, static_cast<std::size_t>(value.getBytes())};
}

void OpenTrace::readRows(std::int64_t event, const std::function<bool(const Row&)>& each) {
    SQLite::Statement query(
        *database_, fmt::format("SELECT {}, {} FROM events WHERE first >= "
                                "ifnull((SELECT max(first) FROM events WHERE first <= ?), 0) ORDER BY first",
                                kFacts, kColumns));
    query.bind(1, event);
    std::int64_t next = -1;
    while (query.executeStep()) {
        Row row = rowOf(query, next);
        next = row.row.first + row.row.count;
        int c = 13;
        row.live = blob(query, c++);
        EventViews& columns = row.columns;
        for (std::string_view* column : {&columns.times, &columns.blocks, &columns.layers, &columns.what,
                                         &columns.bytes, &columns.reserved, &columns.labels}) {
            *column = blob(query, c++);
        }
        if (const char* wrong = columns.wrongSize(static_cast<std::size_t>(row.row.count),
                                                  static_cast<std::size_t>(row.blockCount))) {
            throw TraceDamage{
                fmt::format("has a column \"{}\" of another size than {} events and {} blocks need, "
                            "from event {} on",
                            wrong, row.row.count, row.blockCount, row.row.first)};
        }
        if (!each(row)) {
            return;
        }
    }
}

base::Status traceExists(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
        return {};
    }
    return base::Error{
        fmt::format("{}: there is no trace; the run was made with --no-trace, or by a version "
                    "that recorded none",
                    file.string())};
}

base::Error traceError(const std::filesystem::path& file) {
    try {
        throw;
    } catch (const TraceDamage& damage) {
        return {base::oneLine(fmt::format("{} {}", file.string(), damage.what))};
    } catch (const SQLite::Exception& error) {
        if (error.getErrorCode() == SQLITE_INTERRUPT) {  // set by CheckedDatabase's limit
            return {base::oneLine(fmt::format("{} uses the same bytes more than once", file.string()))};
        }
        return {base::oneLine(fmt::format("{}: {}", file.string(), error.what()))};
    } catch (const std::bad_alloc&) {
        return {base::oneLine(fmt::format("{}: too large for this machine's memory", file.string()))};
    }
}

}  // namespace highwater::runs
