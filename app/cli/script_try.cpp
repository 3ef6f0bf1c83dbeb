#include "app/cli/script_try.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/script_ranks.h"
#include "app/cli/script_recording.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/temporary_folder.h"
#include "core/base/text.h"
#include "core/script/launch.h"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;
using script::Change;

/// Tries one change after the other.
class Tries {
public:
    Tries(const TryCommand& command, const wire::ScriptSource& source, const predict::DeviceProfile& profile,
          std::optional<base::Bytes> budget, fs::path folder)
        : command_(command), source_(source), folder_(std::move(folder)), capacity_(profile.memory) {
        source_.timed = false;
        tried_.gpu = source.gpu;
        tried_.gpuName = profile.name;
        tried_.limit = std::min(budget.value_or(profile.memory), profile.memory - source.others);
        context_ = source.context.value_or(profile.context.expected);
        need_.architecture = profile.architecture;
        part_.study = base::newId();
        part_.studyName = fmt::format("What would help: {} on {}", wire::commandText(source), source.gpu);
    }

    TriedScript& tried() { return tried_; }

    /// Runs the script as it is. Whether changes are to be tried.
    bool runPlain() {
        wire::ScriptSource source = source_;
        source.modules = true;
        say("as it is");
        tried_.plain = run({.kind = "none", .name = "as it is"}, source);
        tell(tried_.plain);
        const bool full = tried_.plain.status == wire::RunStatus::OutOfMemory;
        if (tried_.plain.fits ? !command_.everything
                              : tried_.plain.status != wire::RunStatus::Done && !full) {
            return false;
        }
        const auto modules = script::readModules(folder_ / "modules");
        if (!modules) {
            tried_.plain.why = "what its modules hold was not recorded: " + modules.error().message;
            return !stopped();
        }
        need_.script = *modules;
        need_.peak = tried_.plain.allocated;
        need_.inOptimizer = plainPhase_ == memory::Phase::Optimizer;
        need_.everything = command_.everything;
        need_.target = std::max<base::Bytes>(0, tried_.limit - context_);
        return !stopped();
    }

    void runChanges() {
        std::vector<Change> changes = script::changesFor(need_);
        std::vector<Change> last;
        for (Change& change : changes) {
            if (change.compiles) {
                last.push_back(std::move(change));
            } else if (command_.everything || !needless(change)) {
                add(change);
            }
            if (stopped()) {
                return;
            }
        }
        if (!anyFits()) {
            combine();
        }
        for (const Change& change : last) {
            if (!stopped() && (command_.everything || !anyFits())) {
                add(change);
            }
        }
    }

private:
    bool stopped() {
        tried_.stopped = tried_.stopped || interrupts() > 0;
        return tried_.stopped;
    }
    bool anyFits() const { return std::ranges::any_of(tried_.rows, &TriedChange::fits); }

    /// Whether a change of the same kind that fits costs no more.
    bool needless(const Change& change) const {
        return std::ranges::any_of(tried_.rows, [&](const TriedChange& row) {
            return row.fits && row.change.kind == change.kind && row.change.work <= change.work &&
                   row.change.results <= change.results;
        });
    }

    /// Adds the changes that help to each other until they fit: first those that leave the results equal, or
    /// equal up to rounding.
    void combine() {
        std::map<std::string, TriedChange> best;
        for (const TriedChange& row : tried_.rows) {
            const bool helps = row.device > 0 && row.device < tried_.plain.device;
            const auto other = best.find(row.change.kind);
            if (helps && (other == best.end() || row.device < other->second.device)) {
                best.insert_or_assign(row.change.kind, row);
            }
        }
        std::vector<TriedChange> order;
        for (auto& [kind, row] : best) {
            order.push_back(std::move(row));
        }
        std::ranges::stable_sort(order, [](const TriedChange& a, const TriedChange& b) {
            const auto rank = [](const TriedChange& row) {
                return std::pair(row.change.results == script::SameResults::Other, row.device);
            };
            return rank(a) < rank(b);
        });
        if (!order.empty() && !best.contains("expandable")) {
            order.insert(order.begin() + 1, TriedChange{.change = script::expandableSegments()});
        }
        std::vector<Change> chosen;
        base::Bytes peak = 0;
        for (const TriedChange& row : order) {
            std::vector<Change> more = chosen;
            more.push_back(row.change);
            if (chosen.empty()) {
                chosen = std::move(more);
                peak = row.device;
                continue;
            }
            const base::Bytes now = add(script::together(more));
            if (stopped() || tried_.rows.back().fits) {
                return;
            }
            if (now > 0 && now < peak) {
                chosen = std::move(more);
                peak = now;
            }
        }
    }

