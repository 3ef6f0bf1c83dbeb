#include "core/engine/data/patch_files.h"

#include <fmt/format.h>

#include <new>

#include "core/engine/data/data_checks.h"
#include "core/engine/data/patch_maker.h"
#include "core/engine/data/patch_volume.h"
#include "core/stack/data_plan.h"
#include "core/stack/shapes.h"
#include "core/volume/augment_words.h"
#include "core/volume/write_volume.h"

namespace highwater::engine {

namespace {

using base::Error;

struct Stopped {};

class PatchFiles {
public:
    PatchFiles(const RunRequest& request, const stack::StackInfo& info, const PatchOrder& order,
               const std::atomic<bool>& cancel)
        : folder_(order.folder),
          plan_(stack::dataPlan(request.experiment, info, false)),
          wait_([&cancel](double) {  // without training, the simulated delay of a slow disk is left out
              if (cancel) {
                  throw Stopped();
              }
          }),
          maker_(request, info, wait_) {
        const auto [i, j, k] = maker_.extent();
        voxels_ = static_cast<std::size_t>(i * j * k);
        input_.resize(voxels_ * static_cast<std::size_t>(maker_.channels()));
        scratch_.resize(static_cast<std::size_t>(volume::augmentScratch(maker_.extent())));
        if (plan_.madeTarget && plan_.classLabels) {
            classes_.resize(voxels_);
        } else if (plan_.madeTarget) {
            values_.resize(voxels_);
        }
    }

    base::Result<wire::SentPatch> write(std::int64_t n) {
        const DrawnSample drawn = maker_.draw(n);
        const SamplePlace& place = drawn.place;
        maker_.make(n, memory(), wait_);
        wire::SentPatch patch;
        patch.number = n;
        patch.theCase = place.theCase;
        patch.start = place.box.start;
        patch.extent = place.box.extent;
        patch.augmentations = volume::wordsFor(drawn.augmentation);
        for (std::size_t c = 0; c * voxels_ < input_.size(); ++c) {
            const auto from = input_.begin() + static_cast<std::ptrdiff_t>(c * voxels_);
            const std::vector<float> values(from, from + static_cast<std::ptrdiff_t>(voxels_));
            patch.channels.push_back(folder_ / fmt::format("patch-{}-channel-{}.hwvol", n, c + 1));
            HIGHWATER_TRY(put(patch.channels.back(), place, values));
        }
        if (!plan_.madeTarget) {
            return patch;
        }
        patch.target = folder_ / fmt::format("patch-{}-target.hwvol", n);
        const auto done = plan_.classLabels ? put(patch.target, place,
                                                  std::vector<std::int32_t>(classes_.begin(), classes_.end()))
                                            : put(patch.target, place, values_);
        return done ? base::Result<wire::SentPatch>(std::move(patch)) : done.error();
    }

private:
    SampleMemory memory() {
        SampleMemory memory;
        memory.input = input_.data();
        memory.values = values_.empty() ? nullptr : values_.data();
        memory.classes = classes_.empty() ? nullptr : classes_.data();
        memory.scratch = scratch_.data();
        return memory;
    }

    template <class T>
    base::Status put(const std::filesystem::path& file, const SamplePlace& place, std::vector<T> values) {
        wait_(0);
        return volume::writeVolumeFile(
            file, patchVolume(maker_.scanOf(place.theCase), place.box, std::move(values)));
    }

    std::filesystem::path folder_;
    stack::DataPlan plan_;
    Wait wait_;
    PatchMaker maker_;
    std::size_t voxels_ = 0;
    std::vector<float> input_, values_, scratch_;
    std::vector<std::int64_t> classes_;
};

base::Status checkOrder(const RunRequest& request, const PatchOrder& order) {
    if (!std::holds_alternative<stack::ScanInput>(request.experiment.input)) {
        return Error{"/input/synthetic: noise has no place in a scan; give a scan or a cohort"};
    }
    if (order.first < 0 || order.count < 1) {
        return Error{fmt::format("there are no {} patches starting at number {}; give 1 or more, from 0 on",
                                 order.count, order.first)};
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(order.folder, ignored)) {
        return Error{fmt::format("{}: there is no such folder", order.folder.string())};
    }
    return {};
}

}  // namespace

base::Status writePatches(const RunRequest& request, const PatchOrder& order,
                          const std::function<void(const wire::SentPatch&)>& say,
                          const std::atomic<bool>& cancel) {
    const auto info = HIGHWATER_TRY(stack::inferShapes(request.experiment));
    HIGHWATER_TRY(checkOrder(request, order));
    HIGHWATER_TRY(checkVolumes(request, info));
    try {
        PatchFiles files(request, info, order, cancel);
        for (int n = 0; n < order.count; ++n) {
            const auto patch = HIGHWATER_TRY(files.write(order.first + n));
            say(patch);
        }
    } catch (const Stopped&) {
        return Error{"cancelled"};
    } catch (const std::bad_alloc&) {
        return Error{"the machine has no memory left for a patch of this size"};
    }
    return {};
}

}  // namespace highwater::engine
