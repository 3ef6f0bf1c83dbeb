#include "widgets/scan/distances.h"

#include <QObject>

#include "core/volume/labels.h"
#include "widgets/scan/scan_text.h"

namespace highwater::widgets {

QString distanceText(const Distance& distance, const volume::Header& header) {
    const double length = volume::distance(header.geometry, distance.from, distance.to);
    return (header.spacingKnown ? QStringLiteral("%1 mm") : QObject::tr("%1 voxels"))
        .arg(plainNumber(length, 'f', header.spacingKnown && length < 10 ? 2 : 1));
}

void Distances::begin(volume::Plane plane, std::int64_t index, const std::array<double, 3>& at) {
    drop();
    if (all_.size() >= kMost) {
        remove(0);
    }
    all_.push_back({plane, index, at, at});
    chosen_ = all_.size() - 1;
    open_ = true;
}

void Distances::moveEnd(bool second, const std::array<double, 3>& at) {
    if (chosen_) {
        (second ? all_[*chosen_].to : all_[*chosen_].from) = at;
    }
}

void Distances::choose(std::size_t n, bool open) {
    if (n < all_.size()) {
        chosen_ = n;
        open_ = open;
    }
}

void Distances::close() {
    if (open_ && chosen_ && all_[*chosen_].from == all_[*chosen_].to) {
        remove(*chosen_);
    }
    open_ = false;
}

void Distances::drop() {
    if (open_ && chosen_) {
        remove(*chosen_);
    }
    open_ = false;
}

bool Distances::removeOn(volume::Plane plane, std::int64_t index) {
    const auto here = [&](std::size_t n) { return all_[n].plane == plane && all_[n].index == index; };
    if (chosen_ && here(*chosen_)) {
        remove(*chosen_);
        return true;
    }
    for (std::size_t n = all_.size(); n-- > 0;) {
        if (here(n)) {
            remove(n);
            return true;
        }
    }
    return false;
}

void Distances::remove(std::size_t n) {
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(n));
    if (chosen_ == n) {
        chosen_.reset();
        open_ = false;
    } else if (chosen_ && *chosen_ > n) {
        --*chosen_;
    }
}

}  // namespace highwater::widgets
