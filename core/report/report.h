#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/report/document.h"
#include "core/runs/run_store.h"
#include "core/volume/volume.h"

namespace highwater::report {

struct ReportInput {
    std::vector<runs::RunRecord> runs;   ///< at least one; the others are compared with the first
    std::optional<volume::Volume> scan;  ///< the first run's scan, for its slices
    std::string scanNote;                ///< if a scan was used but there are no slices: why, one line
    std::string created;                 ///< time of the report, for people; empty: left out
};

/// The report's content, which `html` and `pdf` write.
Document runsDocument(const ReportInput& input);

/// One self-contained HTML page: no network, no script, light or dark by the reader's setting, ready to
/// print.
std::string html(const ReportInput& input);

/// The same as a PDF (see pdf.h), with light figures.
std::string pdf(const ReportInput& input, const Stop& stop = {});

/// One row for each run, RFC 4180, UTF-8, "\n" line ends, independent of the locale. Bytes are integers,
/// times milliseconds; a value that does not apply is empty. Columns: run_id, number, name, created, status,
/// device, device_name, host (empty: the machine itself), libtorch, threads, isa, batch_size, patch
/// ("64x64x64"), precision, parameters, steps (without warm-up), warmup, budget_bytes, peak_allocated_bytes,
/// peak_reserved_bytes, peak_rss_bytes, peak_input_bytes, peak_parameters_bytes, peak_optimizer_state_bytes,
/// peak_gradients_bytes, peak_activations_bytes, peak_workspace_bytes, peak_temporaries_bytes,
/// step_ms_median, step_ms_low, step_ms_high (95 % interval), step_ms_n, data_ms, forward_ms, recompute_ms,
/// backward_ms, optimizer_ms, throughput_samples_per_s, loss_first, loss_last, failure, failure_step
/// (1-based), failure_phase, failure_layer, failure_requested_bytes. GPU runs only: device_tensors_bytes,
/// device_rounding_bytes, device_split_bytes, device_cache_bytes, device_context_bytes, device_others_bytes
/// (which sum to) device_used_bytes at the peak, device_capacity_bytes, context_known (false: an estimate),
/// peak_device_used_bytes, host_ms (of a step), sm_clock_mhz and temperature_c after the measured steps,
/// throttled, allocation_retries, workspaces_refused. Last: would_fit (an estimate), pretended (true: a
/// script on a GPU that was not there, of which nothing was measured), watched (true: recorded by
/// highwatermark.watch while it trained).
std::string csv(const ReportInput& input);

/// {"schema": "highwater.report/1", "runs": [...]}: each run's result (contract: Result) with the additional
/// keys `name`, `number`, `created`, `pretended`, `host` and `experiment` (contract: Experiment) or `script`.
/// Indented, with a final newline.
std::string json(const ReportInput& input);

/// What a report is written from: runs, a prediction, plans, a sweep.
struct Content {
    std::function<Document()> document;
    std::function<std::string()> csv, json;
};
/// The content refers to the input, which must outlive it.
Content contentOf(const ReportInput& input);

/// A kind of file that a report is written as.
struct Format {
    std::string_view ending;  ///< ".html"
    std::string_view name;    ///< "Web page"
    std::string_view about;   ///< one line: what is in it, for what
    std::string (*text)(const Content&, const Stop&);
    bool pictures = false;  ///< it shows the scan's slices
};
/// All of them, the usual one first.
std::span<const Format> formats();
/// The format of a file by its name's ending, in capitals or not; nullptr if there is none.
const Format* formatOf(const std::filesystem::path& out);
/// ".html, .pdf, .csv or .json": the endings that a file's name can have.
std::string endingsText();

/// Writes the report atomically, in the format of the file name's ending. The message of an Error names the
/// file and the endings that work. Where `stop` stops it, that is an Error and there is no file.
base::Status write(const Content& content, const std::filesystem::path& out, const Stop& stop = {});
base::Status write(const ReportInput& input, const std::filesystem::path& out, const Stop& stop = {});

}  // namespace highwater::report
