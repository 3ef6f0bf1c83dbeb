#include "core/capture/compiled.h"

#include <algorithm>
#include <string_view>

#include "core/memory/trace.h"

namespace highwater::capture {

namespace {

/// Inductor writes to torchinductor_USER, unless TORCHINDUCTOR_CACHE_DIR is set; its caller was in
/// codecache.py before PyTorch 2.6. Scripts run by Highwater have "<compiled>" in place of the generated
/// name.
bool isCompiledCode(const memory::StackFrame& frame) {
    const std::string_view file = frame.file;
    const bool caller =
        file.ends_with("torch/_inductor/output_code.py") || file.ends_with("torch/_inductor/codecache.py");
    return file == "<compiled>" || file.find("torchinductor_") != std::string_view::npos ||
           (caller && frame.function == "__call__");
}

std::vector<bool> compiledStacks(const memory::CallStacks& stacks) {
    std::vector<bool> frames(stacks.frames.size()), compiled(stacks.stacks.size());
    std::transform(stacks.frames.begin(), stacks.frames.end(), frames.begin(), isCompiledCode);
    for (std::size_t i = 0; i < compiled.size(); ++i) {
        compiled[i] = std::ranges::any_of(stacks.framesOf(static_cast<std::int32_t>(i)),
                                          [&](std::uint32_t frame) { return frames[frame]; });
    }
    return compiled;
}

}  // namespace

std::optional<CompiledShare> compiledShare(const memory::Trace& trace) {
    if (!trace.stacks) {
        return {};
    }
    const std::vector<bool> compiled = compiledStacks(*trace.stacks);
    const auto isCompiled = [&](const memory::TraceBlock& block) {
        return trace.stacks->has(block.stack) && compiled[static_cast<std::size_t>(block.stack)];
    };
    if (std::ranges::none_of(trace.blocks, isCompiled)) {
        return {};
    }
    const memory::TracePeak peak = memory::findPeak(trace);
    CompiledShare share{0, peak.ledger.total()};
    for (const memory::TraceAlive& each : trace.alive) {
        const memory::TraceBlock& block = trace.blocks[each.block];
        share.bytes += isCompiled(block) ? block.bytes : 0;
    }
    for (std::ptrdiff_t i = 0; i <= peak.event; ++i) {
        const memory::TraceEvent& event = trace.events[static_cast<std::size_t>(i)];
        const memory::TraceBlock& block = trace.blocks[event.block];
        if (event.kind != memory::TraceEvent::Kind::Retag && isCompiled(block)) {
            share.bytes += event.kind == memory::TraceEvent::Kind::Allocate ? block.bytes : -block.bytes;
        }
    }
    return share;
}

}  // namespace highwater::capture
