#pragma once

#include <filesystem>
#include <optional>

namespace highwater::ask {

/// Finds the user's cuDNN: the folder of libcudnn.so.9; an empty path means wherever the loader finds it.
/// $HIGHWATER_CUDNN names the folder, or is "off": std::nullopt, and cuDNN is never asked. Otherwise the
/// folder in the user's Python (python3 in an absolute folder of $PATH; the wheels nvidia-cudnn-cu12 and
/// -cu13, which LibTorch's wheels depend on), otherwise the loader's. Only the interpreter's own
/// site-packages are searched: nothing comes from the current folder or $PYTHONPATH. Starts Python once per
/// process, which takes a tenth of a second; any thread may call it.
std::optional<std::filesystem::path> findCudnn();

}  // namespace highwater::ask
