#include "core/runs/index.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

namespace highwater::runs {

namespace {

constexpr int kSchema = 3;
constexpr int kBusyMs = 5000;

constexpr const char* kRuns = R"(
CREATE TABLE runs (id TEXT PRIMARY KEY, stamp INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
  created TEXT NOT NULL, status TEXT NOT NULL, device TEXT NOT NULL, batch_size INTEGER NOT NULL,
  patch TEXT NOT NULL, peak_allocated INTEGER NOT NULL, step_median REAL, step_low REAL, step_high REAL,
  step_n INTEGER NOT NULL, message TEXT NOT NULL,
  note TEXT NOT NULL, tags TEXT NOT NULL, study_id TEXT NOT NULL, study_name TEXT NOT NULL,
  study_cell INTEGER NOT NULL, study_repeat INTEGER NOT NULL, study_place TEXT NOT NULL, loss REAL,
  host TEXT NOT NULL);
)";

constexpr const char* kHighest = R"(
CREATE TABLE highest (number INTEGER NOT NULL);
INSERT INTO highest VALUES (0);
)";

/// True if the file itself is the problem, so that a new one helps: it is not a database, is damaged, or has
/// other tables.
bool damaged(const SQLite::Exception& error) {
    switch (error.getErrorCode()) {
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
        case SQLITE_ERROR:  // the statements are fixed, so a table or a column is missing
        case SQLITE_RANGE:
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
    return row;
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
}

}  // namespace

Index::Index(const std::filesystem::path& file) : file_(file) {
    attempt([] {});
}

Index::~Index() = default;

bool Index::open() {
    database_ = std::make_unique<SQLite::Database>(file_.string(),
                                                   SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyMs);
    database_->exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
    const auto version = [&] { return database_->execAndGet("PRAGMA user_version").getInt(); };
    if (version() < kSchema) {
        SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
        const int found = version();  // another process may have made the tables
        if (found < kSchema) {
            if (found == 0) {
                database_->exec(kHighest);
            } else {
                database_->exec("DROP TABLE runs");  // the folders have it all; the highest number stays
            }
            database_->exec(kRuns);
            database_->exec("PRAGMA user_version = " + std::to_string(kSchema));
        }
        transaction.commit();
    }
    return version() == kSchema;
}

void Index::discard() {
    database_.reset();
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
    std::filesystem::remove(file_.string() + "-journal", ignored);
}

template <class Action>
void Index::attempt(Action action) {
    for (int trial = 0; trial < 2; ++trial) {
        try {
            if (!database_ && !open()) {
                discard();
                continue;
            }
            action();
            return;
        } catch (const SQLite::Exception& error) {
            if (damaged(error)) {
                discard();
            } else {
                return database_.reset();
            }
        }
    }
}

std::map<std::string, IndexRow> Index::rows() {
    std::map<std::string, IndexRow> rows;
    attempt([&] {
        rows.clear();
        SQLite::Statement query(*database_, "SELECT * FROM runs");
        while (query.executeStep()) {
            IndexRow row = rowFrom(query);
            rows.emplace(row.summary.id, std::move(row));
        }
    });
    return rows;
}

void Index::put(const std::vector<IndexRow>& rows) {
    if (rows.empty()) {
        return;
    }
    attempt([&] {
        SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement insert(
            *database_,
            "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        for (const IndexRow& row : rows) {
            bindRow(insert, row.summary, row.stamp);
            insert.exec();
            insert.reset();
        }
        transaction.commit();
    });
}

void Index::drop(const std::vector<std::string>& ids) {
    if (ids.empty()) {
        return;
    }
    attempt([&] {
        SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement remove(*database_, "DELETE FROM runs WHERE id = ?");
        for (const std::string& id : ids) {
            remove.bind(1, id);
            remove.exec();
            remove.reset();
        }
        transaction.commit();
    });
}

int Index::highestNumber() {
    int number = 0;
    attempt([&] { number = database_->execAndGet("SELECT max(number) FROM highest").getInt(); });
    return number;
}

void Index::setHighestNumber(int number) {
    attempt([&] {
        SQLite::Statement update(*database_, "UPDATE highest SET number = ? WHERE number < ?");
        update.bind(1, number);
        update.bind(2, number);
        update.exec();
    });
}

}  // namespace highwater::runs
