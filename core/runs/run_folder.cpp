#include "core/runs/run_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/base/line_file.h"
#include "core/base/memory_budget.h"
#include "core/stack/json/json.h"
#include "core/wire/event_lines.h"
#include "core/wire/script_source.h"

namespace highwater::runs {

namespace {

constexpr base::Bytes kMostState = base::kMiB;
constexpr std::size_t kMostUnfolded = 4;  // bytes of memory per byte of a line, besides the event itself

base::MemoryBudget budgetOf(const std::filesystem::path& file) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(file, ignored);
    return base::MemoryBudget(ignored ? 0 : static_cast<base::Bytes>(size));
}

/// 0 if there is no such file.
std::uint64_t fileStamp(const std::filesystem::path& file) {
    struct stat facts{};
    if (::stat(file.c_str(), &facts) != 0) {
        return 0;
    }
    // The inode changes with every atomic write, even within the resolution of the clock.
    return (static_cast<std::uint64_t>(facts.st_mtim.tv_sec) * 1'000'000'000ULL +
            static_cast<std::uint64_t>(facts.st_mtim.tv_nsec)) ^
           (static_cast<std::uint64_t>(facts.st_ino) << 20U);
}

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Owner>& owner) {
    way("role", owner.role);
    exchange(way, owner.process);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, RunState>& state) {
    way.anyFormat("schema", "highwater.state/1");
    way("number", state.number);
    way("created", state.created);
    way("device", state.device);
    way.word("state", state.status, &wire::statusKey, &wire::statusFromKey, "is not a state");
    way.unless(std::string(), "message", state.message);
    way("owner", state.owner);
}

base::Result<RunState> readState(const std::filesystem::path& folder) {
    return base::fromJsonFile<RunState>(folder / "state.json", kMostState);
}

base::Status writeState(const std::filesystem::path& folder, const RunState& state) {
    return base::writeJson(folder / "state.json", base::JsonOut::written(state));
}

std::int64_t folderStamp(const std::filesystem::path& folder) {
    const std::uint64_t state = fileStamp(folder / "state.json");
    const std::uint64_t labels = fileStamp(folder / "labels.json");
    return state == 0 ? 0 : static_cast<std::int64_t>(state ^ (labels << 21U | labels >> 43U));
}

base::Result<stack::Experiment> readExperiment(const std::filesystem::path& folder) {
    const auto script = HIGHWATER_TRY(wire::readSource(folder));
    if (script) {
        stack::Experiment named;
        named.name = wire::commandText(*script);
        named.step.batchSize = 0;
        named.input = stack::SyntheticInput{.shape = {}};
        return named;
    }
    const auto path = folder / "experiment.json";
    const auto text = base::readFile(path);
    return text ? stack::parseExperiment(*text, path.string()) : text.error();
}

base::Result<wire::RunResult> readResult(const std::filesystem::path& folder) {
    const auto path = folder / "result.json";
    const auto json = HIGHWATER_TRY(base::readJson(path, base::kGiB));
    auto result = wire::resultFromJson(json);
    return result ? result : base::Error{fmt::format("{}: {}", path.string(), result.error().message)};
}

base::Status writeResult(const std::filesystem::path& folder, const wire::RunResult& result) {
    return base::writeJson(folder / "result.json", wire::toJson(result));
}

std::vector<wire::Event> readEvents(const std::filesystem::path& folder) {
    constexpr int kMostDamaged = 1000;  // a file with more of them was not written by an engine
    std::vector<wire::Event> events;
    base::LineFile file(folder / "events.jsonl", wire::kLongestEvent, wire::kMostEvents);
    base::MemoryBudget budget = budgetOf(folder / "events.jsonl");
    int damaged = 0;
    for (std::string line; damaged < kMostDamaged && file.next(line);) {
        auto event = wire::parseEvent(line);
        if (!event) {
            ++damaged;
            continue;
        }
        if (!budget.take(2 * sizeof(wire::Event) + kMostUnfolded * line.size())) {
            events.push_back(
                wire::Warning{fmt::format("of events.jsonl only the first {} events are read: all of it {}",
                                          events.size(), budget.error().message)});
            break;
        }
        events.push_back(std::move(*event));
    }
    return events;
}

std::optional<wire::Started> readStarted(const std::filesystem::path& folder) {
    constexpr int kFirstLines = 64;  // the engine reports its start before the first step
    base::LineFile file(folder / "events.jsonl", wire::kLongestEvent, wire::kMostEvents);
    std::string line;
    for (int i = 0; i < kFirstLines && file.next(line); ++i) {
        auto event = wire::parseEvent(line);
        if (auto* started = event ? std::get_if<wire::Started>(&*event) : nullptr) {
            return std::move(*started);
        }
    }
    return std::nullopt;
}

}  // namespace highwater::runs
