#include "core/engine/device/backend.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_set>

#include "core/base/text.h"
#include "core/engine/device/torch_compat.h"
#include "core/memory/allocator_config.h"

#ifdef HIGHWATER_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAAllocatorConfig.h>
#endif

namespace highwater::engine {

namespace {

using base::Error;
using stack::Precision;
using Warnings = std::vector<std::string>;

void useThreads(std::int64_t wanted) {
    static const int own = at::get_num_threads();
    const int threads = wanted > 0 ? static_cast<int>(wanted) : own;
    if (threads != at::get_num_threads()) {
        at::set_num_threads(threads);
    }
}

bool wantsTf32(const stack::Experiment& e) {
    return e.backend.tf32 || e.step.precision == Precision::Tf32;
}

void setSwitches(const stack::Experiment& e) {
    const stack::Backend& backend = e.backend;
    at::Context& context = at::globalContext();
    context.setUserEnabledMkldnn(backend.onednn);
    context.setUserEnabledCuDNN(backend.cudnn);
    context.setBenchmarkCuDNN(backend.benchmark);
    context.setDeterministicCuDNN(backend.deterministic);
    context.setDeterministicAlgorithms(backend.deterministic, true);
    allowTf32(wantsTf32(e));
}

void setWorkspaceLimit(const std::optional<base::Bytes>& limit, bool cuda, Warnings& warnings) {
    constexpr const char* kVariable = "CUDNN_CONV_WSCAP_DBG";
    static const char* const inherited = std::getenv(kVariable);
    static const std::string before = inherited == nullptr ? "" : inherited;
    static std::optional<std::string> used;  // settings of this process's latest GPU run
    const std::string value = limit ? fmt::format("{}", *limit / base::kMiB) : before;
    if (value.empty()) {
        unsetenv(kVariable);
    } else {
        setenv(kVariable, value.c_str(), 1);
    }
    if (cuda && used && *used != value) {
        warnings.push_back(
            "/backend/workspace_limit differs from that of a run before in this process: it reaches only "
            "convolutions that are new to it");
    }
    if (cuda) {
        used = value;
    }
}

#ifdef HIGHWATER_CUDA
/// Passes on each distinct warning once: operators without a deterministic version warn at each call.
class SaidOnce final : public c10::WarningHandler {
public:
    void process(const c10::Warning& warning) override {
        {
            const std::lock_guard lock(mutex_);
            if (!said_.insert(warning.msg()).second) {
                return;
            }
        }
        c10::WarningHandler::process(warning);
    }

private:
    std::mutex mutex_;
    std::unordered_set<std::string> said_;
};

void warnOnce() {
    static auto* const handler = new SaidOnce;  // never destroyed: threads may outlive main
    c10::WarningUtils::set_warning_handler(handler);
}

/// Options that keep their value if a settings text does not name them, with the text of their default. An
/// empty default: they cannot be reset.
struct Sticky {
    std::string_view name;
    std::string_view standard;
};
constexpr Sticky kSticky[] = {
    {"expandable_segments", "False"},        {"max_non_split_rounding_mb", ""},
    {"release_lock_on_cudamalloc", "False"}, {"pinned_use_cuda_host_register", "False"},
    {"pinned_num_register_threads", "1"},    {"pinned_use_background_threads", "False"},
    {"pinned_reserve_segment_size_mb", ""},  {"graph_capture_record_stream_reuse", "False"},
};

std::set<const Sticky*> stickyIn(const std::string& settings) {
    std::set<const Sticky*> found;
    for (const Sticky& each : kSticky) {
        if (settings.find(each.name) != std::string::npos) {
            found.insert(&each);
        }
    }
    return found;
}

/// `settings`, preceded by the defaults of the sticky options that the environment or earlier runs named.
std::string withDefaults(const std::string& settings, Warnings& warnings) {
    static std::set<const Sticky*> named = stickyIn(allocatorSettings({}));
    const std::set<const Sticky*> now = stickyIn(settings);
    std::string text;
    for (const Sticky* each : named) {
        if (!each->standard.empty()) {
            text += fmt::format("{}:{},", each->name, each->standard);
        } else if (!now.contains(each)) {
            warnings.push_back(fmt::format(
                "/backend/alloc_conf: {} stays as a run before in this process has set it", each->name));
        }
    }
    named.insert(now.begin(), now.end());
    return text + settings;
}

base::Status setAllocator(const std::string& settings, Warnings& warnings) {
    static std::optional<std::string> last = allocatorSettings({});  // LibTorch reads these itself
    if (settings == last) {
        return {};
    }
    std::string text = withDefaults(settings, warnings);
    if (text.ends_with(',')) {
        text.pop_back();
    }
    last.reset();
    try {
        c10::cuda::CUDACachingAllocator::setAllocatorSettings(text);
    } catch (const std::exception& error) {
        return Error{"/backend/alloc_conf: " + briefError(error)};
    }
    last = settings;
    return {};
}

void warnOfArchitecture(const stack::Experiment& e, int index, Warnings& warnings) {
    const cudaDeviceProp& gpu = *at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index));
    if (gpu.major >= 8) {
        return;
    }
    const std::string name = fmt::format("{} (compute capability {}.{})", gpu.name, gpu.major, gpu.minor);
    if (wantsTf32(e)) {
        warnings.push_back(name + " has no TF32: products of fp32 tensors are computed in fp32");
    }
    if (e.step.precision == Precision::Bf16 || e.step.precision == Precision::Bf16True) {
        warnings.push_back(name + " has no bf16 units: it is emulated, and slow; fp16 is not");
    }
}

