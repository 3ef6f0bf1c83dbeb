#include "app/desktop/scan/patches/live_patch.h"

#include <utility>

namespace highwater::desktop {

namespace {
constexpr int kPauseMs = 500;
}

LivePatch::LivePatch(QObject* parent) : QObject(parent), job_(pool_) {
    pool_.setMaxThreadCount(1);
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &LivePatch::look);
}

LivePatch::~LivePatch() {
    job_.cancel();
    pool_.waitForDone();
}

void LivePatch::begin() {
    job_.cancel();
    later_.stop();
    newest_.reset();
    shown_.reset();
    trouble_.clear();
    unread_ = false;
    emit changed();
}

void LivePatch::sent(const std::filesystem::path& file, const wire::PatchSaved& patch) {
    const bool first = !newest_;
    newest_ = Newest{file, patch};
    unread_ = true;
    look();
    if (first) {
        emit changed();
    }
}

void LivePatch::setFollowing(bool on) {
    following_ = on;
    look();
}

void LivePatch::setFrozen(bool on) {
    frozen_ = on;
    look();
    emit changed();
}

void LivePatch::look() {
    if (!following_ || !unread_ || (frozen_ && shown_) || later_.isActive() || job_.busy()) {
        return;
    }
    if (sinceLook_.isValid() && sinceLook_.elapsed() < kPauseMs) {
        later_.start(static_cast<int>(kPauseMs - sinceLook_.elapsed()));
        return;
    }
    sinceLook_.start();
    unread_ = false;
    const Newest newest = *newest_;
    job_.run(
        [newest](const widgets::LatestJob::Cancel&) { return volume::mapVolumeFile(newest.file.string()); },
        [this, newest](base::Result<volume::Volume> read) {
            trouble_ = read ? QString() : QString::fromStdString(read.error().message);
            if (read) {
                shown_ = Shown{std::move(*read), newest.patch};
            }
            emit changed();
            look();  // a newer one may have arrived meanwhile
        });
}

}  // namespace highwater::desktop

#include "moc_live_patch.cpp"
