#include <fmt/format.h>

#include <cstdlib>

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

#include "core/base/latest_few.h"
#include "core/predict/target/target.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;

/// Upper limit on cached tables; larger than the number of device profiles, which may all be predicted at
/// once.
constexpr std::size_t kTables = 48;

/// Returns a table from a cache; loads it again only if a file in its folders is added, removed or changed.
/// (The desktop asks at every edit.)
base::Result<std::shared_ptr<const GpuTable>> cachedTable(const GpuKey& key) {
    using Stamps = std::map<fs::path, fs::file_time_type>;
    static std::mutex mutex;
    static base::LatestFew<GpuKey, std::pair<Stamps, std::shared_ptr<const GpuTable>>> cache(kTables);
    const std::vector<fs::path> folders = gpuTableFolders();
    Stamps stamps;
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
            stamps[at->path()] = at->last_write_time(ignored);
        }
    }
    const std::lock_guard lock(mutex);
    auto& [seen, table] = cache[key];
    if (!table || seen != stamps) {
        auto loaded = HIGHWATER_TRY(loadGpuTable(key, folders));
        table = std::make_shared<const GpuTable>(std::move(loaded));
        seen = std::move(stamps);
    }
    return table;
}

/// The same for cuDNN's answers; nullptr if it cannot be asked about the GPU. The user's own table grows
/// while the user edits.
std::shared_ptr<const AskedTable> cachedAnswers(const AskedKey& key) {
    using Stamp = std::pair<fs::file_time_type, std::uintmax_t>;
    struct Cached {
        std::vector<Stamp> stamps;
        std::string described;
        std::shared_ptr<const AskedTable> table;
    };
    static std::mutex mutex;
    static base::LatestFew<std::string, Cached> cache(kTables);
    if (key.described.empty()) {
        return nullptr;
    }
    const std::vector<fs::path> folders = askedFolders();
    std::vector<Stamp> stamps;
    for (const fs::path& folder : folders) {
        const fs::path file = folder / askedFileName(key);
        std::error_code none;
        const auto size = fs::file_size(file, none);
        stamps.emplace_back(none ? fs::file_time_type() : fs::last_write_time(file, none), none ? 0 : size);
    }
    const std::lock_guard lock(mutex);
    Cached& cached = cache[askedFileName(key)];
    if (!cached.table || cached.stamps != stamps || cached.described != key.described) {
        cached = {std::move(stamps), key.described,
                  std::make_shared<const AskedTable>(loadAskedTable(key, folders))};
    }
    return cached.table;
}

}  // namespace

CudaSettings cudaSettings(const stack::Experiment& experiment) {
    const stack::Backend& backend = experiment.backend;
    CudaSettings settings;
    settings.precision = experiment.step.precision;
    settings.channelsLast = experiment.step.channelsLast;
    settings.cudnn = backend.cudnn;
    settings.benchmark = backend.benchmark;
    settings.deterministic = backend.deterministic;
    settings.tf32 = backend.tf32 || settings.precision == stack::Precision::Tf32;
    settings.workspaceLimit = backend.workspaceLimit;
    return settings;
}

bool Target::asksLaterCudnn() const {
    const CudnnVersion own = bundledCudnn(versions.libtorch);
    return gpu && std::pair(versions.cudnn.major, versions.cudnn.minor) > std::pair(own.major, own.minor);
}

base::Result<Target> gpuTarget(std::string_view id, const stack::Experiment& experiment,
                               std::optional<memory::TorchVersion> libtorch,
                               std::optional<CudnnVersion> cudnn, std::optional<std::string> allocConf) {
    auto profile = HIGHWATER_TRY(loadProfile(id));
    Target target;
    target.id = profile.id;
    target.versions.libtorch = libtorch.value_or(kDefaultTorch);
    target.versions.cudnn = cudnn.value_or(bundledCudnn(target.versions.libtorch));
    target.versions.architecture = profile.architecture;
    target.settings = cudaSettings(experiment);
    auto allocator = memory::parseAllocatorConfig(allocConf.value_or(experiment.backend.allocConf),
                                                  target.versions.libtorch);
    if (!allocator) {
        return base::Error{fmt::format("alloc_conf: {}", allocator.error().message)};
    }
    target.allocator = *allocator;
    auto table = HIGHWATER_TRY(cachedTable(
        {toText(target.versions.libtorch), toText(target.versions.cudnn), profile.architecture, profile.id}));
    if (table->size() > 0) {
        target.gpuTable = std::move(table);
    }
    target.asked = cachedAnswers(askedKey(profile, target.versions.cudnn));
    target.memory = profile.memory;
    target.gpu = std::move(profile);
    return target;
}

base::Result<Target> gpuTarget(const GpuPresent& gpu, const stack::Experiment& experiment) {
    const auto profiles = HIGHWATER_TRY(loadProfiles());
    const DeviceProfile* profile = profileOf(profiles, gpu.name, gpu.memory);
    const bool known = profile != nullptr;
    for (const DeviceProfile& other : profiles) {
        if (known) {
            break;
        }
        if (profile == nullptr || std::abs(other.architecture - gpu.architecture) <
                                      std::abs(profile->architecture - gpu.architecture)) {
            profile = &other;
        }
    }
    if (profile == nullptr) {
        return base::Error{"there is no GPU profile to predict with"};
    }
    auto target = HIGHWATER_TRY(gpuTarget(profile->id, experiment, gpu.libtorch, gpu.cudnn));
    target.gpu->memory = target.memory = gpu.memory;
    target.gpu->memorySource = DeviceProfile::Source::Measured;
    if (known) {
        return target;
    }
    target.id = gpu.name;
    target.asked = nullptr;  // the answers are for another GPU
    target.notes.push_back(fmt::format("there is no profile of {}: context and speeds are those of {}",
                                       gpu.name, profile->name));
    target.gpu->name = gpu.name;
    target.gpu->architecture = target.versions.architecture = gpu.architecture;
    return target;
}

}  // namespace highwater::predict
