#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/desktop/scan/patches/patch_page.h"
#include "core/volume/write_volume.h"
#include "tests/core/volume_of.h"

namespace highwater::desktop::test {

/// Patches as the engine would write them, with values that identify their sample and channel. Waits while
/// `hold` is set.
struct FakePatches {
    std::atomic<int> asked{0}, cancelled{0};
    std::atomic<bool> hold{false};
    int channels = 1;
    bool target = false;
    std::vector<std::string> augmentations;
    std::string refuses;  ///< why none can be made; empty if they can
    std::atomic<std::thread::id> thread{};

    PatchSet::Make make() {
        return [this](const wire::PatchRequest& request) { return answer(request); };
    }
    std::filesystem::path lastFolder() const {
        const std::lock_guard lock(mutex_);
        return folder_;
    }
    std::vector<std::int64_t> firsts() const {
        const std::lock_guard lock(mutex_);
        return firsts_;
    }

    static float valueOf(std::int64_t sample, int channel) {
        return static_cast<float>(1000 * (channel + 1) + sample);
    }

private:
    base::Result<std::vector<wire::SentPatch>> answer(const wire::PatchRequest& request) {
        {
            const std::lock_guard lock(mutex_);
            folder_ = request.folder;
            firsts_.push_back(request.first);
        }
        thread = std::this_thread::get_id();
        ++asked;
        std::vector<wire::SentPatch> all;
        for (int n = 0; n < request.count; ++n) {
            while (hold && !*request.cancel) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            if (*request.cancel) {
                ++cancelled;
                return base::Error{"cancelled"};
            }
            if (!refuses.empty()) {
                return base::Error{refuses};
            }
            all.push_back(written(request, request.first + n));
            request.progress(n + 1);
        }
        return all;
    }

    wire::SentPatch written(const wire::PatchRequest& request, std::int64_t number) const {
        constexpr volume::Index3 kExtent{8, 8, 8};
        wire::SentPatch patch;
        patch.number = number;
        patch.start = {number, 2, 3};
        patch.extent = kExtent;
        patch.augmentations = augmentations;
        const auto write = [&](const std::string& name, auto value) {
            const auto path = request.folder / name;
            EXPECT_TRUE(volume::writeVolumeFile(path, volume::test::volumeOf(kExtent, value)));
            return path;
        };
        for (int c = 0; c < channels; ++c) {
            patch.channels.push_back(write(std::to_string(number) + "-" + std::to_string(c),
                                           [&](auto, auto, auto) { return valueOf(number, c); }));
        }
        if (target) {
            patch.target =
                write(std::to_string(number) + "-target", [](auto i, auto, auto) { return i < 4 ? 0 : 2; });
        }
        return patch;
    }

    mutable std::mutex mutex_;
    std::filesystem::path folder_;
    std::vector<std::int64_t> firsts_;
};

/// Made-up counts: as many as there are samples, everywhere. Waits while `hold` is set.
struct FakeCoverage {
    std::atomic<int> counted{0}, cancelled{0};
    std::atomic<bool> hold{false};
    volume::Sampler sampler;  ///< of the latest request
    std::string refuses;

    CoverageMaps::Count count() {
        return [this](const volume::Volume&, const volume::Sampler& how, std::int64_t samples,
                      const std::atomic<bool>* cancel) -> base::Result<volume::Coverage> {
            while (hold && !*cancel) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            if (*cancel) {
                ++cancelled;
                return base::Error{"cancelled"};
            }
            if (!refuses.empty()) {
                return base::Error{refuses};
            }
            sampler = how;
            volume::Coverage out;
            out.map = volume::test::volumeOf({4, 4, 4}, [&](auto, auto, auto) { return samples; });
            out.samples = samples;
            out.mean = out.most = static_cast<double>(samples);
            ++counted;
            return out;
        };
    }
};

}  // namespace highwater::desktop::test
