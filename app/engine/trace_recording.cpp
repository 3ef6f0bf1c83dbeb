#include "app/engine/recording.h"
#include "core/runs/trace_store.h"

namespace highwater::engine_app {

engine::TraceSink traceInto(const std::filesystem::path& runFolder, const stack::Experiment& experiment) {
    const auto layers = layerNames(experiment);
    const auto writer = std::make_shared<std::optional<runs::TraceWriter>>();
    return [=](const memory::TraceChunk& chunk) -> base::Status {
        if (!*writer) {
            auto made = HIGHWATER_TRY(runs::TraceWriter::create(runFolder, layers));
            *writer = std::move(made);
        }
        HIGHWATER_TRY((*writer)->append(chunk));
        return chunk.last ? (*writer)->finish() : base::Status();
    };
}

}  // namespace highwater::engine_app
