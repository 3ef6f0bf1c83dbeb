#include <fmt/format.h>

#include "core/base/file.h"
#include "core/memory/trace_record.h"
#include "core/runs/checked_database.h"
#include "core/runs/trace_store.h"

namespace highwater::runs {

namespace {

/// Writes the readable part of the trace; its note says what could not be read.
base::Status writeTrace(const std::filesystem::path& runFolder, std::string_view content) {
    memory::TraceRecordReader reader(content);
    const auto layers = reader.layers();
    auto writer =
        HIGHWATER_TRY(TraceWriter::create(runFolder, layers ? *layers : std::vector<std::string>()));
    std::string problem = layers ? "" : layers.error().message;
    bool last = false;
    while (problem.empty() && !last) {
        const auto chunk = reader.next();
        if (!chunk) {
            problem = chunk.error().message;
        } else if (!*chunk) {
            problem = "the engine ended before its trace did";
        } else if (const auto appended = writer.append(**chunk); !appended) {
            return appended;
        } else {
            last = (*chunk)->last;
        }
    }
    if (!problem.empty()) {
        memory::TraceChunk end;
        end.note = problem;
        HIGHWATER_TRY(writer.append(end));
    }
    return writer.finish();
}

}  // namespace

base::Status importTrace(const std::filesystem::path& runFolder) {
    const auto path = runFolder / memory::kTraceChunks;
    std::error_code ignored;
    std::filesystem::remove(runFolder / memory::kTraceChunksPart, ignored);
    if (!std::filesystem::exists(path, ignored)) {
        return {};
    }
    const auto content = HIGHWATER_TRY(base::readFile(path, memory::kMostTraceChunks));
    removeDatabase(traceFile(runFolder));  // removes the leftovers of an import that was killed
    const auto written = writeTrace(runFolder, content);
    if (written) {
        std::filesystem::remove(path, ignored);
    }
    return written;
}

}  // namespace highwater::runs
