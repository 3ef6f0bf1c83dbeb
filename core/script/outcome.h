#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/capture/capture.h"
#include "core/script/peak_owners.h"
#include "core/wire/events.h"
#include "core/wire/script_source.h"

namespace highwater::script {

/// A value that the host read from the device: the script's further course may depend on it, and on a
/// pretended device it is 0.
struct ValueRead {
    std::string place;  ///< "train.py:57"
    std::int64_t times = 0;
};

/// A cuDNN that cannot be asked (before 9.8) lists plans under `benchmark` that the rule does not cover. Of
/// 61 published trainings (tests/gpu/reference/scripts/gpumemnet-fitted-2.4.1.json) 95 % reserved at most
/// this much more than with the rule's largest plans.
inline constexpr double kUnaskedSearch = 1.22;

/// The sources of convolution workspaces, as numbers of operations.
struct WorkspaceSources {
    std::int64_t asked = 0;    ///< from the user's cuDNN, now or earlier
    std::int64_t table = 0;    ///< from a table of measured ones
    std::int64_t guessed = 0;  ///< from a rule
    base::Bytes largest = 0;
    std::int64_t benchmarked =
        0;  ///< operations whose algorithm `benchmark` chooses by time, which is unknown
    base::Bytes benchmarkLeast = 0,
                benchmarkMost = 0;  ///< the largest workspace if the smallest (or the largest) wins
};

/// Memory on a GPU other than the one that a script mainly uses.
struct OtherDevice {
    int device = 0;
    base::Bytes reserved = 0;
    bool context = false;  ///< it has a CUDA context there
};

/// Resident memory of the script's process and of those that it started: measured, because the host is real.
/// Memory that several processes share counts in each.
struct HostPeak {
    base::Bytes peak = 0;                  ///< of all processes at once
    base::Bytes process = 0, workers = 0;  ///< at that time
    std::int64_t workerCount = 0;
    double seconds = 0;  ///< since the script began
    int step = 0;        ///< optimizer steps done by then
    std::string place;   ///< "predict.py:57"; empty if unknown
};

/// The outcome of a script's run on the pretended device: pretended, except for `host`.
struct ScriptOutcome {
    std::vector<StepMemory> stepMemory;  ///< requested bytes
    base::Bytes requested = 0;           ///< peak of the requested bytes
    base::Bytes allocated = 0;           ///< torch.cuda.max_memory_allocated(): whole blocks
    base::Bytes reserved = 0;            ///< torch.cuda.max_memory_reserved()
    base::Bytes context = 0;             ///< memory of the CUDA context
    base::Bytes nccl = 0;                ///< NCCL's buffers, outside PyTorch's allocator: an estimate
    int communicators = 0;               ///< of NCCL, that hold these buffers
    int device = 0;                      ///< the number of the GPU that the figures are of
    std::vector<OtherDevice> elsewhere;  ///< other GPUs that it used
    bool contextKnown = false;           ///< given, or measured on this machine; otherwise an estimate
    base::Bytes others = 0;
    base::Bytes capacity = 0;
    int steps = 0;
    std::int64_t retries = 0;  ///< how often the cache was emptied to make room
    PeakOwners peak;
    memory::Ledger peakByCategory;
    bool guessedCategories = false;  ///< some of them are inferred from when memory was allocated and freed
    std::vector<ValueRead> reads;    ///< most frequent first
    std::optional<WorkspaceSources> workspaces;  ///< std::nullopt: there were no convolutions
    std::optional<HostPeak> host;                ///< std::nullopt: not recorded
    std::vector<std::string> unmodeled;          ///< CUDA functions that answered "not supported"
    memory::Trace trace;                         ///< every allocation

    /// What nvidia-smi would show at the peak, without other processes.
    base::Bytes onDevice() const { return reserved + context + nccl; }

    /// Whether `benchmark` timed algorithms. On a device cuDNN lists additional ones, and LibTorch tries
    /// those that fit in free memory: in the first step up to mostInSearch() may be held.
    bool searches() const { return workspaces && workspaces->benchmarked > 0; }
    base::Bytes mostInSearch() const { return std::max(onDevice(), capacity - others); }
};

/// Reads the script's files in the run's folder (snapshot.pickle, script-result.json, device.json). Error: it
/// never used the GPU, or the files are damaged.
base::Result<ScriptOutcome> readOutcome(const std::filesystem::path& runFolder,
                                        const wire::ScriptSource& source,
                                        const capture::Progress& progress = {});

/// The events that complete a run: its steps and its result, from `outcome` and the events so far. Without an
/// outcome, the result contains only the latter.
struct Completed {
    std::vector<wire::StepDone> steps;
    wire::RunResult result;
};
Completed completed(const std::string& runId, const std::vector<wire::Event>& said,
                    const std::optional<ScriptOutcome>& outcome, int exitCode);

}  // namespace highwater::script
