#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/capture/capture.h"
#include "core/runs/trace_store.h"

namespace highwater::cli {
namespace {

using base::Error;
using capture::Format;

struct CaptureOptions {
    std::string run, out, format, steps, store;
    bool json = false;
};

struct NamedFormat {
    const char *name, *extension;
    Format format;
};
constexpr NamedFormat kFormats[] = {{"snapshot", ".pickle", Format::Snapshot},
                                    {"chrome", ".json", Format::Chrome},
                                    {"csv", ".csv", Format::Csv}};

base::Result<NamedFormat> formatOf(const CaptureOptions& options) {
    const std::string extension = std::filesystem::path(options.out).extension().string();
    for (const NamedFormat& each : kFormats) {
        if (options.format.empty() ? extension == each.extension : options.format == each.name) {
            return each;
        }
    }
    if (!options.format.empty()) {
        return Error{fmt::format("--format: \"{}\" is not a format; give snapshot, chrome or csv",
                                 base::oneLine(options.format, 60))};
    }
    return Error{
        fmt::format("{}: its name does not say the format; end it with .pickle (snapshot), .json "
                    "(chrome) or .csv, or give --format",
                    options.out)};
}

struct StepRange {
    int first = 0, last = 0;
};

/// Parses "5-7" or "5".
base::Result<StepRange> parseSteps(const std::string& text) {
    static const std::regex pattern("([0-9]{1,9})(?:-([0-9]{1,9}))?");
    std::smatch parts;
    StepRange range;
    if (std::regex_match(text, parts, pattern)) {
        range.first = std::stoi(parts[1]);
        range.last = parts[2].matched ? std::stoi(parts[2]) : range.first;
        if (range.first <= range.last) {
            return range;
        }
    }
    return Error{fmt::format(
        "--steps: \"{}\" is not a range of steps; give one such as 3-5, counted from 0 with the warm-up",
        base::oneLine(text, 60))};
}

/// The events of these steps; std::nullopt, for all events, if `steps` is empty.
base::Result<std::optional<runs::TraceRange>> eventsOf(const runs::TraceInfo& info,
                                                       const std::string& steps) {
    if (steps.empty()) {
        return std::optional<runs::TraceRange>();
    }
    const auto range = HIGHWATER_TRY(parseSteps(steps));
    if (info.steps.empty()) {
        return Error{"--steps: the trace holds no step"};
    }
    const auto begins = [&](int index) {
        return std::find_if(info.steps.begin(), info.steps.end(),
                            [&](const memory::TraceStep& step) { return step.index >= index; });
    };
    if (begins(range.last) == info.steps.end()) {
        return Error{fmt::format("--steps: {} is beyond the trace, which holds the steps {} to {}", steps,
                                 info.steps.front().index, info.steps.back().index)};
    }
    const auto first = static_cast<std::int64_t>(begins(range.first)->event);
    const auto end = begins(range.last + 1);
    const auto last = end == info.steps.end() ? info.events : static_cast<std::int64_t>(end->event);
    return std::optional(runs::TraceRange{first, last - first});
}

/// Shows a line of progress for one part of the work; stops the work after an interrupt.
class CaptureProgress {
public:
    std::function<bool(double)> part(const char* doing, double from, double to) {
        return [=, this](double done) {
            line_.show(fmt::format("{} {:.0f} %", doing, 100 * (from + (to - from) * std::min(done, 1.0))));
            return interrupts() == 0;
        };
    }

private:
    StatusLine line_;
};

void say(const CaptureOptions& options, const NamedFormat& format, const memory::Trace& trace,
         const runs::TraceInfo& info) {
    std::error_code unknown;
    const auto bytes = static_cast<base::Bytes>(std::filesystem::file_size(options.out, unknown));
    if (options.json) {
        printJson({{"file", options.out},
                   {"format", format.name},
                   {"bytes", unknown ? 0 : bytes},
                   {"events", trace.events.size()},
                   {"first_event", trace.firstEvent},
                   {"all_events", trace.allEvents},
                   {"complete", info.complete}});
        return;
    }
    printText("{}: {} events, {}\n", options.out, trace.events.size(),
              unknown ? "of unknown size" : base::formatBytes(bytes));
    if (!info.complete) {
        printText(stderr, "warning: the trace is not complete: {}\n",
                  info.note.empty() ? "its run did not end normally" : info.note);
    }
}

int captureRun(const CaptureOptions& options) {
    const auto format = HIGHWATER_TRY_OR_COMPLAIN(formatOf(options));
    const auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    const auto record = HIGHWATER_TRY_OR_COMPLAIN(store.load(options.run));
    const auto folder = store.folder() / "runs" / record.summary.id;
    const auto info = HIGHWATER_TRY_OR_COMPLAIN(runs::inspectTrace(folder));
    const auto range = HIGHWATER_TRY_OR_COMPLAIN(eventsOf(info, options.steps));
    catchInterrupts();
    CaptureProgress progress;
    auto trace = runs::readTrace(folder, range, progress.part("reading", 0, 0.3));
    if (trace) {
        trace->title = fmt::format("run {}, {}", record.summary.number, record.summary.name);
        if (const auto written =
                capture::write(*trace, format.format, options.out, progress.part("writing", 0.3, 1));
            !written) {
            trace = written.error();
        }
    }
    if (interrupts() > 0) {
        return complain("interrupted; nothing was written", kInterrupted);
    }
    if (!trace) {
        return complain(trace.error().message);
    }
    say(options, format, *trace, info);
    return kDone;
}

}  // namespace

void addCapture(CLI::App& runs, int& exit) {
    CLI::App* command = runs.add_subcommand("capture", "A run's trace as a file for other viewers");
    const auto options = std::make_shared<CaptureOptions>();
    command->add_option("RUN", options->run)->required();
    command->add_option("--out", options->out, "The file to write: .pickle, .json or .csv")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--format", options->format,
                     "snapshot (pytorch.org/memory_viz), chrome (ui.perfetto.dev) or csv")
        ->type_name("FORMAT");
    command->add_option("--steps", options->steps, "Only these steps, such as 3-5; 0 is the first")
        ->type_name("A-B");
    command->add_flag("--json", options->json, "Print one JSON object");
    addStoreOption(*command, options->store);
    command->footer("Example: highwater-cli runs capture 3 --out run3.pickle --steps 3-5");
    command->callback([options, &exit] { exit = captureRun(*options); });
}

}  // namespace highwater::cli
