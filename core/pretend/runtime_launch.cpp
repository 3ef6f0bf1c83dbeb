#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/pretend/attributes.h"
#include "core/pretend/images.h"
#include "core/pretend/memory.h"
#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Registration and launch of kernels of the CUDA runtime: names are stored, nothing is loaded or run.
using namespace highwater::pretend;

namespace {

// The object returned by __cudaRegisterFatBinary: lives as long as the process, as its kernels do.
// Registration happens while libraries are loaded, before a program may have set the device's environment: so
// the GPU must not be determined before a kernel is used.
class Module {
public:
    explicit Module(std::vector<Image> images) : images_(std::move(images)) {}
    const std::vector<Image>& images() const { return images_; }
    // Architecture of the code that this GPU runs, such as 86; std::nullopt: there is no such code.
    std::optional<int> architecture() const {
        std::call_once(found_,
                       [this] { architecture_ = architectureThatRuns(images_, settings().gpu.capability); });
        return architecture_;
    }

private:
    std::vector<Image> images_;
    mutable std::once_flag found_;
    mutable std::optional<int> architecture_;
};
struct Kernel {
    const char* name;  // mangled
    const Module* module;
};
struct Kernels {
    std::mutex mutex;
    std::unordered_map<const void*, Kernel> all;  // by host function
    std::deque<Module> modules;                   // a deque: addresses must not change
};

Kernels& kernels() {
    static Kernels& kernels = *new Kernels;
    return kernels;
}

Kernel kernelOf(const void* function) {
    static const Module kUnknown(std::vector<Image>{});
    Kernels& k = kernels();
    const std::lock_guard lock(k.mutex);
    const auto found = k.all.find(function);
    return found == k.all.end() ? Kernel{"kernel", &kUnknown} : found->second;
}

// Whether the GPU can run the kernel; prints once which GPUs its code is for.
bool hasImage(const Kernel& kernel) {
    if (kernel.module->architecture()) {
        return !settings().noKernels;
    }
    std::set<int> compiledFor;
    for (const Image& image : kernel.module->images()) {
        compiledFor.insert(image.architecture);
    }
    std::string text;
    for (const int each : compiledFor) {
        text += (text.empty() ? "sm_" : ", sm_") + std::to_string(each);
    }
    sayOnce("this program has no code for the GPU, which is sm_" + std::to_string(settings().gpu.capability) +
            ": it was built for " + text);
    return false;
}

struct Configuration {
    dim3 grid;
    dim3 block;
    size_t shared;
    cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

cudaError_t run(const void* function) {
    if (driverError() != cudaSuccess) {
        return done(driverError());
    }
    ensureContext();
    const Kernel kernel = kernelOf(function);
    return done(hasImage(kernel) ? static_cast<cudaError_t>(launch(kernel.name))
                                 : cudaErrorNoKernelImageForDevice);
}

cudaError_t occupancy(int* blocks, int threads) {
    *blocks = threads > 0 ? settings().gpu.threadsPerMultiprocessor / threads : 0;
    return known(driverError());
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* binary) {
    Kernels& k = kernels();
    const std::lock_guard lock(k.mutex);
    return reinterpret_cast<void**>(&k.modules.emplace_back(imagesOf(binary)));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
    return 1;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int) {}

void __cudaRegisterFunction(void** module, const char* function, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
    Kernels& k = kernels();
    const std::lock_guard lock(k.mutex);
    k.all.emplace(function, Kernel{name, reinterpret_cast<const Module*>(module)});
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
    configurations.push_back({grid, block, shared, static_cast<cudaStream_t>(stream)});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    if (configurations.empty()) {
        return done(cudaErrorMissingConfiguration);
    }
    const Configuration top = configurations.back();
    configurations.pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *static_cast<cudaStream_t*>(stream) = top.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3, void**, size_t, cudaStream_t) {
    return run(kernel);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3, dim3, void**, size_t, cudaStream_t) {
    return run(kernel);
}
cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void**, size_t, cudaStream_t) {
    return run(function);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void* function, void**) {
    return run(function);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3, dim3, void**, size_t, cudaStream_t) {
    return run(function);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    const Kernel kernel = kernelOf(function);
    if (!hasImage(kernel)) {
        return done(cudaErrorNoKernelImageForDevice);
    }
    cudaFuncAttributes a{};
    a.maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    a.numRegs = 32;
    a.ptxVersion = a.binaryVersion = *kernel.module->architecture();  // CUB selects its kernel configurations
                                                                      // by it
    a.maxDynamicSharedSizeBytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    *attributes = a;
    return done(driverError());
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
    return done(driverError());
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, cudaFuncAttribute, int, int) {
    return done(driverError());
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads, size_t) {
    return occupancy(blocks, threads);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int threads,
                                                                   size_t, unsigned) {
    return occupancy(blocks, threads);
}

}  // extern "C"
