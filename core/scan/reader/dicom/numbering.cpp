#include "core/scan/reader/dicom/numbering.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace highwater::scan::reader::dicom {
namespace {

std::int64_t floorDivided(std::int64_t value, std::int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t floorRest(std::int64_t value, std::int64_t by) {
    return value - floorDivided(value, by) * by;
}

/// Returns the distance between the numbers of successive volumes at one position, as the greatest common
/// divisor, because a missing picture gives a multiple. 0 if no position has several pictures.
std::int64_t stepOf(const Numbers& numbers) {
    std::int64_t step = 0;
    for (const auto& here : numbers) {
        for (std::size_t i = 1; i < here.size(); ++i) {
            step = std::gcd(step, here[i] - here[i - 1]);
        }
    }
    return step;
}

template <class VolumeOf>
Numbers applied(const Numbers& numbers, const VolumeOf& volumeOf) {
    Numbers out = numbers;
    for (auto& here : out) {
        const std::int64_t first = here.empty() ? 0 : here.front();
        std::transform(here.begin(), here.end(), here.begin(),
                       [&](std::int64_t number) { return volumeOf(first, number); });
    }
    return out;
}

std::size_t countDistinct(const Numbers& volumes) {
    std::set<std::int64_t> seen;
    for (const auto& here : volumes) {
        seen.insert(here.begin(), here.end());
    }
    return seen.size();
}

/// Whether two numberings divide the pictures in the same way, regardless of the first volume's number.
bool sameGroups(const Numbers& a, const Numbers& b) {
    std::optional<std::int64_t> difference;
    for (std::size_t at = 0; at < a.size(); ++at) {
        for (std::size_t i = 0; i < a[at].size(); ++i) {
            const std::int64_t here = a[at][i] - b[at][i];
            if (difference.value_or(here) != here) {
                return false;
            }
            difference = here;
        }
    }
    return true;
}

/// The extent of the positions that have pictures.
struct Extent {
    std::int64_t positions = 0, pictures = 0;
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    std::int64_t volumes = 0;  ///< maximum number of volumes, from the first picture of a position to its
                               ///< last
    std::int64_t first = 0;    ///< the first number at that position
};

Extent extentOf(const Numbers& numbers, std::int64_t step) {
    Extent out;
    for (const auto& here : numbers) {
        if (here.empty()) {
            continue;
        }
        ++out.positions;
        out.pictures += std::ssize(here);
        out.lowest = std::min(out.lowest, here.front());
        const std::int64_t volumes = (here.back() - here.front()) / step + 1;
        if (volumes > out.volumes) {
            out.volumes = volumes;
            out.first = here.front();
        }
    }
    return out;
}

/// Numbers start at 1; those of frames and of a few scanners at 0.
std::int64_t usualOrigin(const Extent& extent) {
    return extent.lowest == 0 ? 0 : 1;
}

/// Volume by volume: the numbers of a volume are in one range whose length is the step. The start of the
/// ranges is known if no picture is missing for exactly one start, or if the first range starts at 1.
std::optional<Numbers> byVolume(const Numbers& numbers, std::int64_t step, const Extent& extent) {
    std::set<std::int64_t> rests;
    for (const auto& here : numbers) {
        if (!here.empty()) {
            rests.insert(floorRest(here.front(), step));
        }
    }
    if (std::ssize(rests) < extent.positions) {  // two positions have the same rank in a volume
        return std::nullopt;
    }
    const auto from = [&](std::int64_t begin) {
        return applied(numbers,
                       [&](std::int64_t, std::int64_t number) { return floorDivided(number - begin, step); });
    };
    std::optional<Numbers> best;
    std::size_t fewest = SIZE_MAX;
    bool several = false;
    for (const std::int64_t begin : rests) {
        Numbers volumes = from(begin);
        const std::size_t count = countDistinct(volumes);
        several = count == fewest ? several || !sameGroups(volumes, *best) : count > fewest && several;
        if (count < fewest) {
            fewest = count;
            best = std::move(volumes);
        }
    }
    const bool whole = static_cast<std::int64_t>(fewest) * extent.positions == extent.pictures;
    const std::int64_t origin = usualOrigin(extent);
    if (!whole && extent.lowest >= origin && extent.lowest < origin + step) {
        return from(origin);
    }
    return several ? std::nullopt : best;
}

/// Position by position: the numbers of a position are in one block, whose length is the number of volumes.
std::optional<Numbers> inBlocks(const Numbers& numbers, std::int64_t step, std::int64_t block,
                                std::int64_t origin) {
    std::set<std::int64_t> blocks;
    for (const auto& here : numbers) {
        if (here.empty()) {
            continue;
        }
        const std::int64_t at = floorDivided(here.front() - origin, block);
        if (at != floorDivided(here.back() - origin, block) || !blocks.insert(at).second) {
            return std::nullopt;
        }
    }
    return applied(
        numbers, [&](std::int64_t, std::int64_t number) { return floorRest(number - origin, block) / step; });
}

/// The number of volumes is that of the position that reaches from the first to the last, or a few more if
/// none does.
std::optional<Numbers> byPosition(const Numbers& numbers, std::int64_t step, const Extent& extent) {
    const std::int64_t usual = usualOrigin(extent);
    for (const std::int64_t origin : {usual, extent.first}) {
        if (auto out = inBlocks(numbers, step, step * extent.volumes, origin)) {
            return out;
        }
    }
    for (std::int64_t volumes = extent.volumes + 1; volumes < 2 * extent.volumes; ++volumes) {
        const std::int64_t end = usual + step * volumes * extent.positions;
        const bool within = std::all_of(numbers.begin(), numbers.end(), [&](const auto& here) {
            return here.empty() || (here.front() >= usual && here.back() < end);
        });
        if (auto out = within ? inBlocks(numbers, step, step * volumes, usual) : std::nullopt) {
            return out;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Numbers> volumesByNumber(const Numbers& numbers) {
    const std::int64_t step = stepOf(numbers);
    if (step == 0) {
        return std::nullopt;
    }
    const Extent extent = extentOf(numbers, step);
    auto out = byVolume(numbers, step, extent);
    return out ? out : byPosition(numbers, step, extent);
}

}  // namespace highwater::scan::reader::dicom
