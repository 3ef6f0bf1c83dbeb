#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace SQLite {
class Database;
}

namespace highwater::runs {

struct IndexRow {
    RunSummary summary;
    std::int64_t stamp = 0;  ///< folderStamp() of the folder when the row was read
};

/// STORE/index.db: a cache of the rows of settled runs, and the highest run number ever given. All of it can
/// be rebuilt from the folders, so no function here fails: a damaged or older file is deleted, and if none
/// can be used (read-only, locked for long, no memory), the file stays and the index appears empty. Private
/// to core/runs.
class Index {
public:
    explicit Index(const std::filesystem::path& file);
    ~Index();

    std::map<std::string, IndexRow> rows();
    void put(const std::vector<IndexRow>& rows);
    void drop(const std::vector<std::string>& ids);
    int highestNumber();
    void setHighestNumber(int number);

private:
    template <class Action>
    void attempt(Action action);
    bool open();
    void discard();

    std::filesystem::path file_;
    std::unique_ptr<SQLite::Database> database_;
};

}  // namespace highwater::runs
