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

/// Opens SQLite files in a store, which may be untrusted. Private to core/runs.
namespace highwater::runs {

/// The first bytes of every SQLite file.
inline constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);

/// Thrown if a file is invalid; `what` says what is wrong and follows the file's name.
struct DatabaseDamage {
    std::string what;
};

/// A table's name, and the statement that creates it.
struct TableText {
    const char* name;
    const char* sql;
};

/// Opens such a file so that it can neither hang its reader nor change another file. Before SQLite opens it:
/// the file and its rollback journal must be regular files and not links, there must be no write-ahead log
/// (which no file of a store ever has), and the journal must not name a super-journal, which SQLite would
/// delete. Afterwards, functions and virtual tables with side effects are off, and a statement ends with
/// SQLITE_INTERRUPT once it has done more work than a file of this size needs.
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
    /// Throws DatabaseDamage unless the file has exactly these tables, ordered by name: no view, no trigger,
    /// no virtual table.
    void expectTables(std::span<const TableText> tables, std::string_view kind) const;

private:
    std::int64_t fileBytes_ = 0;
    std::unique_ptr<std::int64_t> left_;  ///< remaining steps of SQLite's virtual machine, in thousands
    std::unique_ptr<SQLite::Database> database_;
};

/// Removes the file with its journals, as far as possible.
void removeDatabase(const std::filesystem::path& file);

}  // namespace highwater::runs
