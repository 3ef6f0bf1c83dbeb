#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "core/volume/slice.h"
#include "core/volume/volume.h"

namespace highwater::widgets {

/// A distance measured on one slice, between two places in voxels i, j, k (fractions allowed).
struct Distance {
    volume::Plane plane = volume::Plane::Axial;
    std::int64_t index = 0;  ///< of the slice, along the normal of its plane
    std::array<double, 3> from{}, to{};
    bool operator==(const Distance&) const = default;
};

/// "34.2 mm", below 10 mm "4.25 mm"; "12.5 voxels" if the file gives no spacing.
QString distanceText(const Distance& distance, const volume::Header& header);

/// The distances measured in a volume. At most one is open: its second end follows the mouse or the
/// crosshair. At most one is selected: the one created or touched last.
class Distances {
public:
    static constexpr std::size_t kMost = 100;

    const std::vector<Distance>& all() const { return all_; }
    std::optional<std::size_t> chosen() const { return chosen_; }
    bool open() const { return open_; }

    /// Starts a distance with both ends at this place, open and selected. Removes the oldest one if there are
    /// already kMost.
    void begin(volume::Plane plane, std::int64_t index, const std::array<double, 3>& at);
    /// Moves an end of the selected distance; does nothing if none is selected.
    void moveEnd(bool second, const std::array<double, 3>& at);
    void choose(std::size_t n, bool open);
    /// Closes the open distance at its current length; removes it if the length is zero.
    void close();
    void drop();  ///< removes the open distance
    /// Removes the selected distance if it is on this slice, otherwise the last one on it. Returns false if
    /// there is none.
    bool removeOn(volume::Plane plane, std::int64_t index);

    bool operator==(const Distances&) const = default;

private:
    void remove(std::size_t n);
    std::vector<Distance> all_;
    std::optional<std::size_t> chosen_;
    bool open_ = false;
};

}  // namespace highwater::widgets
