#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/runs/checked_database.h"
#include "core/runs/run_store.h"

namespace highwater::runs {

struct IndexRow {
    RunSummary summary;
    std::int64_t stamp = 0;  ///< folderStamp() of the folder when the row was read
};

/// STORE/index.db: a cache of the rows of settled runs, and the highest run number used by older versions,
/// which stored it only here. The rows can be rebuilt from the folders, so no function here fails: a damaged
/// or older file is deleted, and if the file cannot be used (written by a newer version, read-only, locked
/// for long, no memory), it stays and the index appears empty. Private to core/runs.
class Index {
public:
    explicit Index(const std::filesystem::path& file);
    ~Index();

    std::map<std::string, IndexRow> rows();
    void put(const std::vector<IndexRow>& rows);
    void drop(const std::vector<std::string>& ids);
    int highestNumber();
    void setHighestNumber(int number);
    /// Written by a newer version: it is not changed, and only the highest number is read.
    bool newer() const { return newer_; }

private:
    template <class Action>
    void attempt(Action action, std::size_t rows = 0);
    void open();
    void makeTables();
    void discard();

    std::filesystem::path file_;
    std::optional<CheckedDatabase> database_;
    bool newer_ = false, locked_ = false;
};

}  // namespace highwater::runs
