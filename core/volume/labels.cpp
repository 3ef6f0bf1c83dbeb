#include "core/volume/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/volume/vector.h"
#include "core/volume/visit.h"

namespace highwater::volume {
namespace {

constexpr std::int64_t kChunk = 1 << 20;  // voxels between checks of `cancel`

/// The stored values and their counts, or an error message.
struct Counting {
    struct Found {
        std::int64_t voxels = 0, longest = 0, inside = 0;
    };
    const Volume& volume;
    std::map<double, Found> found = {};  ///< by real value
    std::optional<base::Error> error = {};

    std::array<std::int64_t, 3> voxel(std::int64_t n) const {
        const auto& size = volume.geometry().size;
        return {n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
    }

    /// A run of equal values that ends with voxel `last`.
    void add(double stored, std::int64_t voxels, std::int64_t last) {
        const Header& h = volume.header();
        const double value = stored * h.slope + h.intercept;
        const auto limit = static_cast<double>(std::numeric_limits<std::int32_t>::max());
        if (value != std::floor(value) || std::abs(value) > limit) {  // also not a number
            const auto at = voxel(last);
            error = base::Error{fmt::format(
                "is not a label map: voxel {}, {}, {} has the value {:g}; labels are whole numbers", at[0],
                at[1], at[2], value)};
            return;
        }
        Found& label = found[value == 0 ? 0 : value];
        label.voxels += voxels;
        if (voxels > label.longest) {
            label.longest = voxels;
            label.inside = last - voxels / 2;
        }
        if (found.size() > kMostLabels) {
            error = base::Error{fmt::format(
                "is not a label map: it has more than {} different values; a scan's are measured, not labels",
                kMostLabels)};
        }
    }
};

}  // namespace

base::Result<std::vector<LabelCount>> countLabels(const Volume& volume, const std::atomic<bool>* cancel) {
    Counting counting{volume};
    const std::int64_t all = volume.geometry().voxels();
    visitType(volume.header().type, [&](auto example) {
        using Stored = decltype(example);
        std::int64_t run = 0;  // equal values in a row
        Stored last{};
        for (std::int64_t n = 0; n < all && !counting.error; ++n) {
            if (n % kChunk == 0 && cancel && *cancel) {
                counting.error = base::Error{"cancelled"};
                return;
            }
            const Stored value = loadVoxel<Stored>(volume.data(), n);
            if (run > 0 && value != last) {
                counting.add(static_cast<double>(last), run, n - 1);
                run = 0;
            }
            last = value;
            ++run;
        }
        if (!counting.error && run > 0) {
            counting.add(static_cast<double>(last), run, all - 1);
        }
    });
    if (counting.error) {
        return *counting.error;
    }
    std::vector<LabelCount> out;
    for (const auto& [value, label] : counting.found) {
        if (value != 0) {
            out.push_back({static_cast<std::int64_t>(value), label.voxels, counting.voxel(label.inside)});
        }
    }
    return out;
}

std::optional<std::array<std::int64_t, 3>> voxelAt(const Geometry& geometry,
                                                   const std::array<double, 3>& mm) {
    const auto at = geometry.toIndex(mm);
    std::array<std::int64_t, 3> voxel{};
    for (std::size_t a = 0; a < 3; ++a) {
        if (!(at[a] > -0.5 && at[a] < static_cast<double>(geometry.size[a]) - 0.5)) {
            return {};
        }
        voxel[a] = std::llround(std::max(at[a], 0.0));
    }
    return voxel;
}

double voxelVolume(const Geometry& geometry) {
    const auto edge = [&](std::size_t a) { return scaled(geometry.direction[a], geometry.spacing[a]); };
    return std::abs(dot(cross(edge(0), edge(1)), edge(2)));
}

double distance(const Geometry& geometry, const std::array<double, 3>& from,
                const std::array<double, 3>& to) {
    return length(minus(geometry.toMillimeters(to), geometry.toMillimeters(from)));
}

}  // namespace highwater::volume
