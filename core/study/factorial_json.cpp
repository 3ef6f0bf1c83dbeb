#include <fmt/format.h>

#include <algorithm>

#include "core/base/json_file.h"
#include "core/base/text.h"
#include "core/study/factorial.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Exchanged;
using base::Json;
using base::JsonFileIn;
using base::JsonOut;
using base::JsonReader;

constexpr double kMostMs = 1e12;
constexpr int kMostRuns = 100000;
constexpr std::size_t kLongestWord = 4096;
constexpr std::string_view kResultSchema = "highwater.sweep-result/1";

/// Null if n is 0; `middle` is the median's key.
template <class Way>
void interval(Way& way, std::string_view key, std::string_view middle, Exchanged<Way, base::Interval>& of) {
    way.groupOrNull(key, of.n > 0, [&](auto& inner) {
        inner(middle, of.median, base::Real{0, kMostMs});
        inner.pair("ci95", of.low, of.high);
        inner("n", of.n, base::Whole{1, kMostRuns});
    });
}

/// The machine that the runs were made on.
template <class Way>
void machine(Way& way, Exchanged<Way, wire::Environment>& environment) {
    way("device", environment.device);
    way("device_name", environment.deviceName);
    way("versions", environment.versions);
    way("threads", environment.threads, base::Whole{0, 1'000'000});
    way("isa", environment.isa);
}

/// The peaks are left out where there is none.
template <class Way>
void peaks(Way& way, Exchanged<Way, wire::RunResult>& result) {
    way.unless(Bytes{0}, "peak_allocated_bytes", result.peakAllocated);
    way.unless(Bytes{0}, "peak_reserved_bytes", result.peakReserved);
    if (Way::kReads || result.peakAllocated > 0) {
        way.optionalGroup("peak_by_category", [&](auto& split) {
            for (const memory::Category c : memory::kCategories) {
                split(memory::categoryKey(c), result.peakByCategory.bytes[static_cast<std::size_t>(c)]);
            }
        });
    }
}

}  // namespace

template <class Way>
void exchange(Way& way, Exchanged<Way, Measured>& m) {
    constexpr std::string_view kStatus = "must be done, cancelled, out_of_memory or failed";
    way.word("status", m.status, &wire::statusKey, &wire::statusFromKey, kStatus);
    way.check(m.status != wire::RunStatus::Running, "status", kStatus);
    way.line("why", m.why, kLongestWord);
    peaks(way, m.result);
    interval(way, "step_ms", "median", m.stepMs);
    way.list("repeat_ms", m.repeatMs, kMostRuns, base::Real{0, kMostMs});
    way.check(std::ranges::find(m.repeatMs, 0) == m.repeatMs.end(), "repeat_ms",
              "must be times above 0 in milliseconds");
    way.list("warm_up_steps", m.warmUp, kMostRuns);
    way("steps_used", m.stepsUsed);
    way("tight", m.tight);
    way.list("run_ids", m.runIds, kMostRuns);
    way.line("place", m.place, kLongestWord);
    if (!m.place.empty()) {
        way("device_name", m.result.environment.deviceName);
    }
}