    /// Tries a change. Returns its peak on the device; 0: unknown.
    base::Bytes add(const Change& change) {
        say(change.name);
        TriedChange row{.change = change};
        const auto text = textOf(change, "");
        if (!text) {
            row.why = text.error().message;
        } else {
            wire::ScriptSource source = source_;
            source.changed = folder_ / "changed.py";
            if (const auto written = base::writeFileAtomically(source.changed, *text); !written) {
                row.why = written.error().message;
            } else {
                row = run(change, source);
            }
        }
        if (row.device > 0) {
            const auto remark =
                textOf(change, fmt::format("Pretended on {}: {} of its memory are used, instead of {}.",
                                           tried_.gpuName, base::formatBytes(row.device),
                                           tried_.plain.device > 0 ? base::formatBytes(tried_.plain.device)
                                                                   : "more than there are"));
            row.file = remark ? *remark : "";
        }
        tell(row);
        tried_.rows.push_back(row);
        return row.device;
    }

    base::Result<std::string> textOf(const Change& change, const std::string& remark) const {
        const script::ModuleCost* const model = need_.script.model();
        return script::changedScript(change, source_, model != nullptr ? model->className : "", remark);
    }

    /// Runs the script, and if it runs out of memory once more on a larger GPU, for its peak.
    TriedChange run(const Change& change, const wire::ScriptSource& source) {
        TriedChange row{.change = change};
        ScriptRecording::Part part = part_;
        part.name = change.name;
        auto recording = ScriptRecording::begin(command_.store, source, part);
        if (!recording) {
            row.why = recording.error().message;
            return row;
        }
        const Finished done = runIn(recording->folder(), source, &*recording);
        keepModules(recording->folder());
        row.run = recording->finish(done.run.result, done.ended.exitCode, done.ended.errorText);
        row.status = done.run.result.status;
        row.why = done.run.result.failure   ? base::oneLine(done.run.result.failure->why, 260)
                  : done.ended.exitCode < 0 ? base::oneLine(done.ended.errorText, 260)
                                            : "";
        if (row.status == wire::RunStatus::OutOfMemory) {
            runOnLarger(source, row);
        } else if (done.outcome) {
            takePeak(*done.outcome, row);
            row.fits = row.status == wire::RunStatus::Done && row.device <= tried_.limit;
        }
        return row;
    }

    struct Finished {
        Ended ended;
        std::optional<script::ScriptOutcome> outcome;
        script::Completed run;
    };

    Finished runIn(const fs::path& folder, const wire::ScriptSource& source, ScriptRecording* recording) {
        Finished done;
        // Only the first run shows what the script prints.
        const base::Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        const bool shown = source.changed.empty() && !source.memory;
        const base::Descriptor output = copyOf(!shown                               ? nowhere.get()
                                               : command_.output == TryOutput::Text ? 1
                                                                                    : 2);
        const base::Descriptor errors = copyOf(shown ? 2 : nowhere.get());
        std::vector<wire::Event> said;
        auto launch = script::scriptLaunch(source, folder, output.get(), errors.get());
        if (launch) {
            launch->endsWithStarter = true;
            auto started = wire::EngineProcess::start(std::move(*launch), folder);
            if (started) {
                done.ended = followScript(*started, command_.minutes, [&](const wire::Event& event) {
                    said.push_back(event);
                    if (recording != nullptr) {
                        recording->append(event);
                    }
                });
            } else {
                done.ended.errorText = started.error().message;
            }
        } else {
            done.ended.errorText = launch.error().message;
        }
        done.outcome = outcomeOf(folder, source);
        done.run = script::completed(folder.filename().string(), said, done.outcome, done.ended.exitCode);
        if (recording != nullptr) {
            for (const wire::StepDone& step : done.run.steps) {
                recording->append(step);
            }
        }
        return done;
    }

    void runOnLarger(wire::ScriptSource source, TriedChange& row) {
        constexpr int kLarger = 16;
        const auto folder = base::makeTemporaryFolder("highwater-script-");
        if (!folder || stopped()) {
            return;
        }
        source.memory = kLarger * capacity_;
        const Finished done = runIn(*folder, source, nullptr);
        keepModules(*folder);
        if (done.outcome && done.run.result.status == wire::RunStatus::Done) {
            takePeak(*done.outcome, row);
            row.larger = true;
        } else if (done.run.result.failure) {
            row.why = base::oneLine(done.run.result.failure->why, 260);
        }
        std::error_code ignored;
        fs::remove_all(*folder, ignored);
    }

    void takePeak(const script::ScriptOutcome& outcome, TriedChange& row) {
        row.allocated = outcome.allocated;
        row.reserved = outcome.reserved;
        row.device = outcome.onDevice();
        plainPhase_ = row.change.kind == "none" ? outcome.peak.phase : plainPhase_;
    }

