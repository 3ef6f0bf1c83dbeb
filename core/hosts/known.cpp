#include "core/hosts/known.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/file.h"
#include "core/base/json_reader.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kMostGpus = 1024;

std::filesystem::path knownFile(const Host& host) {
    return hostsFile().parent_path() / "hosts" / (host.name + ".json");
}

}  // namespace

base::Status remember(const Host& host, const HostFacts& facts) {
    base::Json gpus = base::Json::array();
    for (const HostFacts::Gpu& gpu : facts.gpus) {
        gpus.push_back({{"name", gpu.name}, {"memory_bytes", gpu.memory}});
    }
    const base::Json json = {{"schema", "highwater.known-host/1"},
                             {"destination", host.destination},
                             {"python", host.python},
                             {"torch", facts.torch},
                             {"gpus", gpus}};
    const auto file = knownFile(host);
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) {
        return base::Error{fmt::format("{}: {}", file.parent_path().string(), error.message())};
    }
    return base::writeFileAtomically(file,
                                     json.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n");
}

std::optional<KnownHost> knownOf(const Host& host) {
    const auto json = base::readJson(knownFile(host), base::kMiB);
    if (!json) {
        return std::nullopt;
    }
    base::JsonReader reader(*json, "");
    reader.choice("schema", {"highwater.known-host/1"});
    const bool same =
        reader.text("destination", "") == host.destination && reader.text("python", "") == host.python;
    KnownHost known;
    known.torch = reader.text("torch");
    const base::Json* gpus = reader.raw("gpus");
    if (!same || !gpus || !gpus->is_array() || gpus->size() > kMostGpus || !reader.finish()) {
        return std::nullopt;
    }
    for (const base::Json& each : *gpus) {
        base::JsonReader gpu(each, "");
        known.gpus.push_back(
            {gpu.text("name"), "", gpu.integer("memory_bytes", 0, std::numeric_limits<base::Bytes>::max())});
        if (!gpu.finish()) {
            return std::nullopt;
        }
    }
    return known;
}

}  // namespace highwater::hosts
