#include "core/study/sweep_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/base/text.h"

namespace highwater::study {

namespace fs = std::filesystem;
using base::Json;

template <class Way>
void exchange(Way& way, base::Exchanged<Way, SweepRecord>& record) {
    way.format("schema", "highwater.sweep-record/1");
    way("id", record.study.id);
    way.olderWithout("name", record.study.name);
    way.unless(std::string(), "file", record.file);
    way("device", record.device);
    way("steps", record.steps, base::Whole{1, 1'000'000});
    way("executor", record.executor);
    way.unless(std::vector<std::string>(), "hosts", record.hosts);
    way.line("torch", record.torch, 60);
    way.olderWithout("sweep", record.sweep);
}

namespace {

fs::path sweepsFolder(const fs::path& store) {
    return store / "sweeps";
}

base::Result<SweepRecord> readRecord(const fs::path& path) {
    auto record = base::fromJsonFile<SweepRecord>(path);
    if (record && record->study.id != path.stem()) {  // it names the files of this sweep
        return base::Error{fmt::format("{}: /id: differs from the file's name", path.string())};
    }
    return record;
}

bool same(Json a, Json b) {
    a.erase("repeats");
    b.erase("repeats");
    return a == b;
}

}  // namespace

base::Status saveSweep(const fs::path& store, const SweepRecord& record) {
    return base::writeInFolder(sweepsFolder(store) / (record.study.id + ".json"),
                               base::jsonText(base::JsonOut::written(record), 2) + "\n");
}

base::Result<SweepRecord> findSweep(const fs::path& store, const std::string& file, const Json& sweep) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator at(sweepsFolder(store), error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().extension() == ".json") {
            paths.push_back(at->path());
        }
    }
    std::sort(paths.rbegin(), paths.rend());  // ids sort by time
    for (const fs::path& path : paths) {
        auto record = readRecord(path);
        if (!record || record->file != file || (file.empty() && !same(record->sweep, sweep))) {
            continue;
        }
        if (!same(record->sweep, sweep)) {
            return base::Error{
                fmt::format("{} has changed since its sweep began; undo the change, or begin a new sweep "
                            "without --resume",
                            base::oneLine(file, 300))};
        }
        return record;
    }
    return base::Error{fmt::format("there is no sweep of {} in {} to resume; begin one without --resume",
                                   file.empty() ? "these toggles" : base::oneLine(file, 300),
                                   store.string())};
}

base::Result<base::Descriptor> lockSweep(const fs::path& store, const runs::Study& study) {
    const fs::path path = sweepsFolder(store) / (study.id + ".lock");
    auto lock = HIGHWATER_TRY(base::openRegular(path, O_RDWR | O_CREAT));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return base::Error{"another program is measuring this sweep"};
    }
    return lock;
}

}  // namespace highwater::study
