#include "core/runs/index.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_reader.h"
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

/// The columns of a row, in their order.
template <class Way, class Row>
void columns(Way& way, Row& row) {
    auto& run = row.summary;
    way(run.id), way(row.stamp), way(run.number), way(run.name), way(run.created), way(run.status);
    way(run.device), way(run.batchSize), way(run.patch), way(run.peakAllocated);
    way(run.stepMs.median), way(run.stepMs.low), way(run.stepMs.high), way(run.stepMs.n);
    way(run.message), way(run.note), way(run.tags);
    way(run.study.id), way(run.study.name), way(run.study.cell), way(run.study.repeat), way(run.study.place);
    way(run.loss), way(run.host), way(run.torch);
}

/// Reads a row's columns; lists are JSON.
class RowIn {
public:
    explicit RowIn(SQLite::Statement& query) : query_(query) {}
    void operator()(std::string& text) { text = next().getString(); }
    void operator()(std::int64_t& number) { number = next().getInt64(); }
    void operator()(int& number) { number = next().getInt(); }
    void operator()(double& number) { number = next().getDouble(); }
    void operator()(std::optional<double>& number) {
        if (const auto column = next(); !column.isNull()) {
            number = column.getDouble();
        }
    }
    void operator()(wire::RunStatus& status) {
        status = wire::statusFromKey(next().getString()).value_or(wire::RunStatus::Failed);
    }
    template <class T>
    void operator()(std::vector<T>& list) {
        constexpr bool kTexts = std::is_same_v<T, std::string>;
        const auto json = nlohmann::json::parse(next().getString(), nullptr, false);
        for (const auto& each : json.is_array() ? json : nlohmann::json::array()) {
            const bool good = kTexts ? each.is_string() : each.is_number_integer();
            list.push_back(good ? each.get<T>() : T());
        }
    }

private:
    SQLite::Column next() { return query_.getColumn(column_++); }
    SQLite::Statement& query_;
    int column_ = 0;
};

/// Binds them.
class RowOut {
public:
    explicit RowOut(SQLite::Statement& insert) : insert_(insert) {}
    template <class T>
    void operator()(const T& value) {
        insert_.bind(column_++, value);
    }
    void operator()(const std::optional<double>& number) {
        number ? insert_.bind(column_++, *number) : insert_.bind(column_++);
    }
    void operator()(wire::RunStatus status) { (*this)(std::string(wire::statusKey(status))); }
    template <class T>
    void operator()(const std::vector<T>& list) {
        (*this)(base::jsonText(list));
    }

private:
    SQLite::Statement& insert_;
    int column_ = 1;
};

std::int64_t textBytes(SQLite::Statement& query) {
    std::int64_t bytes = 0;
    for (int c = 0; c < query.getColumnCount(); ++c) {
        const SQLite::Column column = query.getColumn(c);
        bytes += column.isText() || column.isBlob() ? column.getBytes() : 0;
    }
    return bytes;
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
            IndexRow row;
            RowIn way(query);
            columns(way, row);
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
                "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
            for (const IndexRow& row : rows) {
                RowOut way(insert);
                columns(way, row);
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
