#include "core/script/ranks.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/predict/target/ranks.h"

namespace highwater::script {

base::Result<int> freePort() {
    const base::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (socket.get() < 0 || ::bind(socket.get(), generic, size) != 0 ||
        ::getsockname(socket.get(), generic, &size) != 0) {
        return base::Error{fmt::format("no port is free for the ranks to meet: {}", std::strerror(errno))};
    }
    return ntohs(address.sin_port);
}

void makeRank(base::Launch& launch, const RankPlace& place) {
    const auto set = [](std::string_view name, auto value) { return fmt::format("{}={}", name, value); };
    std::vector<std::string> environment = {
        set("RANK", place.rank),
        set("LOCAL_RANK", place.rank),
        set("ROLE_RANK", place.rank),
        set("WORLD_SIZE", place.count),
        set("LOCAL_WORLD_SIZE", place.count),
        set("ROLE_WORLD_SIZE", place.count),
        "GROUP_RANK=0",
        "GROUP_WORLD_SIZE=1",
        "ROLE_NAME=default",
        "MASTER_ADDR=127.0.0.1",
        set("MASTER_PORT", place.port),
        "TORCHELASTIC_RUN_ID=none",
        "TORCHELASTIC_RESTART_COUNT=0",
        "TORCHELASTIC_MAX_RESTARTS=0",
        set("HIGHWATER_PRETEND_DEVICES", place.count),
        set("HIGHWATER_PRETEND_NCCL", predict::ncclBuffers(place.count).expected)};
    if (std::getenv("OMP_NUM_THREADS") == nullptr) {
        environment.push_back("OMP_NUM_THREADS=1");  // as torchrun does
    }
    // The first assignment among the arguments of env; options with their values precede it.
    const auto first = std::ranges::find_if(launch.arguments, [](const std::string& argument) {
        return argument.find('=') != std::string::npos;
    });
    launch.arguments.insert(first, environment.begin(), environment.end());
}

base::Status checkStartsNoRanks(const std::vector<std::string>& command) {
    if (command.empty()) {
        return {};
    }
    const bool module = command[0] == "-m" && command.size() > 1;
    const std::string name = module ? command[1] : std::filesystem::path(command[0]).filename().string();
    const bool starts = name == "torchrun" || name == "torch.distributed.run" ||
                        name == "torch.distributed.launch" || name == "torch.distributed.launcher";
    if (!starts) {
        return {};
    }
    std::string ranks = "N";
    for (std::size_t i = 1; i < command.size(); ++i) {
        std::string option = command[i];
        std::ranges::replace(option, '_', '-');
        if (option == "--nproc-per-node" && i + 1 < command.size()) {
            ranks = command[i + 1];
        } else if (option.starts_with("--nproc-per-node=")) {
            ranks = option.substr(option.find('=') + 1);
        }
    }
    return base::Error{
        fmt::format("{} starts processes of its own, which cannot be recorded; give the training script "
                    "itself, and --ranks {} before it",
                    name, ranks)};
}

FirstRankExtra firstRankExtra(const std::vector<const ScriptOutcome*>& ranks) {
    FirstRankExtra extra;
    if (ranks.size() < 2 || ranks[0] == nullptr) {
        return extra;
    }
    base::Bytes most = 0;
    memory::Ledger mostOf;
    bool any = false;
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
        if (ranks[rank] == nullptr) {
            continue;
        }
        any = true;
        most = std::max(most, ranks[rank]->allocated);
        for (const memory::Category category : memory::kCategories) {
            mostOf[category] = std::max(mostOf[category], ranks[rank]->peakByCategory[category]);
        }
        for (const OtherDevice& other : ranks[rank]->elsewhere) {
            if (other.device == ranks[0]->device) {
                extra.byOtherRanks += other.reserved + (other.context ? ranks[rank]->context : 0);
            }
        }
    }
    if (any) {
        extra.allocated = std::max<base::Bytes>(0, ranks[0]->allocated - most);
        for (const memory::Category category : memory::kCategories) {
            extra.byCategory[category] =
                std::max<base::Bytes>(0, ranks[0]->peakByCategory[category] - mostOf[category]);
        }
    }
    return extra;
}

}  // namespace highwater::script
