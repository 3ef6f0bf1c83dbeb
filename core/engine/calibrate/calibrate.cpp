#include "core/engine/calibrate/calibrate.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/engine/calibrate/convolution_run.h"
#include "core/engine/device/device.h"
#include "core/engine/device/torch_compat.h"
#include "core/engine/run/environment.h"
#include "core/engine/run/runner.h"

namespace highwater::engine {

namespace {

using base::Error;
using predict::ConvKey;
using predict::OpEvent;
using predict::OpRow;

using Addresses = std::array<const void*, 3>;

/// The log index at which each result was allocated: the last entry with its address.
std::map<std::size_t, std::int64_t> resultAllocations(const std::vector<LoggedAllocation>& log,
                                                      const Addresses& results) {
    std::map<std::size_t, std::int64_t> found;
    for (std::size_t r = 0; r < results.size(); ++r) {
        for (std::size_t i = log.size(); results[r] != nullptr && i-- > 0;) {
            if (log[i].address == results[r] && log[i].bytes > 0) {
                found[i] = static_cast<std::int64_t>(r);
                break;
            }
        }
    }
    return found;
}

/// Converts the log into a row's events. Error if a row cannot express it: a result that is not a separate
/// allocation of exactly its size, or a temporary that outlives the operator.
base::Result<std::vector<OpEvent>> eventsOf(const ConvKey& op, const ConvolutionRun::Pass& pass) {
    const auto results = resultAllocations(pass.log, addressesOf(pass.results));
    for (const auto& [index, result] : results) {
        const at::Tensor& tensor = pass.results[static_cast<std::size_t>(result)];
        const std::int64_t expected =
            op.pass == ConvKey::Pass::Forward ? op.outputStorageElements() : tensor.numel();
        // LibTorch 2 allocates exactly the result's size; 1.13 allocates more in one case.
        if (pass.log[index].bytes != 4 * expected && pass.log[index].bytes != 4 * tensor.numel()) {
            return Error{fmt::format("result {} of {} B lies in an allocation of {} B", result, 4 * expected,
                                     pass.log[index].bytes)};
        }
    }
    if (static_cast<std::size_t>(std::count_if(pass.results.begin(), pass.results.end(), [](const auto& t) {
            return t.defined();
        })) != results.size()) {
        return Error{"a result shares its memory with another tensor"};
    }
    std::vector<OpEvent> events;
    std::map<const void*, std::int64_t> alive;
    std::int64_t temporaries = 0;
    for (std::size_t i = 0; i < pass.log.size(); ++i) {
        const LoggedAllocation& entry = pass.log[i];
        if (entry.bytes == 0) {
            const auto at = alive.find(entry.address);
            events.push_back({OpEvent::Kind::Free, at->second});
            alive.erase(at);
        } else if (const auto result = results.find(i); result != results.end()) {
            events.push_back({OpEvent::Kind::Result, result->second});
        } else {
            events.push_back({OpEvent::Kind::Allocate, entry.bytes});
            alive[entry.address] = temporaries++;
        }
    }
    if (!alive.empty()) {
        return Error{"a temporary outlives the operator"};
    }
    return events;
}

base::Status check(const ConvKey& op, double memory) {
    const auto same = predict::parseConvKey(op.text());
    if (!same || *same != op) {
        return Error{same ? "its sizes do not fit each other" : same.error().message};
    }
    if (op.dtype != predict::DType::Float32) {
        return Error{"the engine runs fp32 only"};
    }
    if (op.pass == ConvKey::Pass::Backward && !op.inputGradient && !op.weightGradient) {
        return Error{"a backward pass without a wanted gradient"};
    }
    if (const double bytes = ConvolutionRun::tensorBytes(op); bytes > memory) {
        return Error{fmt::format("its tensors take {}, more than the {} allowed",
                                 base::formatBytes(static_cast<base::Bytes>(std::min(bytes, 4e18))),
                                 base::formatBytes(static_cast<base::Bytes>(memory)))};
    }
    return {};
}

base::Bytes memoryOf(const CalibrateOptions& options) {
    return options.memory > 0 ? options.memory : machineMemory() / 2;
}

/// The first run creates the oneDNN primitive, which takes time but no additional memory: its log is checked,
/// its time is not counted.
base::Result<OpRow> runRepeatedly(const ConvKey& op, const CalibrateOptions& options) {
    ConvolutionRun run(op);
    OpRow row;
    std::vector<double> times;
    double spent = 0;
    for (int i = 0; i <= std::max(options.repeats, 1) && (i < 4 || spent < options.patience * 1000); ++i) {
        const ConvolutionRun::Pass pass = run.run();
        auto events = HIGHWATER_TRY(eventsOf(op, pass));
        if (i > 0 && events != row.events) {
            return Error{"it allocates differently each time"};
        }
        row.events = std::move(events);
        spent += pass.microseconds;
        if (i > 0) {
            times.push_back(pass.microseconds);
        }
    }
    row.microseconds = typicalTime(std::move(times));
    return row;
}

}  // namespace

predict::CpuKey beginCalibration(const CalibrateOptions& options) {
    installBooks({});
    // at::set_num_threads creates new threads at each call, and new ones spin for milliseconds.
    if (options.threads > 0 && options.threads != at::get_num_threads()) {
        at::set_num_threads(options.threads);
    }
    at::globalContext().setUserEnabledMkldnn(options.onednn);
    const wire::Environment here = environment("cpu");
    return {here.versions.at("libtorch"), options.onednn ? here.versions.at("onednn") : "off", here.isa,
            here.threads};
}

base::Result<OpRow> measureConvolution(const ConvKey& op, const CalibrateOptions& options,
                                       const std::atomic<bool>* cancel) {
    const base::Bytes memory = memoryOf(options);
    HIGHWATER_TRY(check(op, static_cast<double>(memory)));
    Accounting& books = installBooks({});
    books.start(memory, cancel);
    const auto measured = [&]() -> base::Result<OpRow> {
        try {
            return runRepeatedly(op, options);
        } catch (const Cancelled&) {
            throw;
        } catch (const std::exception& error) {
            if (const auto refusal = books.refusal()) {
                return Error{fmt::format("it requested {} with {} in use, beyond the {} allowed",
                                         base::formatBytes(refusal->requested),
                                         base::formatBytes(refusal->ledger.total()),
                                         base::formatBytes(memory))};
            }
            return Error{"LibTorch: " + briefError(error)};
        }
    };
    try {
        auto row = measured();
        books.stop();
        if (!row) {
            drainBackward();
        }
        return row;
    } catch (const Cancelled&) {
        books.stop();
        drainBackward();
        return Error{"cancelled"};
    }
}

CalibrationResult calibrate(std::span<const ConvKey> ops, const CalibrateOptions& options,
                            const std::function<void(const CalibrationProgress&)>& progress,
                            const std::atomic<bool>& cancel) {
    CalibrationResult result{predict::Calibration(beginCalibration(options)), {}, false};
    result.table.machine = environment("cpu").deviceName;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < ops.size() && !cancel; ++i) {
        const std::string name = ops[i].text();
        if (!seen.insert(name).second) {
            continue;
        }
        if (progress) {
            progress({i, ops.size(), name});
        }
        auto row = measureConvolution(ops[i], options, &cancel);
        if (row) {
            result.table.add(ops[i], std::move(*row));
        } else if (!cancel) {
            result.skipped.push_back(name + ": " + row.error().message);
        }
    }
    result.cancelled = cancel;
    return result;
}

}  // namespace highwater::engine
