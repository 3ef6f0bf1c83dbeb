#include "core/runs/index.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/runs/run_numbers.h"

namespace highwater::runs {

namespace {

constexpr int kSchema = 4;
constexpr std::int64_t kMostIndex = std::int64_t{1} << 30;
constexpr std::int64_t kMostGrowth = 16 << 20;  ///< by other processes while it is read

constexpr TableText kTables[] = {
    {"highest", "CREATE TABLE highest (number INTEGER NOT NULL)"},
    {"runs",
     R"(CREATE TABLE runs (id TEXT PRIMARY KEY, stamp INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
  created TEXT NOT NULL, status TEXT NOT NULL, device TEXT NOT NULL, batch_size INTEGER NOT NULL,
  patch TEXT NOT NULL, peak_allocated INTEGER NOT NULL, step_median REAL, step_low REAL, step_high REAL,
  step_n INTEGER NOT NULL, message TEXT NOT NULL,
  note TEXT NOT NULL, tags TEXT NOT NULL, study_id TEXT NOT NULL, study_name TEXT NOT NULL,
  study_cell INTEGER NOT NULL, study_repeat INTEGER NOT NULL, study_place TEXT NOT NULL, loss REAL,
  host TEXT NOT NULL, torch TEXT NOT NULL))"}};
constexpr const TableText& kHighest = kTables[0];
constexpr const TableText& kRuns = kTables[1];

/// The version in a database's header; 0 if there is none.
int versionOf(const std::filesystem::path& file) {
    constexpr std::size_t kPlace = 60;
    std::array<char, kPlace + 4> head{};
    const auto opened = base::openRegular(file);
    if (!opened || ::read(opened->get(), head.data(), head.size()) != static_cast<ssize_t>(head.size()) ||
        !std::string_view(head.data(), head.size()).starts_with(kDatabaseMagic)) {
        return 0;
    }
    std::uint32_t version = 0;
    for (std::size_t i = kPlace; i < head.size(); ++i) {
        version = version << 8U | static_cast<unsigned char>(head[i]);
    }
    return static_cast<int>(version);
}

/// True if the file itself is the problem, so that a new one helps: it is not a database, is damaged, or has
/// other tables.
bool damaged(const SQLite::Exception& error) {
    switch (error.getErrorCode()) {
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
        case SQLITE_ERROR:  // the statements are fixed, so a table or a column is missing
        case SQLITE_RANGE:
        case SQLITE_INTERRUPT:  // CheckedDatabase: its pages lead in circles
            return true;
        default:  // locked, read-only, a full disk, no memory, ...
            return false;
    }
}

std::string patchText(const stack::Sizes& patch) {
    return nlohmann::json(patch).dump();
}

stack::Sizes patchFrom(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    stack::Sizes patch;
    if (json.is_array()) {
        for (const auto& size : json) {
            patch.push_back(size.is_number_integer() ? size.get<std::int64_t>() : 0);
        }
    }
    return patch;
}

std::vector<std::string> tagsFrom(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    std::vector<std::string> tags;
    if (json.is_array()) {
        for (const auto& tag : json) {
            tags.push_back(tag.is_string() ? tag.get<std::string>() : "");
        }
    }
    return tags;
}

IndexRow rowFrom(SQLite::Statement& query) {
    IndexRow row;
    RunSummary& run = row.summary;
    int c = 0;
    run.id = query.getColumn(c++).getString();
    row.stamp = query.getColumn(c++).getInt64();
    run.number = query.getColumn(c++).getInt();
    run.name = query.getColumn(c++).getString();
    run.created = query.getColumn(c++).getString();
    run.status = wire::statusFromKey(query.getColumn(c++).getString()).value_or(wire::RunStatus::Failed);
    run.device = query.getColumn(c++).getString();
    run.batchSize = query.getColumn(c++).getInt64();
    run.patch = patchFrom(query.getColumn(c++).getString());
    run.peakAllocated = query.getColumn(c++).getInt64();
    run.stepMs.median = query.getColumn(c++).getDouble();
    run.stepMs.low = query.getColumn(c++).getDouble();
    run.stepMs.high = query.getColumn(c++).getDouble();
    run.stepMs.n = query.getColumn(c++).getInt();
    run.message = query.getColumn(c++).getString();
    run.note = query.getColumn(c++).getString();
    run.tags = tagsFrom(query.getColumn(c++).getString());
    run.study.id = query.getColumn(c++).getString();
    run.study.name = query.getColumn(c++).getString();
    run.study.cell = query.getColumn(c++).getInt();
    run.study.repeat = query.getColumn(c++).getInt();
    run.study.place = query.getColumn(c++).getString();
    if (const auto loss = query.getColumn(c++); !loss.isNull()) {
        run.loss = loss.getDouble();
    }
    run.host = query.getColumn(c++).getString();
    run.torch = query.getColumn(c++).getString();
    return row;
}

std::int64_t textBytes(SQLite::Statement& query) {
    std::int64_t bytes = 0;
    for (int c = 0; c < query.getColumnCount(); ++c) {
        const SQLite::Column column = query.getColumn(c);
        bytes += column.isText() || column.isBlob() ? column.getBytes() : 0;
    }
    return bytes;
}

void bindRow(SQLite::Statement& insert, const RunSummary& run, std::int64_t stamp) {
    int c = 1;
    insert.bind(c++, run.id);
    insert.bind(c++, stamp);
    insert.bind(c++, run.number);
    insert.bind(c++, run.name);
    insert.bind(c++, run.created);
    insert.bind(c++, std::string(wire::statusKey(run.status)));
    insert.bind(c++, run.device);
    insert.bind(c++, run.batchSize);
    insert.bind(c++, patchText(run.patch));
    insert.bind(c++, run.peakAllocated);
    insert.bind(c++, run.stepMs.median);
    insert.bind(c++, run.stepMs.low);
    insert.bind(c++, run.stepMs.high);
    insert.bind(c++, run.stepMs.n);
    insert.bind(c++, run.message);
    insert.bind(c++, run.note);
    insert.bind(c++, nlohmann::json(run.tags).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    insert.bind(c++, run.study.id);
    insert.bind(c++, run.study.name);
    insert.bind(c++, run.study.cell);
    insert.bind(c++, run.study.repeat);
    insert.bind(c++, run.study.place);
    run.loss ? insert.bind(c++, *run.loss) : insert.bind(c++);
    insert.bind(c++, run.host);
    insert.bind(c++, run.torch);
}

}  // namespace

Index::Index(const std::filesystem::path& file) : file_(file) {
    attempt([] {});
}

Index::~Index() = default;

void Index::open() {
    newer_ = versionOf(file_) > kSchema;  // known also where the file cannot be opened any more
    database_.emplace(file_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    CheckedDatabase& database = *database_;
    if (database.fileBytes() > kMostIndex) {
        throw DatabaseDamage{"is larger than an index can be"};
    }
    const auto version = [&] { return database->execAndGet("PRAGMA user_version").getInt(); };
    newer_ = newer_ || version() > kSchema;
    if (newer_) {
        return;
    }
    database->exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
    if (version() < kSchema) {
        SQLite::Transaction transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
        if (version() < kSchema) {  // another process may have made the tables
            makeTables();
        }
        transaction.commit();
    }
    database.expectTables(kTables, "index");
}

void Index::makeTables() {
    SQLite::Database& database = **database_;
    if (database.execAndGet("PRAGMA user_version").getInt() == 0) {
        database.exec(kHighest.sql);
        database.exec("INSERT INTO highest VALUES (0)");
    } else {
        database.exec("DROP TABLE runs");  // the folders have it all; the highest number stays
    }
    database.exec(kRuns.sql);
    database.exec("PRAGMA user_version = " + std::to_string(kSchema));
}

void Index::discard() {
    database_.reset();
    if (!newer_) {
        removeDatabase(file_);
    }
}

/// `rows`: how many rows the action writes.
template <class Action>
void Index::attempt(Action action, std::size_t rows) {
    for (int trial = 0; trial < 2 && !locked_; ++trial) {
        try {
            if (!database_) {
                open();
            }
            (*database_).allowWork(rows);
            return action();
        } catch (const DatabaseDamage&) {
            discard();
        } catch (const SQLite::Exception& error) {
            if (damaged(error)) {
                discard();
            } else {
                locked_ = error.getErrorCode() == SQLITE_BUSY;
                return database_.reset();
            }
        }
    }
}

std::map<std::string, IndexRow> Index::rows() {
    std::map<std::string, IndexRow> rows;
    attempt([&] {
        rows.clear();
        if (newer_) {
            return;
        }
        SQLite::Statement query(**database_, "SELECT * FROM runs");
        std::int64_t left = 2 * database_->fileBytes() + kMostGrowth;
        while (query.executeStep()) {
            left -= textBytes(query);
            if (left < 0) {
                throw DatabaseDamage{"uses the same bytes more than once"};
            }
            IndexRow row = rowFrom(query);
            rows.emplace(row.summary.id, std::move(row));
        }
    });
    return rows;
}

void Index::put(const std::vector<IndexRow>& rows) {
    if (rows.empty() || newer_) {
        return;
    }
    attempt(
        [&] {
            SQLite::Transaction transaction(**database_, SQLite::TransactionBehavior::IMMEDIATE);
            SQLite::Statement insert(
                **database_,
                "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
            for (const IndexRow& row : rows) {
                bindRow(insert, row.summary, row.stamp);
                insert.exec();
                insert.reset();
            }
            transaction.commit();
        },
        rows.size());
}

void Index::drop(const std::vector<std::string>& ids) {
    if (ids.empty() || newer_) {
        return;
    }
    attempt(
        [&] {
            SQLite::Transaction transaction(**database_, SQLite::TransactionBehavior::IMMEDIATE);
            SQLite::Statement remove(**database_, "DELETE FROM runs WHERE id = ?");
            for (const std::string& id : ids) {
                remove.bind(1, id);
                remove.exec();
                remove.reset();
            }
            transaction.commit();
        },
        ids.size());
}

int Index::highestNumber() {
    std::int64_t number = 0;
    attempt([&] {
        // All versions have had this table. One that a newer version changed is not read.
        SQLite::Statement same(**database_, "SELECT count(*) FROM sqlite_master WHERE name = ? AND sql = ?");
        same.bind(1, kHighest.name);
        same.bind(2, kHighest.sql);
        if (same.executeStep() && same.getColumn(0).getInt() == 1) {
            number = (*database_)->execAndGet("SELECT max(number) FROM highest").getInt64();
        }
    });
    return number > 0 && number <= kMostBelievedNumber ? static_cast<int>(number) : 0;
}

void Index::setHighestNumber(int number) {
    if (newer_) {
        return;
    }
    attempt([&] {
        SQLite::Statement update(**database_, "UPDATE highest SET number = ? WHERE number < ?");
        update.bind(1, number);
        update.bind(2, number);
        update.exec();
    });
}

}  // namespace highwater::runs
