#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace SQLite {
class Database;
}

/// SQLite files that anybody may have put into a store. Private to core/runs.
namespace highwater::runs {

/// How every SQLite file begins.
inline constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);

/// Thrown if a file is not what it must be; `what` says what is wrong, to follow the file's name.
struct DatabaseDamage {
    std::string what;
};

/// A table by its name, with the statement that makes it.
struct TableText {
    const char* name;
    const char* sql;
};

/// Opens such a file so that it can neither hold up its reader nor change another file. Before SQLite sees
/// it: the file and its rollback journal are regular files and no links, there is no write-ahead log (which
/// no file of a store ever has), and the journal names no super-journal, which SQLite would delete. Then:
/// functions and virtual tables that have effects are off, and a statement ends with SQLITE_INTERRUPT once it
/// has done more than a file of this size needs.
class CheckedDatabase {
public:
    /// `flags` are SQLite's. Throws DatabaseDamage or SQLite's exceptions.
    CheckedDatabase(const std::filesystem::path& file, int flags);
    ~CheckedDatabase();

    SQLite::Database& operator*() const { return *database_; }
    SQLite::Database* operator->() const { return database_.get(); }
    std::int64_t fileBytes() const { return fileBytes_; }

    /// Allows the next statements the work of reading the file once and of handling `rows` more rows.
    void allowWork(std::size_t rows = 0);
    /// Throws DatabaseDamage if the file has not these tables, ordered by name, and nothing else: no view, no
    /// trigger, no virtual table.
    void expectTables(std::span<const TableText> tables, std::string_view kind) const;

private:
    std::int64_t fileBytes_ = 0;
    std::unique_ptr<std::int64_t> left_;  ///< steps of SQLite's machine, in thousands
    std::unique_ptr<SQLite::Database> database_;
};

/// Removes the file with its journals. What cannot be removed stays.
void removeDatabase(const std::filesystem::path& file);

}  // namespace highwater::runs
