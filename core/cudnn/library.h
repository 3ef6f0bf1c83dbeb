#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/cudnn/api.h"
#include "core/predict/tables/profile.h"

namespace highwater::cudnn {

/// The cuDNN of this machine, loaded at run time and never unloaded.
class Library {
public:
    /// Loads libcudnn.so.9 from `folder`, or, if that is empty, from the loader's search path. The libraries
    /// in the sibling folders (../../*/lib, as in Python's wheels) are loaded first, since cuDNN needs them.
    /// Errors, one line: there is none, it cannot be loaded, or it is older than 9.8, which cannot answer
    /// without a GPU.
    static base::Result<Library> load(const std::filesystem::path& folder);

    const api::Functions& functions() const { return functions_; }
    predict::CudnnVersion version() const { return version_; }
    int cuda() const { return cuda_; }  ///< the major version of CUDA that cuDNN was built with

private:
    Library() = default;
    api::Functions functions_;
    predict::CudnnVersion version_;
    int cuda_ = 0;
};

}  // namespace highwater::cudnn
