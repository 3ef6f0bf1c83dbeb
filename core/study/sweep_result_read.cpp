#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/study/factorial.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;

constexpr double kMostMs = 1e12;
constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();
constexpr int kMostRuns = 100000;
constexpr std::size_t kLongestWord = 4096;

/// Calls `read(entry, pointer)` for each entry of a list that may be long, but not endless.
template <class Read>
void eachOf(JsonReader& reader, std::string_view key, const Read& read) {
    const Json* list = reader.raw(key);
    if (!list || !list->is_array() || list->size() > kMostRuns) {
        return reader.fail(key, fmt::format("must be a list of at most {}", kMostRuns));
    }
    for (std::size_t i = 0; i < list->size() && !reader.failed(); ++i) {
        read((*list)[i], fmt::format("{}/{}", reader.pointer(key), i));
    }
}

/// Calls `read(inner)` with a reader of the object at `key`; not if it is absent or null.
template <class Read>
void inside(JsonReader& reader, std::string_view key, const Read& read) {
    const Json* given = reader.raw(key);
    if (!given || given->is_null()) {
        return;
    }
    JsonReader inner(*given, reader.pointer(key));
    if (!inner.failed()) {
        read(inner);
    }
    if (const auto status = inner.finish(); !status) {
        reader.failAt(status.error().message);
    }
}

void readInterval(JsonReader& reader, base::Interval& interval) {
    interval.median = reader.number("median", 0, kMostMs);
    interval.n = static_cast<int>(reader.integer("n", 1, kMostRuns));
    std::vector<double> ends;
    eachOf(reader, "ci95", [&](const Json& value, const std::string& where) {
        if (value.is_number()) {
            ends.push_back(value.get<double>());
        } else {
            reader.failAt(where + ": must be a number");
        }
    });
    if (ends.size() == 2) {
        interval.low = ends[0];
        interval.high = ends[1];
    } else {
        reader.fail("ci95", "must be a list of two numbers");
    }
}

void readPeaks(JsonReader& reader, wire::RunResult& result) {
    result.peakAllocated = reader.integer("peak_allocated_bytes", 0, kMostBytes, 0);
    result.peakReserved = reader.integer("peak_reserved_bytes", 0, kMostBytes, 0);
    inside(reader, "peak_by_category", [&](JsonReader& split) {
        for (const memory::Category c : memory::kCategories) {
            result.peakByCategory[c] = split.integer(memory::categoryKey(c), 0, kMostBytes);
        }
    });
}

void readRepeats(JsonReader& reader, Measured& measured) {
    eachOf(reader, "repeat_ms", [&](const Json& value, const std::string& where) {
        if (value.is_number() && value.get<double>() > 0 && value.get<double>() <= kMostMs) {
            measured.repeatMs.push_back(value.get<double>());
        } else {
            reader.failAt(where + ": must be a time above 0 in milliseconds");
        }
    });
    eachOf(reader, "warm_up_steps", [&](const Json& value, const std::string& where) {
        if (value.is_number_unsigned()) {
            measured.warmUp.push_back(value.get<std::size_t>());
        } else {
            reader.failAt(where + ": must be a number of steps");
        }
    });
    eachOf(reader, "run_ids", [&](const Json& value, const std::string& where) {
        if (value.is_string()) {
            measured.runIds.push_back(base::oneLine(value.get_ref<const std::string&>(), kLongestWord));
        } else {
            reader.failAt(where + ": must be text");
        }
    });
}

void readMeasured(JsonReader& reader, Measured& measured) {
    const auto status = wire::statusFromKey(reader.text("status"));
    if (!status || *status == wire::RunStatus::Running) {
        return reader.fail("status", "must be done, cancelled, out_of_memory or failed");
    }
    measured.status = measured.result.status = *status;
    measured.why = base::oneLine(reader.text("why", ""), kLongestWord);
    readPeaks(reader, measured.result);
    inside(reader, "step_ms", [&](JsonReader& time) { readInterval(time, measured.stepMs); });
    readRepeats(reader, measured);
    measured.stepsUsed = static_cast<std::size_t>(reader.integer("steps_used", 0, kMostBytes));
    measured.tight = reader.boolean("tight");
    if (measured.place = base::oneLine(reader.text("place", ""), kLongestWord); !measured.place.empty()) {
        measured.result.environment.deviceName = base::oneLine(reader.text("device_name"), kLongestWord);
    }
    if (!measured.runIds.empty()) {
        measured.result.runId = measured.runIds.back();
    }
}

