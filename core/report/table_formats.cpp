#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/base/printable.h"
#include "core/report/facts.h"
#include "core/report/portable.h"
#include "core/report/report.h"
#include "core/stack/json/json.h"
#include "core/wire/gpu_words.h"
#include "core/wire/script_source.h"

namespace highwater::report {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string positive(std::int64_t value) {
    return value > 0 ? fmt::format("{}", value) : "";
}

std::string patchField(const stack::Sizes& patch) {
    std::string text;
    for (const std::int64_t size : patch) {
        text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    return text;
}

std::int64_t parametersOf(const wire::RunResult& result) {
    std::int64_t sum = 0;
    for (const wire::LayerCost& layer : result.layers) {
        if (layer.type != "block") {
            sum += layer.parameters;
        }
    }
    return sum;
}

void addWhatRan(Fields& f, const Facts& facts) {
    const runs::RunSummary& s = facts.run->summary;
    const wire::Environment& e = facts.environment();
    const auto libtorch = e.versions.find("libtorch");
    f.insert(f.end(), {{"run_id", s.id},
                       {"number", positive(s.number)},
                       {"name", s.name},
                       {"created", s.created},
                       {"status", std::string(wire::statusKey(s.status))},
                       {"device", e.device.empty() ? s.device : e.device},
                       {"device_name", e.deviceName},
                       {"host", s.host},
                       {"libtorch", libtorch == e.versions.end() ? "" : libtorch->second},
                       {"threads", positive(e.threads)},
                       {"isa", e.isa},
                       {"batch_size", positive(facts.run->experiment.step.batchSize)},
                       {"patch", patchField(s.patch)},
                       {"precision", std::string(stack::precisionName(facts.run->experiment.step.precision))},
                       {"parameters", positive(parametersOf(facts.result()))},
                       {"steps", fmt::format("{}", facts.measuredSteps())},
                       {"warmup", fmt::format("{}", facts.warmupSteps())},
                       {"budget_bytes", positive(facts.budget.value_or(0))}});
}

void addFigures(Fields& f, const Facts& facts) {
    const wire::RunResult& r = facts.result();
    f.emplace_back("peak_allocated_bytes", positive(r.peakAllocated));
    f.emplace_back("peak_reserved_bytes", positive(r.peakReserved));
    f.emplace_back("peak_rss_bytes", positive(r.peakRss));
    for (const memory::Category c : memory::kCategories) {
        f.emplace_back(fmt::format("peak_{}_bytes", memory::categoryKey(c)),
                       r.peakAllocated > 0 ? fmt::format("{}", r.peakByCategory[c]) : "");
    }
    const bool timed = r.stepMs.n > 0, lossy = !r.losses.empty();
    const auto time = [timed](double value) { return timed ? number(value) : std::string(); };
    f.insert(f.end(), {{"step_ms_median", time(r.stepMs.median)},
                       {"step_ms_low", time(r.stepMs.low)},
                       {"step_ms_high", time(r.stepMs.high)},
                       {"step_ms_n", fmt::format("{}", r.stepMs.n)},
                       {"data_ms", time(r.phasesMs.data)},
                       {"forward_ms", time(r.phasesMs.forward)},
                       {"recompute_ms", time(r.phasesMs.recompute)},
                       {"backward_ms", time(r.phasesMs.backward)},
                       {"optimizer_ms", time(r.phasesMs.optimizer)},
                       {"throughput_samples_per_s", time(r.throughput)},
                       {"loss_first", lossy ? number(r.lossFirst) : ""},
                       {"loss_last", lossy ? number(r.lossLast) : ""}});
}

void addFailure(Fields& f, const Facts& facts) {
    const wire::Failed failed = facts.failure.value_or(wire::Failed{});
    const bool there = facts.failure.has_value();
    f.emplace_back("failure", there ? failed.why : facts.run->summary.message);
    f.emplace_back("failure_step", there ? fmt::format("{}", failed.step + 1) : "");
    f.emplace_back("failure_phase", there ? std::string(wire::phaseKey(failed.phase)) : "");
    f.emplace_back("failure_layer", failed.layer);
    f.emplace_back("failure_requested_bytes", positive(failed.requested));
}

/// The columns of GPU runs; empty for a CPU run.
void addDevice(Fields& f, const Facts& facts) {
    const wire::RunResult& r = facts.result();
    const auto& device = r.deviceAtPeak;
    const wire::DeviceMemory held = device.value_or(wire::DeviceMemory{});
    const auto bytes = [&](base::Bytes value) { return device ? fmt::format("{}", value) : std::string(); };
    for (const wire::DevicePart& part : wire::deviceParts(held)) {
        f.emplace_back(fmt::format("device_{}_bytes", part.name), bytes(part.bytes));
    }
    f.emplace_back("device_used_bytes", bytes(held.used()));
    f.emplace_back("device_capacity_bytes", bytes(held.capacity));
    f.emplace_back("context_known", device ? (held.contextKnown ? "true" : "false") : "");
    f.emplace_back("peak_device_used_bytes", positive(r.peakDeviceUsed));
    f.emplace_back("host_ms", r.hostMs.total() > 0 ? number(r.hostMs.total()) : "");
    const wire::GpuConditions after = r.after.value_or(wire::GpuConditions{});
    f.emplace_back("sm_clock_mhz", positive(after.smClockMHz));
    f.emplace_back("temperature_c", positive(after.temperatureC));
    f.emplace_back("throttled", wire::throttledText(r.before, r.after));
    f.emplace_back("allocation_retries", r.after || device ? fmt::format("{}", r.allocationRetries) : "");
    f.emplace_back("workspaces_refused", r.after || device ? fmt::format("{}", r.workspacesRefused) : "");
    f.emplace_back("would_fit", facts.failure ? facts.failure->wouldFit : "");
}

std::string line(const Fields& fields, bool names) {
    std::string text;
    for (const auto& [name, value] : fields) {
        text += (text.empty() ? "" : ",") + base::csvField(names ? name : value);
    }
    return text + "\n";
}

}  // namespace

std::string csv(const ReportInput& input) {
    std::string text;
    for (const runs::RunRecord& run : input.runs) {
        const Facts facts = factsOf(run);
        Fields fields;
        addWhatRan(fields, facts);
        addFigures(fields, facts);
        addFailure(fields, facts);
        addDevice(fields, facts);
        fields.emplace_back("pretended", facts.pretended() ? "true" : "false");
        fields.emplace_back("watched", facts.watched() ? "true" : "false");
        if (text.empty()) {
            text = line(fields, true);
        }
        text += line(fields, false);
    }
    return text;
}

std::string json(const ReportInput& input) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const runs::RunRecord& run : input.runs) {
        nlohmann::ordered_json entry = wire::toJson(run.result);
        entry["run_id"] = run.summary.id;
        entry["status"] = wire::statusKey(run.summary.status);
        entry["name"] = run.summary.name;
        entry["number"] = run.summary.number;
        entry["created"] = run.summary.created;
        entry["pretended"] = run.pretended();
        if (run.script && run.script->watched) {
            entry["watched"] = true;
        }
        if (run.python) {
            entry["python"] = wire::toJson(*run.python);
        }
        if (!run.summary.host.empty()) {
            entry["host"] = run.summary.host;
        }
        if (!run.summary.note.empty()) {
            entry["note"] = run.summary.note;
        }
        if (!run.summary.tags.empty()) {
            entry["tags"] = run.summary.tags;
        }
        if (run.script) {
            entry["script"] = wire::commandText(*run.script);
        } else {
            entry["experiment"] = stack::toJson(portable(run.experiment));
        }
        runs.push_back(std::move(entry));
    }
    const nlohmann::ordered_json document = {{"schema", "highwater.report/1"}, {"runs", std::move(runs)}};
    return base::jsonText(document, 2) + "\n";
}

}  // namespace highwater::report
