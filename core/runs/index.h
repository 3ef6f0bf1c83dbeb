#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/runs/checked_database.h"
#include "core/runs/run_store.h"

namespace highwater::runs {

struct IndexRow {
    RunSummary summary;
    std::int64_t stamp = 0;  ///< folderStamp() of the folder when the row was read
};

/// STORE/index.db: a cache of the rows of settled runs, and the highest run number given by versions that
/// kept it nowhere else. The rows can be rebuilt from the folders, so no function here fails: a damaged or
/// older file is deleted, and if none can be used (of a newer version, read-only, locked for long, no
/// memory), the file stays and the index appears empty. Private to core/runs.
class Index {
public:
    explicit Index(const std::filesystem::path& file);
    ~Index();

    std::map<std::string, IndexRow> rows();
    void put(const std::vector<IndexRow>& rows);
    void drop(const std::vector<std::string>& ids);
    int highestNumber();
    void setHighestNumber(int number);
    /// A newer version has made it: it is neither read, but for the highest number, nor changed.
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