void readEnvironment(JsonReader& reader, wire::Environment& environment) {
    environment.device = reader.text("device");
    environment.deviceName = reader.text("device_name");
    environment.threads = static_cast<int>(reader.integer("threads", 0, 1000000));
    environment.isa = reader.text("isa");
    const Json* versions = reader.raw("versions");
    if (!versions || !versions->is_object()) {
        return reader.fail("versions", "must be an object of texts");
    }
    for (const auto& [what, version] : versions->items()) {
        if (!version.is_string()) {
            return reader.fail("versions", "must be an object of texts");
        }
        environment.versions[what] = version.get<std::string>();
    }
}

/// The cell as the sweep makes it has to be the one that the file says.
void readCell(JsonReader& reader, Cell& cell, Measured& measured) {
    std::vector<int> levels;
    eachOf(reader, "levels", [&](const Json& value, const std::string& where) {
        if (value.is_number_unsigned() && value.get<std::uint64_t>() < kMostCells) {
            levels.push_back(value.get<int>());
        } else {
            reader.failAt(where + ": must be the index of a value");
        }
    });
    if (levels != cell.levels) {
        return reader.fail("levels", fmt::format("are not those of \"{}\", which the sweep has here",
                                                 base::oneLine(cell.subject.name, 100)));
    }
    reader.text("name");
    reader.raw("words");
    reader.boolean("on_front");
    cell.problem = base::oneLine(reader.text("problem", ""), kLongestWord);
    inside(reader, "measured", [&](JsonReader& inner) {
        measured.name = cell.subject.name;
        readMeasured(inner, measured);
    });
}

/// The sweep itself, as a file of its own would be read.
base::Result<Sweep> readSweepOf(JsonReader& reader) {
    const Json* given = reader.raw("sweep");
    if (!given) {
        return Error{"/sweep: is missing; it says what was measured"};
    }
    return parseSweep(given->dump(-1, ' ', false, Json::error_handler_t::replace), "/sweep", {});
}

base::Result<SweepResult> readResult(JsonReader& reader) {
    if (const std::string schema = reader.text("schema"); schema != "highwater.sweep-result/1") {
        reader.fail("schema", fmt::format("must be \"highwater.sweep-result/1\", not \"{}\"",
                                          base::oneLine(schema, 60)));
        return reader.finish().error();
    }
    auto sweep = readSweepOf(reader);
    if (!sweep) {
        return sweep.error();
    }
    wire::Environment environment;
    inside(reader, "environment", [&](JsonReader& inner) { readEnvironment(inner, environment); });
    const bool cuda = !environment.device.empty() && environment.device != "cpu";
    auto cells = expand(*sweep, cuda);
    if (!cells) {
        return cells.error();
    }
    std::vector<Measured> measured(cells->size());
    std::size_t next = 0;
    eachOf(reader, "cells", [&](const Json& value, const std::string& where) {
        JsonReader inner(value, where);
        if (next == cells->size()) {
            return reader.fail("cells", fmt::format("are more than the {} of the sweep", cells->size()));
        }
        if (!inner.failed()) {
            measured[next].result.environment = environment;
            readCell(inner, (*cells)[next], measured[next]);
        }
        if (const auto status = inner.finish(); !status) {
            reader.failAt(status.error().message);
        }
        ++next;
    });
    for (const char* computed : {"front", "effects", "notes"}) {
        reader.raw(computed);
    }
    if (!reader.failed() && next < cells->size()) {
        reader.fail("cells", fmt::format("are {}, and the sweep has {}", next, cells->size()));
    }
    if (const auto status = reader.finish(); !status) {
        return status.error();
    }
    return evaluate(std::move(*sweep), std::move(*cells), std::move(measured));
}

}  // namespace

base::Result<SweepResult> parseSweepResult(std::string_view text, std::string_view name) {
    const auto json = base::parseJson(text, name);
    if (!json) {
        return json.error();
    }
    JsonReader reader(*json, "");
    auto result = reader.failed() ? base::Result<SweepResult>(reader.finish().error()) : readResult(reader);
    if (!result) {
        return Error{fmt::format("{}: {}", name, result.error().message)};
    }
    return result;
}

}  // namespace highwater::study