base::Status configureGpu(const stack::Experiment& e, const Device& device, Warnings& warnings) {
    warnOnce();
    const std::string settings = allocatorSettings(e);
    HIGHWATER_TRY(
        base::prefixed("/backend/alloc_conf", memory::parseAllocatorConfig(settings, libtorchVersion())));
    if (e.backend.allocConf.empty() && !settings.empty()) {
        warnings.push_back("the environment's PYTORCH_CUDA_ALLOC_CONF \"" + settings +
                           "\" holds for this run; estimates use only /backend/alloc_conf");
    }
    warnOfArchitecture(e, device.index, warnings);
    return setAllocator(settings, warnings);
}
#else
base::Status configureGpu(const stack::Experiment&, const Device&, Warnings&) {
    return Error{"this build has no CUDA"};
}
#endif

}  // namespace

std::string allocatorSettings(const stack::Experiment& experiment) {
    if (!experiment.backend.allocConf.empty()) {
        return experiment.backend.allocConf;
    }
    for (const char* const variable : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
        if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0') {
            return value;
        }
    }
    return {};
}

base::Status checkThreads(std::int64_t wanted) {
    constexpr std::int64_t kMostEach = 16;
    const std::int64_t processors = std::max(1U, std::thread::hardware_concurrency());
    if (wanted <= kMostEach * processors) {
        return {};
    }
    return Error{
        fmt::format("{} threads would wait for each other and hardly compute; this machine has {}, so give "
                    "at most {}, or 0 for LibTorch's choice",
                    wanted, base::counted(processors, "processor"), kMostEach * processors)};
}

base::Result<std::vector<std::string>> configure(const stack::Experiment& experiment, const Device& device) {
    Warnings warnings;
    HIGHWATER_TRY(base::prefixed("/backend/threads", checkThreads(experiment.backend.threads)));
    useThreads(experiment.backend.threads);
    setSwitches(experiment);
    setWorkspaceLimit(experiment.backend.workspaceLimit, device.cuda, warnings);
    if (device.cuda) {
        HIGHWATER_TRY(configureGpu(experiment, device, warnings));
    }
    return warnings;
}

}  // namespace highwater::engine
