#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace highwater::memory {

/// A source location in a call stack.
struct StackFrame {
    std::string file;       ///< as recorded, with slashes or backslashes; may be empty
    std::string function;   ///< may be empty
    std::int32_t line = 0;  ///< from 1; 0: unknown
    bool operator==(const StackFrame&) const = default;
};

/// The call stacks of a capture, without duplicates.
struct CallStacks {
    struct Stack {
        std::uint32_t first = 0, count = 0;  ///< its frames in `order`, innermost first
        /// Index into `frames` of the most descriptive one: the innermost in the user's own code, if there is
        /// one; -1 if the stack has no frames.
        std::int32_t best = -1;
    };
    std::vector<StackFrame> frames;
    std::vector<std::uint32_t> order;  ///< indices into `frames`, one stack after another
    std::vector<Stack> stacks;

    bool has(std::int32_t stack) const {
        return stack >= 0 && static_cast<std::size_t>(stack) < stacks.size();
    }
    /// The frames of an existing stack, as indices into `frames`, innermost first.
    std::span<const std::uint32_t> framesOf(std::int32_t stack) const {
        const Stack& of = stacks[static_cast<std::size_t>(stack)];
        return std::span(order).subspan(of.first, of.count);
    }
    /// The most descriptive frame of a stack; null if there is no such stack or it has no frames.
    const StackFrame* bestOf(std::int32_t stack) const {
        const std::int32_t best = has(stack) ? stacks[static_cast<std::size_t>(stack)].best : -1;
        return best < 0 ? nullptr : &frames[static_cast<std::size_t>(best)];
    }
};

}  // namespace highwater::memory
