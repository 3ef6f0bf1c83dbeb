#include "app/desktop/scan/patches/patch_set.h"

#include <algorithm>
#include <iterator>

#include "app/desktop/scan/patches/patch_words.h"

namespace highwater::desktop {

PatchSet::PatchSet(Make make, const std::filesystem::path& temporary, QObject* parent)
    : QObject(parent), make_(std::move(make)), folder_(temporary), job_(pool_) {
    pool_.setMaxThreadCount(1);
}

PatchSet::~PatchSet() {
    job_.cancel();
    pool_.waitForDone();  // before its folder is removed
}

void PatchSet::ask(stack::Experiment experiment, std::vector<volume::Volume> volumes) {
    drop();
    experiment_ = std::move(experiment);
    volumes_ = std::move(volumes);
    begin();
}

void PatchSet::askMore() {
    if (mayAskMore()) {
        begin();
    }
}

void PatchSet::begin() {
    trouble_.clear();
    auto folder = folder_.part();
    if (!folder) {
        take(folder.error());
        return;
    }
    wire::PatchRequest request;
    request.experiment = experiment_;
    for (const volume::Volume& volume : volumes_) {
        request.volumeFds.push_back(volume.fd());
    }
    request.first = static_cast<std::int64_t>(patches_.size());
    request.count = std::min(kAtATime, kMost - static_cast<int>(patches_.size()));
    request.folder = *folder;
    asked_ = request.count;
    done_ = 0;
    const auto work = [this, make = make_, request,
                       keep = volumes_](const widgets::LatestJob::Cancel& cancel) {
        wire::PatchRequest own = request;
        own.cancel = cancel.get();
        own.progress = [this, cancel](int done) {
            QMetaObject::invokeMethod(this, [this, cancel, done] {
                if (*cancel || !busy()) {
                    return;
                }
                done_ = done;
                emit changed();
            });
        };
        return make(own);
    };
    job_.run(work, [this](Outcome outcome) { take(std::move(outcome)); });
    emit changed();
}

void PatchSet::take(Outcome outcome) {
    if (outcome) {
        std::move(outcome->begin(), outcome->end(), std::back_inserter(patches_));
    } else {
        trouble_ = QString::fromStdString(outcome.error().message);
    }
    emit changed();
}

void PatchSet::cancel() {
    job_.cancel();
    trouble_ = tr("Cancelled.");
    emit changed();
}

void PatchSet::drop() {
    job_.cancel();
    patches_.clear();
    trouble_.clear();
    folder_.clear();
}

ReadPatch readPatch(const wire::SentPatch& patch, int& channel) {
    ReadPatch out{patch, {}, {}, {}};
    channel = std::clamp(channel, 0, std::max(static_cast<int>(patch.channels.size()) - 1, 0));
    if (patch.channels.empty()) {
        out.trouble = PatchSet::tr("The engine sent no channel of this patch.");
        return out;
    }
    auto values = volume::mapVolumeFile(patch.channels[static_cast<std::size_t>(channel)].string());
    auto target = patch.target.empty() ? base::Result<volume::Volume>(volume::Volume())
                                       : volume::mapVolumeFile(patch.target.string());
    if (!values || !target) {
        out.trouble = QString::fromStdString((values ? target : values).error().message);
        return out;
    }
    out.values = std::move(*values);
    out.target = heatOf(*target, target->header().max);
    return out;
}

}  // namespace highwater::desktop

#include "moc_patch_set.cpp"
