#include "core/study/sweep_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"

namespace highwater::study {

namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr std::string_view kRecordSchema = "highwater.sweep-record/1";
constexpr int kMostRecordSteps = 1'000'000;

fs::path sweepsFolder(const fs::path& store) {
    return store / "sweeps";
}

base::Result<SweepRecord> readRecord(const fs::path& path) {
    const auto json = base::readJson(path);
    if (!json) {
        return json.error();
    }
    base::JsonReader reader(*json, "");
    reader.choice("schema", {kRecordSchema});
    SweepRecord record;
    record.study.id = reader.text("id");
    record.study.name = reader.text("name", "");
    record.file = reader.text("file", "");
    record.device = reader.text("device");
    record.steps = static_cast<int>(reader.integer("steps", 1, kMostRecordSteps));
    record.executor = reader.text("executor");
    record.torch = base::oneLine(reader.text("torch", ""), 60);
    if (const Json* hosts = reader.raw("hosts"); hosts && hosts->is_array()) {
        for (const Json& host : *hosts) {
            record.hosts.push_back(host.is_string() ? host.get<std::string>() : "");
        }
    }
    if (const Json* sweep = reader.raw("sweep")) {
        record.sweep = *sweep;
    }
    if (record.study.id != path.stem()) {  // it names the files of this sweep
        reader.fail("id", "differs from the file's name");
    }
    const auto finished = reader.finish();
    return finished ? base::Result<SweepRecord>(std::move(record))
                    : base::Error{fmt::format("{}: {}", path.string(), finished.error().message)};
}

bool same(Json a, Json b) {
    a.erase("repeats");
    b.erase("repeats");
    return a == b;
}

}  // namespace

base::Status saveSweep(const fs::path& store, const SweepRecord& record) {
    std::error_code error;
    fs::create_directories(sweepsFolder(store), error);
    if (error) {
        return base::Error{fmt::format("{}: {}", sweepsFolder(store).string(), error.message())};
    }
    Json json = {{"schema", kRecordSchema}, {"id", record.study.id}, {"name", record.study.name}};
    if (!record.file.empty()) {
        json["file"] = record.file;
    }
    json.update({{"device", record.device}, {"steps", record.steps}, {"executor", record.executor}});
    if (!record.hosts.empty()) {
        json["hosts"] = record.hosts;
    }
    if (!record.torch.empty()) {
        json["torch"] = record.torch;
    }
    json["sweep"] = record.sweep;
    return base::writeFileAtomically(sweepsFolder(store) / (record.study.id + ".json"),
                                     json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
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
    auto lock = base::openRegular(path, O_RDWR | O_CREAT);
    if (!lock) {
        return lock.error();
    }
    if (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return base::Error{"another program is measuring this sweep"};
    }
    return lock;
}

}  // namespace highwater::study
