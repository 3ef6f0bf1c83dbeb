#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runs/trace_rows.h"
#include "core/runs/trace_store.h"

namespace SQLite {
class Statement;
}

/// Reads trace.db as an untrusted file: everything in it is checked. Private to core/runs.
namespace highwater::runs {

/// Thrown while reading if the file is inconsistent; `what` says where, and what was expected.
using TraceDamage = DatabaseDamage;

class OpenTrace {
public:
    /// Throws TraceDamage or SQLite's exceptions.
    explicit OpenTrace(const std::filesystem::path& file);
    ~OpenTrace();

    std::int64_t fileBytes() const { return database_.fileBytes(); }

    struct Meta {
        bool complete = false;
        base::Bytes peak = 0;
        std::int64_t peakEvent = 0;
        std::string note;
    };
    Meta meta();
    std::vector<std::string> names(const char* table);
    std::vector<memory::TraceStep> steps();
    /// All rows without their columns. Sets `blocks` to the last block's number + 1.
    std::vector<TraceRow> rows(std::int64_t& blocks);

    /// One row with its columns; the views are valid until `each` returns.
    struct Row {
        TraceRow row;
        std::int64_t firstBlock = 0, blockCount = 0;
        std::string_view live;
        EventViews columns;
    };
    /// Reads the row that contains this event (or the last row) and all rows after it, until `each` returns
    /// false.
    void readRows(std::int64_t event, const std::function<bool(const Row&)>& each);

private:
    Row rowOf(SQLite::Statement& query, std::int64_t expected) const;
    /// Counts the bytes read. Throws TraceDamage if more is read than the file has, because parts of it are
    /// then used twice.
    void spend(std::int64_t bytes);
    std::string_view blob(SQLite::Statement& query, int column);

    CheckedDatabase database_;
    std::int64_t left_;  ///< remaining bytes that may be read
};

/// Error if the run has no trace.
base::Status traceExists(const std::filesystem::path& file);
/// One line for the exception that is being handled; call it in a catch block.
base::Error traceError(const std::filesystem::path& file);

}  // namespace highwater::runs
