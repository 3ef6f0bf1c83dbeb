#include "tests/gpu/convolutions/device_convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/engine/calibrate/convolution_run.h"
#include "core/engine/device/backend.h"
#include "core/engine/device/cuda_hooks.h"
#include "core/engine/device/torch_compat.h"
#include "core/engine/run/environment.h"
#include "tests/gpu/convolutions/stream_span.h"
#include "tests/gpu/convolutions/workspaces.h"

namespace highwater::engine {

namespace {

using base::Error;
using predict::ConvKey;
using predict::GpuOpRow;

constexpr int kWarmUps = 3;

/// Logs every allocation and free of this GPU's memory, like AllocationLog for the CPU.
class CudaAllocationLog {
public:
    explicit CudaAllocationLog(int index) : books_(installCudaBooks(index)) { books_.startLog(); }
    ~CudaAllocationLog() {
        if (open_) {
            books_.stopLog();
        }
    }
    CudaAllocationLog(const CudaAllocationLog&) = delete;
    CudaAllocationLog& operator=(const CudaAllocationLog&) = delete;

    std::vector<LoggedAllocation> stop() {
        open_ = false;
        return books_.stopLog();
    }

private:
    DeviceBooks& books_;
    bool open_ = true;
};

/// Error if the key is not valid or the host has too little memory: the weight is drawn on the host first.
base::Status check(const ConvKey& op) {
    const auto same = predict::parseConvKey(op.text());
    if (!same || *same != op) {
        return Error{same ? "its sizes do not fit each other" : same.error().message};
    }
    if (op.pass == ConvKey::Pass::Backward && !op.inputGradient && !op.weightGradient) {
        return Error{"a backward pass without a wanted gradient"};
    }
    const double weight = 4 * static_cast<double>(op.weightElements());
    if (weight > static_cast<double>(machineMemory()) / 4) {
        return Error{fmt::format("its weight takes {}, too much for this machine",
                                 base::formatBytes(static_cast<base::Bytes>(weight)))};
    }
    return {};
}

/// Configures LibTorch as a run with these switches does.
base::Status configureFor(const DeviceConvolutionOptions& options, const Device& device) {
    stack::Experiment experiment;
    experiment.backend.tf32 = options.tf32;
    experiment.backend.benchmark = options.benchmark;
    experiment.backend.deterministic = options.deterministic;
    HIGHWATER_TRY(configure(experiment, device));
    return {};
}

bool isCancelled(const std::atomic<bool>* cancel) {
    return cancel != nullptr && *cancel;
}

base::Result<GpuOpRow> runLogged(const ConvKey& op, ConvolutionRun& run, const Device& device) {
    std::optional<CudaAllocationLog> log;
    std::vector<LoggedAllocation> entries;
    const auto results = run.run([&] { log.emplace(device.index); }, [&] { entries = log->stop(); });
    return workspacesOf(op, entries, addressesOf(results));
}

/// The runs are queued without waiting, so that the host stays ahead of a slower device. Returns
/// microseconds; 0 if cancelled.
double timeOf(ConvolutionRun& run, const Device& device, int repeats, const std::atomic<bool>* cancel) {
    std::vector<std::unique_ptr<StreamSpan>> spans;
    for (int i = 0; i < std::max(repeats, 1) && !isCancelled(cancel); ++i) {
        spans.push_back(makeStreamSpan(device));
        run.run([&] { spans.back()->begin(); }, [&] { spans.back()->end(); });
    }
    std::vector<double> times;
    for (const auto& span : spans) {
        times.push_back(span->microseconds());
    }
    return times.empty() ? 0 : typicalTime(std::move(times));
}

/// The first runs choose cuDNN's plan and load its kernels; the last two must make the same allocations.
base::Result<GpuOpRow> measure(const ConvKey& op, const DeviceConvolutionOptions& options,
                               const Device& device, const std::atomic<bool>* cancel) {
    ConvolutionRun run(op, device);
    std::optional<GpuOpRow> last;
    for (int i = 0; i < kWarmUps; ++i) {
        if (isCancelled(cancel)) {
            return Error{"cancelled"};
        }
        auto row = runLogged(op, run, device);
        if (!row && i + 1 == kWarmUps) {
            return row.error();
        }
        if (i + 1 == kWarmUps && last && *row != *last) {
            return Error{"it allocates differently each time"};
        }
        last = row ? std::optional(*row) : std::nullopt;
    }
    last->microseconds = timeOf(run, device, options.repeats, cancel);
    if (isCancelled(cancel)) {
        return Error{"cancelled"};
    }
    return *last;
}

/// A LibTorch exception as one line. Leaves the device usable, unless it is lost.
Error failed(const std::exception& error, const Device& device) {
    const auto text = deviceErrorText(error);
    if (deviceIsLost(device)) {
        return Error{text.value_or("the GPU was lost")};
    }
    drainBackward();
    return Error{text.value_or("LibTorch: " + briefError(error))};
}

}  // namespace

base::Result<GpuOpRow> measureDeviceConvolution(const ConvKey& op, const DeviceConvolutionOptions& options,
                                                const std::atomic<bool>* cancel) {
    const auto device = HIGHWATER_TRY(parseDevice(options.device));
    if (!device.cuda) {
        return Error{"a GPU's workspaces are measured on one: choose the device cuda or cuda:N"};
    }
    if (const auto why = unusable(device)) {
        return Error{*why};
    }
    HIGHWATER_TRY(check(op));
    HIGHWATER_TRY(configureFor(options, device));
    installBooks(device);
    const auto measured = [&]() -> base::Result<GpuOpRow> {
        try {
            releaseCached(device);
            return measure(op, options, device, cancel);
        } catch (const std::exception& error) {
            return failed(error, device);
        }
    };
    auto row = measured();
    if (!deviceIsLost(device)) {
        releaseCached(device);
    }
    return row;
}

}  // namespace highwater::engine
