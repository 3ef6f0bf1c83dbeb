#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/cudnn/api.h"
#include "core/predict/tables/profile.h"

namespace highwater::cudnn {

/// The cuDNN of this machine, loaded at run time and never unloaded.
class Library {
public:
    /// Loads libcudnn.so.9 from `folder`, or, if that is empty, from where the loader looks. What lies in the
    /// folders beside it (../../*/lib, as in Python's wheels) is loaded first, since cuDNN needs it. Errors,
    /// one line: there is none, it cannot be loaded, it is older than 9.8, which cannot be asked without a
    /// GPU.
    static base::Result<Library> load(const std::filesystem::path& folder);

    const api::Functions& functions() const { return functions_; }
    predict::CudnnVersion version() const { return version_; }
    int cuda() const { return cuda_; }  ///< the major version of CUDA that it was built with

private:
    Library() = default;
    api::Functions functions_;
    predict::CudnnVersion version_;
    int cuda_ = 0;
};

}  // namespace highwater::cudnn
