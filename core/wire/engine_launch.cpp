#include "core/wire/engine_launch.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "core/base/open_files.h"

namespace highwater::wire {

base::Launch engineLaunch(const EngineRequest& request, const std::filesystem::path& program) {
    base::Launch launch;
    launch.program = program;
    launch.arguments = {"--run",   request.runFolder.string(),    "--device", request.device,
                        "--steps", std::to_string(request.steps), "--warmup", std::to_string(request.warmup)};
    if (request.budget) {
        launch.arguments.insert(launch.arguments.end(), {"--budget", std::to_string(*request.budget)});
    }
    if (!request.trace) {
        launch.arguments.push_back("--no-trace");
    } else if (request.traceChunks) {
        launch.arguments.push_back("--trace-chunks");
    }
    if (request.ranks > 1) {
        launch.arguments.insert(launch.arguments.end(), {"--ranks", std::to_string(request.ranks)});
        if (request.gradientAsBucketView) {
            launch.arguments.push_back("--gradient-as-bucket-view");
        }
    }
    return launch;
}

base::Result<std::vector<base::Descriptor>> ownCopies(const std::vector<int>& fds) {
    HIGHWATER_TRY(base::allowOpenFiles(2 * fds.size()));
    std::vector<base::Descriptor> volumes;
    for (const int fd : fds) {
        volumes.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
        if (volumes.back().get() < 0) {
            return base::Error{fmt::format("volume {} cannot be handed to the engine: {}", volumes.size(),
                                           std::strerror(errno))};
        }
    }
    return volumes;
}

void addVolumes(base::Launch& launch, const std::vector<base::Descriptor>& volumes) {
    for (const base::Descriptor& volume : volumes) {
        launch.arguments.insert(launch.arguments.end(), {"--volume", std::to_string(volume.get())});
        launch.inherited.push_back(volume.get());
    }
}

}  // namespace highwater::wire
