#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/memory/trace.h"

namespace highwater::capture {

/// What one stack frame says about its allocation.
struct FrameWords {
    enum class Kind : std::uint8_t {
        User,      ///< the training script's own code
        Library,   ///< PyTorch's or Python's own, or C++
        Operator,  ///< this and the next two: frames that Highwater writes, see snapshot_fields.h
        Place,
        Category
    };
    Kind kind = Kind::User;
    std::optional<memory::Phase> phase;
    std::optional<memory::Category> category;
    std::int16_t layer = -1;  ///< layer of a Place
    std::uint8_t rank = 0;    ///< how specifically it names the allocation: user code 3, an autograd node 2,
                              ///< Python 1
    bool operator==(const FrameWords&) const = default;
};

/// Classifies a frame by the names of PyTorch's own functions: `backward` and the autograd engine,
/// `torch/optim`, `torch/utils/checkpoint.py`, `torch/utils/data`, `Module._apply`, calls of modules,
/// workspaces.
FrameWords frameWords(std::string_view filename, std::string_view name, std::int64_t line);

/// A frame for display: "train.py:57 forward".
std::string frameLabel(std::string_view filename, std::string_view name, std::int64_t line);

}  // namespace highwater::capture
