#include "core/runs/checked_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "core/base/file.h"

namespace highwater::runs {

namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 5000;
constexpr int kMostValue = 256 << 20;        ///< maximum bytes of one blob or text
constexpr std::int64_t kStepsAtOnce = 1000;  ///< interval at which the remaining budget is checked
constexpr std::int64_t kLeastSteps = 10'000'000, kStepsPerByte = 4, kStepsPerRow = 2000;

bool isThere(const fs::path& file) {
    struct stat facts{};
    return ::lstat(file.c_str(), &facts) == 0;
}

/// Opens the file itself, not the target of a link. Error: it cannot be opened or is not a regular file.
base::Descriptor openFile(const fs::path& file, std::string_view what) {
    struct stat facts{};
    if (::lstat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
        throw DatabaseDamage{fmt::format("{} not a regular file", what)};
    }
    auto opened = base::openRegular(file, O_RDONLY | O_NOFOLLOW);
    return opened ? std::move(*opened) : base::Descriptor();
}

std::int64_t sizeOf(const base::Descriptor& file) {
    struct stat facts{};
    return ::fstat(file.get(), &facts) == 0 ? facts.st_size : 0;
}

/// The size of the file. An empty or unreadable one is left to SQLite.
std::int64_t checkFile(const fs::path& path) {
    const base::Descriptor file = openFile(path, "is");
    const std::int64_t size = sizeOf(file);
    if (size == 0) {
        return 0;
    }
    std::array<char, 20> head{};
    if (::pread(file.get(), head.data(), head.size(), 0) != static_cast<ssize_t>(head.size()) ||
        !std::string_view(head.data(), head.size()).starts_with(kDatabaseMagic)) {
        throw DatabaseDamage{"is not an SQLite database"};
    }
    if (head[18] != 1 || head[19] != 1) {
        throw DatabaseDamage{"is a database with a write-ahead log, which no file of a store has"};
    }
    return size;
}

/// A journal with this ending names a super-journal. SQLite, which also looks at the last 8 bytes, would roll
/// back and then delete the file of that name, wherever it is.
void checkJournal(const fs::path& path) {
    if (!isThere(path)) {
        return;
    }
    const base::Descriptor file = openFile(path, "has a rollback journal that is");
    std::array<char, 8> last{};
    constexpr std::string_view kMagic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    const std::int64_t size = sizeOf(file);
    if (size >= 16 && ::pread(file.get(), last.data(), last.size(), size - 8) == 8 &&
        std::string_view(last.data(), last.size()) == kMagic) {
        throw DatabaseDamage{"has a rollback journal that names another file"};
    }
}

int look(void* left) {
    auto& steps = *static_cast<std::int64_t*>(left);
    steps -= kStepsAtOnce;
    return steps < 0 ? 1 : 0;
}

fs::path beside(const fs::path& file, const char* end) {
    return file.string() + end;
}

}  // namespace

CheckedDatabase::CheckedDatabase(const fs::path& file, int flags) : left_(std::make_unique<std::int64_t>(0)) {
    if ((flags & SQLite::OPEN_CREATE) == 0 || isThere(file)) {
        fileBytes_ = checkFile(file);
    }
    checkJournal(beside(file, "-journal"));
    if (isThere(beside(file, "-wal")) || isThere(beside(file, "-shm"))) {
        throw DatabaseDamage{"has a write-ahead log, which no file of a store has"};
    }
    database_ = std::make_unique<SQLite::Database>(file.string(), flags, kBusyMs);
    sqlite3* const handle = database_->getHandle();
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostValue);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
    allowWork();
    sqlite3_progress_handler(handle, kStepsAtOnce, look, left_.get());
    database_->exec("PRAGMA cell_size_check = ON");
}

CheckedDatabase::~CheckedDatabase() = default;

void CheckedDatabase::allowWork(std::size_t rows) {
    *left_ = kLeastSteps + kStepsPerByte * fileBytes_ + kStepsPerRow * static_cast<std::int64_t>(rows);
}

void CheckedDatabase::expectTables(std::span<const TableText> tables, std::string_view kind) const {
    // The index of a primary key that is not a rowid has no SQL text: SQLite creates it with its table.
    SQLite::Statement query(*database_,
                            "SELECT name, sql FROM sqlite_master WHERE NOT (type = 'index' AND sql IS NULL) "
                            "ORDER BY name");
    for (const TableText& table : tables) {
        if (!query.executeStep() || query.getColumn(0).getString() != table.name ||
            query.getColumn(1).getString() != table.sql) {
            throw DatabaseDamage{
                fmt::format("has no table \"{}\" as this version's {} has it", table.name, kind)};
        }
    }
    if (query.executeStep()) {
        throw DatabaseDamage{fmt::format("has tables that no {} has", kind)};
    }
}

void removeDatabase(const fs::path& file) {
    std::error_code ignored;
    for (const char* const end : {"", "-journal", "-wal", "-shm"}) {
        fs::remove(beside(file, end), ignored);
    }
}

}  // namespace highwater::runs
