#include "tests/fuzz/scan/scan_attack.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <random>

#include "core/scan/scan_client.h"
#include "core/volume/slice.h"
#include "core/volume/statistics.h"
#include "core/volume/windowing.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/fuzz/mutator.h"

namespace highwater::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongest = 10;  // seconds
constexpr std::int64_t kMostMemory = std::int64_t{4} << 30;

/// Everything that a window does with a volume when it opens. Returns what is wrong with it, or an empty
/// string.
std::string show(const volume::Volume& volume) {
    const volume::Geometry& geometry = volume.geometry();
    for (const double spacing : geometry.spacing) {
        if (!(spacing > 0)) {
            return "a spacing that is not positive";
        }
    }
    for (const auto plane : {volume::Plane::Axial, volume::Plane::Coronal, volume::Plane::Sagittal}) {
        const auto layout = volume::sliceLayout(geometry, plane);
        const auto window = volume::defaultWindow(volume.header(), volume::histogram(volume));
        if (volume::sliceGray(volume, layout, layout.depth / 2, window).empty()) {
            return "an empty slice";
        }
    }
    return {};
}

std::string problemOf(const Damaged& damaged, const base::Result<volume::Volume>& volume) {
    if (!volume) {
        const std::string& line = volume.error().message;
        return line.empty() || line.find('\n') != std::string::npos ? "an error that is not one line" : "";
    }
    if (damaged.mustBeRefused) {
        return "accepted";
    }
    return show(*volume);
}

}  // namespace

Damaged damage(const SeedFile& seed, std::uint64_t number) {
    std::mt19937_64 random(number);
    Damaged out{seed, "damaged", false};
    const std::uint64_t kind = random() % 4;
    std::string& voxels = out.file.voxelFile();
    if (kind == 0 && seed.needed > 0) {
        out.how = "truncated";
        voxels.resize(random() % seed.needed);
        out.mustBeRefused = true;
    } else if (kind == 1 && seed.packing != Packing::None) {
        out.how = "packed data damaged";
        voxels = voxels.substr(0, seed.packedFrom) + mutate(voxels.substr(seed.packedFrom), number);
        out.mustBeRefused = !zlibAccepts(out.file);
    } else if (kind != 2 && seed.with) {
        out.how = "coded data damaged";
        voxels = seed.with(mutate(seed.coded, number));
    } else if (seed.companion.empty() || random() % 2 == 0) {
        out.file.bytes = mutate(seed.bytes, number);
    } else {
        out.file.companionBytes = mutate(seed.companionBytes, number);
    }
    return out;
}

std::string openWhole(const SeedFile& seed) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write(seed.name, seed.bytes);
    if (!seed.companion.empty()) {
        folder.write(seed.companion, seed.companionBytes);
    }
    const auto volume = scan::readScan(path);
    return volume ? show(*volume) : volume.error().message;
}

Summary attack(const std::vector<SeedFile>& seeds, std::uint64_t first, int count) {
    Summary summary;
    const test::TemporaryFolder folder;
    for (std::uint64_t number = first; number < first + static_cast<std::uint64_t>(count); ++number) {
        const Damaged damaged = damage(seeds[number % seeds.size()], number);
        const std::string path = folder.write(damaged.file.name, damaged.file.bytes);
        if (!damaged.file.companion.empty()) {
            folder.write(damaged.file.companion, damaged.file.companionBytes);
        }
        const auto begin = Clock::now();
        scan::ReadOptions options;
        options.limits.timeout = std::chrono::seconds(10);
        const auto volume = scan::readScan(path, options);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        summary.slowest = std::max(summary.slowest, seconds);
        summary.mustRefuse += damaged.mustBeRefused ? 1 : 0;
        if (!volume && (volume.error().message.find("the reader stopped") != std::string::npos ||
                        volume.error().message.find("the decoder stopped") != std::string::npos)) {
            ++summary.stopped;
        }
        Row& row = summary.formats[damaged.file.format];
        (volume ? row.accepted : row.refused) += 1;
        std::string problem = problemOf(damaged, volume);
        if (problem.empty() && seconds > kLongest) {
            problem = fmt::format("{:.1f} s", seconds);
        }
        if (!problem.empty()) {
            summary.failures.push_back(
                fmt::format("number {}: {}, {}: {}", number, damaged.file.format, damaged.how, problem));
        }
        std::error_code ignored;
        std::filesystem::remove(folder.path() / damaged.file.companion, ignored);
    }
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    summary.mostMemory = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
    if (summary.mostMemory > kMostMemory) {
        summary.failures.push_back(fmt::format("a reader took {} bytes", summary.mostMemory));
    }
    return summary;
}

}  // namespace highwater::fuzz
