#include "core/hosts/run_limits.h"

#include <algorithm>
#include <fstream>

#include "core/base/file.h"
#include "core/hosts/frames.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "core/wire/event_lines.h"

namespace highwater::hosts {

namespace {

using base::Bytes;
using base::kKiB;
using base::kMiB;
using std::chrono::seconds;

constexpr Bytes kAround = 64 * kMiB, kTimeline = 512 * kKiB, kStep = 2 * kKiB, kSamples = 64 * kKiB;
constexpr std::int64_t kTimelinesASecond = 10, kStepsASecond = 10'000;
constexpr Bytes kMostResult = 128 * kMiB, kMostErrors = 4 * kMiB, kMostPatch = base::kGiB;

Bytes patchBytes(const std::filesystem::path& experiment) {
    constexpr Bytes kHeader = kMiB, kVoxel = 8;
    const auto text = base::readFile(experiment);
    const auto read =
        text ? stack::parseExperiment(*text, "") : base::Result<stack::Experiment>(text.error());
    if (!read) {
        return kMostPatch;
    }
    Bytes bytes = kVoxel;
    for (const std::int64_t size : stack::patchOf(*read)) {
        bytes = std::min(kMostPatch, bytes * std::clamp<Bytes>(size, 1, kMostPatch / bytes));
    }
    return kHeader + bytes;
}

}  // namespace

Bytes mostEvents(std::optional<int> steps, seconds since) {
    const std::int64_t time = std::clamp<std::int64_t>(since.count(), 0, wire::kMostEvents / kSamples);
    const auto timelines =
        std::min<std::int64_t>(steps.value_or(kTimelinesASecond * time), kTimelinesASecond * time);
    const auto all = std::min<std::int64_t>(steps.value_or(kStepsASecond * time), kStepsASecond * time);
    return std::min(wire::kMostEvents, kAround + timelines * kTimeline + all * kStep + time * kSamples);
}

Bytes mostOf(std::string_view name, const std::filesystem::path& experiment) {
    return name == kResult ? kMostResult : name == kErrors ? kMostErrors : patchBytes(experiment);
}

seconds ageOf(const std::filesystem::path& runFolder) {
    constexpr seconds kClocks{60};
    std::error_code error;
    const auto made = std::filesystem::last_write_time(runFolder / "experiment.json", error);
    const auto age = std::filesystem::file_time_type::clock::now() - made;
    return error || age < age.zero() ? kClocks : kClocks + std::chrono::duration_cast<seconds>(age);
}

base::Status putFile(const std::filesystem::path& runFolder, std::string_view name, std::string_view bytes) {
    std::error_code ignored;
    const auto path = runFolder / name;
    std::filesystem::create_directories(path.parent_path(), ignored);
    if (name != kPatch) {
        return base::writeFileAtomically(path, bytes);
    }
    if (std::filesystem::is_symlink(path.parent_path(), ignored)) {  // a folder from another machine
        return {};
    }
    // Previews arrive often and are only shown: replaced atomically, but not synced.
    const auto next = path.string() + ".next";
    std::filesystem::remove(next, ignored);
    std::ofstream out(next, std::ios::binary);
    out << bytes;
    out.close();
    if (out) {
        std::filesystem::rename(next, path, ignored);
    }
    if (!out || ignored) {  // keep the previous picture
        std::filesystem::remove(next, ignored);
    }
    return {};
}

}  // namespace highwater::hosts
