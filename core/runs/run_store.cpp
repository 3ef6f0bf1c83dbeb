#include "core/runs/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/text.h"
#include "core/runs/active_runs.h"
#include "core/runs/find_run.h"
#include "core/runs/index.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_numbers.h"
#include "core/runs/settle.h"
#include "core/runs/store_lock.h"
#include "core/stack/json/json.h"

namespace highwater::runs {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kNew = ".new-", kDeleted = ".deleted-";

base::Error cannot(const fs::path& path, const std::error_code& code) {
    return {fmt::format("{}: {}", path.string(), code.message())};
}

/// Orders runs by number; those whose number is lost come last.
bool older(const RunSummary& a, const RunSummary& b) {
    if ((a.number > 0) != (b.number > 0)) {
        return a.number > 0;
    }
    return a.number != b.number ? a.number < b.number : a.id < b.id;
}

}  // namespace

struct RunStore::Impl {
    fs::path folder;
    Waiting waiting;

    fs::path runs() const { return folder / "runs"; }
    fs::path run(const std::string& id) const { return runs() / id; }
    fs::path indexFile() const { return folder / "index.db"; }

    base::Result<std::vector<std::string>> ids() const;
    void clean() const;
    void settleIfGone(const std::string& id) const;
    RunSummary row(const std::string& id, const IndexRow* known, std::vector<IndexRow>& fresh) const;
    base::Result<std::vector<RunSummary>> list() const;
    /// Creates a run's folder; `write` writes what is run into it.
    base::Result<fs::path> create(std::string_view device, const Study& study,
                                  const std::function<base::Status(const fs::path&)>& write);
    base::Result<RunSummary> find(std::string_view word) const;
};

