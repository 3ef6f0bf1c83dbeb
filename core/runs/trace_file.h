#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runs/trace_rows.h"
#include "core/runs/trace_store.h"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

/// trace.db as a file that anybody may have written: nothing in it is believed. Private to core/runs.
namespace highwater::runs {

/// Thrown while reading: the file contradicts itself, `what` says where and what was expected.
struct TraceDamage {
    std::string what;
};

class OpenTrace {
public:
    /// Throws TraceDamage, or what SQLite says.
    explicit OpenTrace(const std::filesystem::path& file);
    ~OpenTrace();

    std::int64_t fileBytes() const { return fileBytes_; }

    struct Meta {
        bool complete = false;
        base::Bytes peak = 0;
        std::int64_t peakEvent = 0;
        std::string note;
    };
    Meta meta();
    std::vector<std::string> names(const char* table);
    std::vector<memory::TraceStep> steps();
    /// All rows, without their columns. `blocks`: one past the last block's number.
    std::vector<TraceRow> rows(std::int64_t& blocks);

    /// One row with its columns; the views hold until `each` returns.
    struct Row {
        TraceRow row;
        std::int64_t firstBlock = 0, blockCount = 0;
        std::string_view live;
        EventViews columns;
    };
    /// The row that holds this event, or the last, and all after it, until `each` says false.
    void readRows(std::int64_t event, const std::function<bool(const Row&)>& each);

private:
    Row rowOf(SQLite::Statement& query, std::int64_t expected) const;
    /// What was read in all; more than the file has is a file whose parts are read twice.
    void spend(std::int64_t bytes);
    std::string_view blob(SQLite::Statement& query, int column);

    std::int64_t fileBytes_ = 0, left_ = 0;
    std::unique_ptr<SQLite::Database> database_;
};

/// The error where a run has no trace.
base::Status traceExists(const std::filesystem::path& file);
/// One line for what was thrown while reading the file; call it in a handler.
base::Error traceError(const std::filesystem::path& file);

}  // namespace highwater::runs