    /// The last record of the modules is that of the run that came furthest.
    void keepModules(const fs::path& folder) {
        std::error_code ignored;
        const fs::path file = folder / "script-modules.json";
        if (fs::exists(file, ignored)) {
            fs::create_directory(folder_ / "modules", ignored);
            fs::copy_file(file, folder_ / "modules" / file.filename(), fs::copy_options::overwrite_existing,
                          ignored);
        }
    }

    void say(const std::string& name) const {
        if (command_.output == TryOutput::Events) {
            printJson({{"event", "trying"}, {"name", name}}, -1);
            std::fflush(stdout);
        } else if (command_.output == TryOutput::Text) {
            status_.show("trying: " + name);
        }
    }
    void tell(const TriedChange& row) const {
        status_.clear();
        if (command_.output == TryOutput::Events) {
            nlohmann::ordered_json line{{"event", "tried"}};
            line.update(triedJson(row));
            printJson(line, -1);
        } else if (command_.output == TryOutput::Text) {
            printText("{}\n", triedLine(row));
        }
        std::fflush(stdout);
    }

    const TryCommand& command_;
    wire::ScriptSource source_;
    fs::path folder_;
    base::Bytes capacity_ = 0, context_ = 0;
    script::ScriptNeed need_;
    ScriptRecording::Part part_;
    memory::Phase plainPhase_ = memory::Phase::Setup;
    TriedScript tried_;
    mutable StatusLine status_;
};

int exitOf(const TriedScript& tried) {
    const TriedChange& plain = tried.plain;
    if (tried.stopped || plain.status == wire::RunStatus::Cancelled) {
        return kInterrupted;
    }
    if (plain.status == wire::RunStatus::Failed) {
        return kEngineFailed;
    }
    return plain.fits || !tried.fitting().empty() ? kDone : kOutOfMemory;
}

}  // namespace

std::vector<const TriedChange*> TriedScript::fitting() const {
    std::vector<const TriedChange*> found;
    for (const TriedChange& row : rows) {
        if (row.fits) {
            found.push_back(&row);
        }
    }
    std::ranges::stable_sort(found, [](const TriedChange* a, const TriedChange* b) {
        return std::pair(a->change.results, a->change.work) < std::pair(b->change.results, b->change.work);
    });
    return found;
}

void addTryOptions(CLI::App& command, TryCommand& options, CLI::Option& ranks) {
    CLI::Option* const tries = command.add_flag("--try", options.wanted,
                                                "If the script does not fit in the GPU or the budget: run it "
                                                "with changes that reduce its memory, and "
                                                "list what helps");
    tries->excludes(&ranks);
    command
        .add_flag("--try-all", options.everything,
                  "The same, with all changes, torch.compile included, which takes minutes, even if some fit")
        ->needs(tries);
    command
        .add_option("--keep", options.keep,
                    "Write a Python file that applies the best change that fits and runs the script")
        ->type_name("FILE")
        ->needs(tries);
}

int tryChanges(const TryCommand& command, const wire::ScriptSource& source,
               const predict::DeviceProfile& profile, std::optional<base::Bytes> budget) {
    if (const auto possible = script::scriptLaunch(source, ".", 1, 2); !possible) {
        return complain(possible.error().message);
    }
    const auto folder = base::makeTemporaryFolder("highwater-try-");
    if (!folder) {
        return complain(folder.error().message);
    }
    catchInterrupts();
    Tries tries(command, source, profile, budget, *folder);
    if (tries.runPlain()) {
        tries.runChanges();
    }
    std::error_code ignored;
    fs::remove_all(*folder, ignored);
    const TriedScript& tried = tries.tried();
    if (command.output == TryOutput::Text) {
        printTries(tried);
    } else {
        nlohmann::ordered_json last = command.output == TryOutput::Events
                                          ? nlohmann::ordered_json{{"event", "tries"}}
                                          : nlohmann::ordered_json::object();
        last.update(triesJson(tried));
        printJson(last, command.output == TryOutput::Events ? -1 : 2);
    }
    const auto fitting = tried.fitting();
    if (!command.keep.empty() && !fitting.empty()) {
        if (const auto kept = base::writeFileAtomically(command.keep, fitting.front()->file); !kept) {
            return complain(kept.error().message);
        }
        if (command.output == TryOutput::Text) {
            printText("\nWritten to {}.\n", command.keep);
        }
    }
    if (tried.plain.status == wire::RunStatus::Failed) {
        return complain(tried.plain.why.empty() ? "the script failed" : tried.plain.why, kEngineFailed);
    }
    return exitOf(tried);
}

}  // namespace highwater::cli