namespace {

template <class Way>
void cellParts(Way& way, Exchanged<Way, Cell>& cell, Exchanged<Way, Measured>& measured, bool onFront) {
    way("name", cell.subject.name);
    way.list("levels", cell.levels, kMostRuns, base::Whole{0, kMostCells - 1});
    way.olderWithout("words", cell.words);
    way.line("problem", cell.problem, kLongestWord);
    if (Way::kReads || (cell.problem.empty() && !measured.name.empty())) {
        way.optionalGroup("measured", [&](auto& inner) { exchange(inner, measured); });
    }
    way.derived("on_front", onFront);
}

Json effectToJson(const Effect& effect, const Sweep& sweep) {
    Json json = Json::object();
    JsonOut way(json);
    std::vector<std::string> axes;
    for (const std::size_t axis : effect.axes) {
        axes.push_back(sweep.axes[axis].name);
    }
    way("axes", axes);
    way("from", effect.from);
    way("to", effect.to);
    interval(way, "memory", "ratio", effect.memory);
    way("memory_differs", effect.memoryDiffers);
    interval(way, "time", "ratio", effect.time);
    way("time_differs", effect.timeDiffers);
    way("words", describe(effect, sweep));
    return json;
}

/// The cell as the sweep makes it has to be the one that the file says.
void readCell(JsonReader& reader, Cell& cell, Measured& measured) {
    Cell given;
    JsonFileIn way(reader);
    cellParts(way, given, measured, false);
    way.check(given.levels == cell.levels, "levels",
              fmt::format("are not those of \"{}\", which the sweep has here",
                          base::oneLine(cell.subject.name, 100)));
    cell.problem = given.problem;
    if (!reader.has("measured")) {
        return;
    }
    measured.name = cell.subject.name;
    measured.result.status = measured.status;
    std::string& device = measured.result.environment.deviceName;
    device = base::oneLine(device, kLongestWord);
    for (std::string& id : measured.runIds) {
        measured.result.runId = id = base::oneLine(id, kLongestWord);
    }
}

/// The sweep itself, as a file of its own would be read.
base::Result<Sweep> readSweepOf(JsonReader& reader) {
    const Json* given = reader.raw("sweep");
    if (!given) {
        return Error{"/sweep: is missing; it says what was measured"};
    }
    return parseSweep(base::jsonText(*given), "/sweep", {});
}

base::Result<SweepResult> readResult(JsonReader& reader) {
    JsonFileIn(reader).format("schema", kResultSchema);
    if (reader.failed()) {
        return reader.finish().error();
    }
    auto sweep = HIGHWATER_TRY(readSweepOf(reader));
    wire::Environment environment;
    JsonFileIn(reader).optionalGroup("environment", [&](auto& way) { machine(way, environment); });
    const bool cuda = !environment.device.empty() && environment.device != "cpu";
    auto cells = HIGHWATER_TRY(expand(sweep, cuda));
    std::vector<Measured> measured(cells.size());
    std::size_t next = 0;
    reader.objects("cells", kMostRuns, [&](JsonReader& inner) {
        if (next < cells.size()) {
            measured[next].result.environment = environment;
            readCell(inner, cells[next], measured[next]);
        } else {
            reader.fail("cells", fmt::format("are more than the {} of the sweep", cells.size()));
        }
        ++next;
    });
    for (const char* computed : {"front", "effects", "notes"}) {
        reader.raw(computed);
    }
    if (!reader.failed() && next < cells.size()) {
        reader.fail("cells", fmt::format("are {}, and the sweep has {}", next, cells.size()));
    }
    HIGHWATER_TRY(reader.finish());
    return evaluate(std::move(sweep), std::move(cells), std::move(measured));
}

}  // namespace

Json toJson(const SweepResult& result) {
    Json json = {{"schema", kResultSchema}, {"sweep", toJson(result.sweep)}};
    JsonOut way(json);
    const auto made = std::ranges::find_if(result.measured, [](const Measured& m) {
        return m.status == wire::RunStatus::Done && !m.result.environment.device.empty();
    });
    if (made != result.measured.end()) {
        way.group("environment", [&](auto& inner) { machine(inner, made->result.environment); });
    }
    Json cells = Json::array(), effects = Json::array();
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        JsonOut cell(cells.emplace_back(Json::object()));
        const bool onFront = std::ranges::find(result.front, c) != result.front.end();
        cellParts(cell, result.cells[c], result.measured[c], onFront);
    }
    for (const Effect& effect : result.effects) {
        effects.push_back(effectToJson(effect, result.sweep));
    }
    way("cells", cells);
    way("front", result.front);
    way("effects", effects);
    way("notes", result.notes);
    return json;
}

base::Result<SweepResult> parseSweepResult(std::string_view text, std::string_view name) {
    const auto json = HIGHWATER_TRY(base::parseJson(text, name));
    JsonReader reader(json, "");
    return base::prefixed(
        name, reader.failed() ? base::Result<SweepResult>(reader.finish().error()) : readResult(reader));
}

}  // namespace highwater::study
