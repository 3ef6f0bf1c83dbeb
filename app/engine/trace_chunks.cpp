#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/engine/recording.h"
#include "core/base/descriptor.h"
#include "core/base/text.h"
#include "core/memory/trace_record.h"
#include "core/stack/shapes.h"

namespace highwater::engine_app {

namespace {

/// Appends to the file, creating it if needed.
class ChunkFile {
public:
    explicit ChunkFile(std::filesystem::path path)
        : path_(std::move(path)),
          file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666)) {}

    base::Status append(std::string_view bytes) {
        written_ += static_cast<base::Bytes>(bytes.size());
        if (written_ > memory::kMostTraceChunks) {
            return base::Error{fmt::format("a host hands over {} of it at most",
                                           base::formatBytes(memory::kMostTraceChunks))};
        }
        while (!bytes.empty()) {
            const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
            if (n > 0) {
                bytes.remove_prefix(static_cast<std::size_t>(n));
            } else if (n == 0 || errno != EINTR) {
                return base::Error{fmt::format("{}: {}", path_.string(), std::strerror(errno))};
            }
        }
        return {};
    }

private:
    std::filesystem::path path_;
    base::Descriptor file_;
    base::Bytes written_ = 0;
};

}  // namespace

std::vector<std::string> layerNames(const stack::Experiment& experiment) {
    std::vector<std::string> names;
    if (const auto info = stack::inferShapes(experiment)) {
        for (const stack::LayerInfo& layer : info->layers) {
            names.push_back(layer.name);
        }
    }
    return names;
}

engine::TraceSink traceChunksInto(const std::filesystem::path& runFolder,
                                  const stack::Experiment& experiment) {
    const auto file = std::make_shared<std::optional<ChunkFile>>();
    return [file, path = runFolder / memory::kTraceChunks,
            first = memory::encodeLayers(layerNames(experiment))](const memory::TraceChunk& chunk) {
        if (!*file) {
            file->emplace(path);
            if (const auto begun = (*file)->append(first); !begun) {
                return begun;
            }
        }
        return chunk.empty() && !chunk.last ? base::Status() : (*file)->append(memory::encodeChunk(chunk));
    };
}

}  // namespace highwater::engine_app
