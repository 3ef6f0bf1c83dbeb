#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/memory/trace.h"

namespace highwater::capture {

/// What one frame of a stack says about the allocation that it led to.
struct FrameWords {
    enum class Kind : std::uint8_t {
        User,      ///< of the training's own code
        Library,   ///< PyTorch's, Python's or C++
        Operator,  ///< and those that Highwater writes, see snapshot_fields.h
        Place,
        Category
    };
    Kind kind = Kind::User;
    std::optional<memory::Phase> phase;
    std::optional<memory::Category> category;
    std::int16_t layer = -1;  ///< of a Place
    std::uint8_t rank =
        0;  ///< how well it names the allocation: the user's code 3, an autograd node 2, Python 1
    bool operator==(const FrameWords&) const = default;
};

/// Read from the names of PyTorch's own functions: `backward` and the autograd engine, `torch/optim`,
/// `torch/utils/checkpoint.py`, `torch/utils/data`, `Module._apply`, modules being called, workspaces.
FrameWords frameWords(std::string_view filename, std::string_view name, std::int64_t line);

/// A frame's words for people: "train.py:57 forward".
std::string frameLabel(std::string_view filename, std::string_view name, std::int64_t line);

}  // namespace highwater::capture
