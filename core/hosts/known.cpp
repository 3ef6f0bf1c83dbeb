#include "core/hosts/known.h"

#include "core/base/file.h"
#include "core/base/json_file.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kMostGpus = 1024;

std::filesystem::path knownFile(const Host& host) {
    return hostsFile().parent_path() / "hosts" / (host.name + ".json");
}

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, HostFacts::Gpu>& gpu) {
    way("name", gpu.name);
    way("memory_bytes", gpu.memory);
}

struct KnownFile {
    std::string destination, python;
    KnownHost known;
};

template <class Way>
void exchange(Way& way, base::Exchanged<Way, KnownFile>& file) {
    way.format("schema", "highwater.known-host/1");
    way.olderWithout("destination", file.destination);
    way.olderWithout("python", file.python);
    way("torch", file.known.torch);
    way.list("gpus", file.known.gpus, kMostGpus);
}

base::Status remember(const Host& host, const HostFacts& facts) {
    const KnownFile file{host.destination, host.python, {facts.gpus, facts.torch}};
    return base::writeInFolder(knownFile(host), base::jsonText(base::JsonOut::written(file), 2) + "\n");
}

std::optional<KnownHost> knownOf(const Host& host) {
    auto file = base::fromJsonFile<KnownFile>(knownFile(host), base::kMiB);
    const bool same = file && file->destination == host.destination && file->python == host.python;
    return same ? std::optional(std::move(file->known)) : std::nullopt;
}

}  // namespace highwater::hosts