base::Result<std::vector<std::string>> RunStore::Impl::ids() const {
    std::vector<std::string> ids;
    std::error_code error;
    for (fs::directory_iterator at(runs(), error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        std::string name = at->path().filename().string();
        if (name.front() != '.' && at->is_directory(ignored)) {
            ids.push_back(std::move(name));
        }
    }
    if (error) {
        return cannot(runs(), error);
    }
    return ids;
}

/// Removes the leftovers of a process that was killed while it created or removed a run. The caller must hold
/// the lock.
void RunStore::Impl::clean() const {
    std::vector<fs::path> rests;
    std::error_code error;
    for (fs::directory_iterator at(runs(), error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(kNew) || name.starts_with(kDeleted)) {
            rests.push_back(at->path());
        }
    }
    for (const fs::path& rest : rests) {
        fs::remove_all(rest, error);
    }
}

void RunStore::Impl::settleIfGone(const std::string& id) const {
    const auto gone = [&] {
        const auto state = readState(run(id));
        return state && state->status == wire::RunStatus::Running &&
               lifeOf(run(id), *state) == base::Life::Gone;
    };
    if (!gone()) {
        return;
    }
    const StoreLock lock(folder, waiting);
    // Check again: the engine may have written its last state between the first check and its end.
    if (gone()) {
        (void)settleFolder(run(id), {}).ok();
    }
}

/// Returns the known row if it is still valid; otherwise reads the folder. A row that can be indexed is added
/// to `fresh`.
RunSummary RunStore::Impl::row(const std::string& id, const IndexRow* known,
                               std::vector<IndexRow>& fresh) const {
    std::int64_t stamp = folderStamp(run(id));
    if (known && stamp != 0 && known->stamp == stamp) {
        return known->summary;
    }
    settleIfGone(id);
    stamp = folderStamp(run(id));
    FolderSummary read = summarize(run(id));
    if (read.damaged && read.summary.number == 0 && known) {
        read.summary.number = known->summary.number;
        read.summary.name = known->summary.name;
        read.summary.created = known->summary.created;
    } else if (!read.damaged && read.summary.status != wire::RunStatus::Running) {
        fresh.push_back({read.summary, stamp});
    }
    return read.summary;
}

base::Result<std::vector<RunSummary>> RunStore::Impl::list() const {
    const auto found = HIGHWATER_TRY(ids());
    Index index(indexFile());
    auto known = index.rows();
    std::vector<RunSummary> rows;
    std::vector<IndexRow> fresh;
    for (const std::string& id : found) {
        const auto at = known.find(id);
        rows.push_back(row(id, at == known.end() ? nullptr : &at->second, fresh));
        known.erase(id);
    }
    std::vector<std::string> lost;
    for (const auto& [id, gone] : known) {
        lost.push_back(id);
    }
    index.put(fresh);
    index.drop(lost);
    std::sort(rows.begin(), rows.end(), older);
    return rows;
}

base::Result<RunSummary> RunStore::Impl::find(std::string_view word) const {
    const auto rows = HIGHWATER_TRY(list());
    return findRun(rows, word, folder);
}

base::Result<RunStore> RunStore::open(const fs::path& folder, Waiting waiting) {
    std::error_code error;
    fs::create_directories(folder / "runs", error);
    if (error) {
        return base::Error{fmt::format("{}: cannot be a store of runs ({}); choose a folder to write to",
                                       folder.string(), error.message())};
    }
    auto impl = std::make_unique<Impl>();
    impl->folder = fs::absolute(folder, error);
    if (error) {
        return cannot(folder, error);
    }
    impl->waiting = std::move(waiting);
    if (const StoreLock lock(impl->folder, StoreLock::AtOnce{}); lock.held()) {
        impl->clean();  // otherwise another process uses the store, or will clean it
    }
    const auto rows = impl->list();
    return rows ? base::Result<RunStore>(RunStore(std::move(impl))) : rows.error();
}

RunStore::RunStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const fs::path& RunStore::folder() const {
    return impl_->folder;
}

std::string RunStore::note() const {
    return Index(impl_->indexFile()).newer()
               ? fmt::format(
                     "{} was written by a newer Highwater and is not changed, and every run's folder is read "
                     "instead; use that version, or delete the file",
                     impl_->indexFile().string())
               : "";
}

base::Result<fs::path> RunStore::create(const stack::Experiment& experiment, std::string_view device,
                                        const Study& study) {
    return impl_->create(device, study, [&](const fs::path& folder) {
        return base::writeFileAtomically(folder / "experiment.json", stack::toText(experiment));
    });
}

base::Result<fs::path> RunStore::create(const wire::ScriptSource& script) {
    return impl_->create("pretended " + script.gpu, {},
                         [&](const fs::path& folder) { return wire::writeSource(folder, script); });
}

base::Result<fs::path> RunStore::Impl::create(std::string_view device, const Study& study,
                                              const std::function<base::Status(const fs::path&)>& write) {
    const auto rows = HIGHWATER_TRY(list());
    const StoreLock lock(folder, waiting);
    // Other processes may have created runs between list() and the lock; only their numbers are still
    // unknown.
    Index index(indexFile());
    const auto found = HIGHWATER_TRY(ids());
    std::vector<int> numbers;
    for (const RunSummary& row : rows) {
        numbers.push_back(row.number);
    }
    for (const std::string& id : found) {
        if (std::none_of(rows.begin(), rows.end(), [&](const auto& row) { return row.id == id; })) {
            if (const auto other = readState(run(id))) {
                numbers.push_back(other->number);
            }
        }
    }
    const auto number = HIGHWATER_TRY(
        base::prefixed(folder.string(),
                       nextNumber(std::max(lastNumber(folder), index.highestNumber()), std::move(numbers))));
    HIGHWATER_TRY(saveLastNumber(folder, number));
    RunState state;
    state.number = number;
    state.created = base::isoNow();
    state.device = device;
    state.owner = {std::string(kStarter), base::thisProcess()};

    // The folder is completed under a temporary name first: no other process ever sees half a run.
    std::string id = base::newId();
    std::error_code error;
    while (fs::exists(run(id), error)) {
        id = base::newId();
    }
    const fs::path made = runs() / (std::string(kNew) + id);
    if (!fs::create_directory(made, error)) {
        return cannot(made, error ? error : std::make_error_code(std::errc::file_exists));
    }
    auto done = write(made);
    if (done && !study.id.empty()) {
        done = writeLabels(made, {"", "", {}, study});
    }
    if (done) {
        done = writeState(made, state);
    }
    if (done) {
        fs::rename(made, run(id), error);
        if (error) {
            done = cannot(run(id), error);
        }
    }
    if (!done) {
        fs::remove_all(made, error);
        return done.error();
    }
    index.setHighestNumber(state.number);
    return run(id);
}

base::Result<RunSummary> RunStore::settle(const std::string& id, int exitCode, std::string_view errorText) {
    {
        const StoreLock lock(impl_->folder, impl_->waiting);
        HIGHWATER_TRY(settleFolder(impl_->run(id), {exitCode, std::string(errorText)}));
    }
    std::vector<IndexRow> fresh;
    const RunSummary row = impl_->row(id, nullptr, fresh);
    Index(impl_->indexFile()).put(fresh);
    return row;
}

base::Result<RunSummary> RunStore::giveUp(const std::string& id) {
    const auto run = activeRun(impl_->run(id));
    if (!run || run->host.empty()) {
        return base::Error{fmt::format("run {} is not on a host", run ? std::to_string(run->number) : id)};
    }
    if (run->followedBy != ActiveRun::FollowedBy::ThisProcess) {
        const auto taken = HIGHWATER_TRY(takeOver(id));
        if (!taken) {
            return base::Error{fmt::format("run {} is followed by another program", run->number)};
        }
    }
    return settle(id, -1, fmt::format("given up; it was not fetched from host {}", run->host));
}

base::Result<std::vector<RunSummary>> RunStore::list() const {
    return impl_->list();
}

base::Result<std::vector<ActiveRun>> RunStore::active() const {
    const auto rows = HIGHWATER_TRY(impl_->list());
    std::vector<ActiveRun> active;
    for (const RunSummary& row : rows) {
        if (row.status != wire::RunStatus::Running) {
            continue;
        }
        if (auto run = activeRun(impl_->run(row.id))) {
            active.push_back(std::move(*run));
        }
    }
    return active;
}

base::Result<std::optional<TakenRun>> RunStore::takeOver(const std::string& id) {
    const StoreLock lock(impl_->folder, impl_->waiting);
    return takeOverRun(impl_->run(id));
}

base::Result<RunRecord> RunStore::load(std::string_view idOrNumber) const {
    auto summary = HIGHWATER_TRY(impl_->find(idOrNumber));
    const fs::path folder = impl_->run(summary.id);
    auto experiment = HIGHWATER_TRY(readExperiment(folder));
    RunRecord record{std::move(summary), std::move(experiment), {}, readEvents(folder)};
    if (auto script = wire::readSource(folder)) {
        record.script = std::move(*script);
    }
    if (auto python = wire::readPython(folder)) {
        record.python = std::move(*python);
    }
    auto result = readResult(folder);
    if (result && record.summary.status != wire::RunStatus::Running) {
        record.result = std::move(*result);
    } else {
        record.result = assembleResult(record.events, record.summary.id, record.summary.batchSize);
        record.result.status = record.summary.status;
    }
    return record;
}

base::Result<RunSummary> RunStore::label(std::string_view idOrNumber, const LabelChange& change) {
    const auto summary = HIGHWATER_TRY(impl_->find(idOrNumber));
    {
        const StoreLock lock(impl_->folder, impl_->waiting);
        auto labels = HIGHWATER_TRY(readLabels(impl_->run(summary.id)));
        auto after = HIGHWATER_TRY(changed(labels, change));
        if (after != labels) {
            HIGHWATER_TRY(writeLabels(impl_->run(summary.id), after));
        }
    }
    return impl_->find(summary.id);
}

base::Status RunStore::remove(std::string_view idOrNumber) {
    const auto summary = HIGHWATER_TRY(impl_->find(idOrNumber));
    if (summary.status == wire::RunStatus::Running) {
        return base::Error{
            fmt::format("run {} is still running; stop it before deleting it", summary.number)};
    }
    const StoreLock lock(impl_->folder, impl_->waiting);
    const fs::path gone = impl_->runs() / (std::string(kDeleted) + summary.id);
    std::error_code error;
    fs::rename(impl_->run(summary.id), gone, error);
    if (error) {
        return cannot(impl_->run(summary.id), error);
    }
    Index(impl_->indexFile()).drop({summary.id});
    fs::remove_all(gone, error);
    return {};
}

base::Status RunStore::rebuildIndex() {
    if (const std::string why = note(); !why.empty()) {
        return base::Error{why};
    }
    const int highest = Index(impl_->indexFile()).highestNumber();
    std::error_code error;
    fs::remove(impl_->indexFile(), error);
    if (error) {
        return cannot(impl_->indexFile(), error);
    }
    Index(impl_->indexFile()).setHighestNumber(highest);
    const auto rows = impl_->list();
    return rows ? base::Status() : rows.error();
}

}  // namespace highwater::runs
