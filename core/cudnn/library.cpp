#include "core/cudnn/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>

#include "core/base/text.h"

namespace highwater::cudnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "libcudnn.so.9";
constexpr predict::CudnnVersion kOldest{9, 8, 0};

/// Loads the libraries that cuDNN opens by name and that Python's wheels keep in separate folders.
void loadNeighbors(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& wheel : fs::directory_iterator(folder.parent_path().parent_path(), ignored)) {
        for (const auto& file : fs::directory_iterator(wheel.path() / "lib", ignored)) {
            const std::string name = file.path().filename().string();
            for (const char* needed : {"libcublasLt.so", "libcublas.so", "libnvrtc.so"}) {
                if (name.starts_with(needed)) {
                    ::dlopen(file.path().c_str(), RTLD_LAZY | RTLD_GLOBAL);
                }
            }
        }
    }
}

template <class Function>
bool findFunction(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    return function != nullptr;
}

/// 91900 is 9.19.0.
predict::CudnnVersion versionOf(std::size_t number) {
    return {static_cast<int>(number / 10000), static_cast<int>(number / 100 % 100),
            static_cast<int>(number % 100)};
}

}  // namespace

base::Result<Library> Library::load(const fs::path& folder) {
    if (!folder.empty()) {
        loadNeighbors(folder);
    }
    const std::string path = folder.empty() ? kName : (folder / kName).string();
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
        return base::Error{fmt::format("cuDNN cannot be loaded: {}", base::oneLine(::dlerror(), 300))};
    }
    Library library;
    api::Functions& f = library.functions_;
    const bool complete = findFunction(handle, "cudnnGetVersion", f.version) &&
                          findFunction(handle, "cudnnGetCudartVersion", f.cudaVersion) &&
                          findFunction(handle, "cudnnBackendCreateDescriptor", f.create) &&
                          findFunction(handle, "cudnnBackendDestroyDescriptor", f.destroy) &&
                          findFunction(handle, "cudnnBackendFinalize", f.finalize) &&
                          findFunction(handle, "cudnnBackendSetAttribute", f.set) &&
                          findFunction(handle, "cudnnBackendGetAttribute", f.get);
    if (!complete) {
        return base::Error{fmt::format("{} is not a cuDNN 9: it lacks functions of the backend API", path)};
    }
    library.version_ = versionOf(f.version());
    library.cuda_ = static_cast<int>(f.cudaVersion() / 1000);
    if (library.version_ < kOldest) {
        return base::Error{fmt::format("cuDNN {} cannot be asked without a GPU; 9.8 or newer can",
                                       predict::toText(library.version_))};
    }
    return library;
}

}  // namespace highwater::cudnn
