#include "core/scan/reader/dicom/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "core/base/text.h"
#include "core/scan/reader/dicom/steps.h"
#include "core/scan/reader/dicom/volumes.h"

namespace highwater::scan::reader::dicom {
namespace {

constexpr double kSamePosition = 0.01;  // as a fraction of the smaller pixel spacing
constexpr double kShift = 0.05;         // pixels
constexpr double kMostTurn = 0.0087;    // 0.5°: larger angles are not due to rounded cosines
constexpr double kSettled = 1e-3;       // pixels; due to the number of digits in positions
constexpr double kNotable = 0.02;       // as a fraction of a step
constexpr double kReach = 2.5;  // largest distance, in steps, between two pictures over which an uneven stack
                                // is interpolated

std::string countedSlices(std::int64_t slices) {
    return slices == 1 ? "1 slice is" : fmt::format("{} slices are", slices);
}

struct Planner {
    const Looked& looked;
    const SeriesPart& part;
    Stack stack;
    Vector normal{};
    std::vector<double> along{};                        // mm, position of each picture along the normal
    std::vector<std::vector<std::size_t>> positions{};  // pictures at each position, positions ascending
    Steps steps{};
    double rounding = 0;  // mm, the unit to which the positions were rounded; 0 if they are exact

    const FileFacts& fileOf(std::size_t i) const { return looked.files[part.pictures[i].file]; }
    const Picture& picture(std::size_t i) const { return fileOf(i).pictures[part.pictures[i].picture]; }
    std::string name(std::size_t i) const { return pictureName(looked, part.pictures[i]); }
    void warn(const std::string& line) { addOnce(stack.warnings, line); }

    void beginGeometry();
    void planUnplaced();
    void findPositions();
    base::Status findSlices();
    void fillSegments();
    void fillVolumes();
    void warnOfPictures(const Volumes& volumes);
    void warnOfGaps(const std::string& prefix);
    void warnOfHoles(const std::vector<std::int64_t>& indices, const std::string& prefix);
    double roundingAlong(const Vector& axis) const;
    base::Status findShifts();
    void warnOfTilt(const std::vector<double>& z, const std::vector<double>& x, const std::vector<double>& y);
    base::Result<Stack> plan();
};

void Planner::beginGeometry() {
    const Grid& grid = picture(0).grid;
    volume::Geometry& geometry = stack.geometry;
    geometry.size = {grid.columns, grid.rows, 1};
    geometry.spacing = {grid.spacing[0], grid.spacing[1], 1};
    const Vector left{-1, 0, 0}, back{0, -1, 0};  // defaults for a picture without an orientation
    normal = grid.oriented ? cross(grid.across, grid.down) : Vector{0, 0, 1};
    geometry.direction = {grid.oriented ? grid.across : left, grid.oriented ? grid.down : back, normal};
    if (!grid.spacingKnown) {
        stack.spacingKnown = false;
        warn("the files give no spacing of pixels: 1 mm is assumed");
    }
}

/// Orders pictures without positions by instance number, then frame.
void Planner::planUnplaced() {
    std::vector<std::size_t> order(part.pictures.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const double first = picture(a).order.instance, second = picture(b).order.instance;
        return first != second ? first < second : picture(a).frame < picture(b).frame;
    });
    stack.geometry.size[2] = static_cast<std::int64_t>(order.size());
    const double between = fileOf(0).between;
    stack.geometry.spacing[2] = between > 0 ? between : 1;
    stack.spacingKnown = stack.spacingKnown && (between > 0 || order.size() == 1);
    stack.volumes.emplace_back();
    for (std::size_t i = 0; i < order.size(); ++i) {
        stack.volumes.back().push_back({static_cast<double>(i), order[i]});
    }
    warn(order.size() == 1
             ? "the file does not give the position of its picture: left, right, front and back are unknown"
             : fmt::format("the files do not give the positions of their pictures: stacked by number, {}; "
                           "left, right, front and back are unknown",
                           between > 0 ? "at the distance they give" : "1 mm apart"));
}

void Planner::findPositions() {
    std::vector<double> offsets;
    for (std::size_t i = 1; i < part.pictures.size(); ++i) {
        const Vector offset = minus(picture(i).position, picture(0).position);
        offsets.insert(offsets.end(), offset.begin(), offset.end());
    }
    rounding = roundingOf(offsets);
    std::vector<std::size_t> order(part.pictures.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < order.size(); ++i) {
        along.push_back(dot(picture(i).position, normal));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return along[a] < along[b]; });
    const double same = kSamePosition * std::min(stack.geometry.spacing[0], stack.geometry.spacing[1]);
    for (const std::size_t i : order) {
        if (positions.empty() || along[i] - along[positions.back().front()] > same) {
            positions.emplace_back();
        }
        positions.back().push_back(i);
    }
}

base::Status Planner::findSlices() {
    if (positions.size() == 1) {
        steps.slices = {0};
        const double between = fileOf(0).between;
        stack.geometry.spacing[2] = between > 0 ? between : 1;
        if (between <= 0) {
            warn("there is one slice, of unknown thickness: shown 1 mm thick");
        }
        return {};
    }
    std::vector<double> mm;
    for (const auto& at : positions) {
        mm.push_back(along[at.front()]);
    }
    const bool segments = picture(0).grid.segments;
    const double between = fileOf(0).between;
    auto found = segments && between > 0 ? stepsOf(mm, between, roundingAlong(normal)) : std::nullopt;
    if (!found) {
        found = findSteps(mm, roundingAlong(normal));
    }
    if (!found) {
        return base::Error{fmt::format(
            "its {} pictures make no volume: they are spread over {} mm without a common distance", mm.size(),
            base::formatNumber(mm.back() - mm.front()))};
    }
    steps = *found;
    stack.uneven = !steps.even;
    if (stack.uneven && segments) {
        return base::Error{"its slices are unevenly spaced, and labels cannot be interpolated"};
    }
    stack.geometry.spacing[2] = steps.step;
    stack.geometry.size[2] = static_cast<std::int64_t>(std::floor(steps.slices.back() + 0.5)) + 1;
    if (stack.uneven) {
        warn(fmt::format("slices are unevenly spaced: read {} mm apart, interpolated between the pictures",
                         base::formatNumber(steps.step)));
    } else if (steps.worst > std::max(kNotable * steps.step, roundingAlong(normal))) {
        warn(fmt::format("slices are up to {} mm off an even spacing of {} mm",
                         base::formatNumber(steps.worst), base::formatNumber(steps.step)));
    }
    return {};
}

/// Segmentations: each file is a volume; the pictures of all segments at a position form one slice.
void Planner::fillSegments() {
    std::map<std::size_t, std::vector<Placed>> byFile;
    for (std::size_t at = 0; at < positions.size(); ++at) {
        for (const std::size_t i : positions[at]) {
            byFile[part.pictures[i].file].push_back({steps.slices[at], i});
        }
    }
    for (auto& [file, placed] : byFile) {
        std::stable_sort(placed.begin(), placed.end(), [&](const Placed& a, const Placed& b) {
            return std::pair(a.slice, picture(a.picture).segment) <
                   std::pair(b.slice, picture(b.picture).segment);
        });
        for (std::size_t i = 1; i < placed.size(); ++i) {
            const std::size_t last = placed[i - 1].picture, here = placed[i].picture;
            if (placed[i].slice == placed[i - 1].slice && picture(last).segment == picture(here).segment) {
                warn(fmt::format("{} is at the position of {} and of the same segment: shown together",
                                 name(here), name(last)));
            }
        }
        stack.volumes.push_back(std::move(placed));
    }
}

void Planner::fillVolumes() {
    if (picture(0).grid.segments) {
        fillSegments();
        return;
    }
    std::vector<std::vector<Candidate>> candidates;
    for (const auto& at : positions) {
        candidates.emplace_back();
        for (const std::size_t i : at) {
            candidates.back().push_back({&picture(i).order, picture(i).frame, i});
        }
    }
    const Volumes volumes = assignVolumes(candidates);
    const bool several = volumes.indices.size() > 1;
    warnOfPictures(volumes);
    warnOfGaps(several ? "every volume: " : "");
    for (const auto& indices : volumes.indices) {
        warnOfHoles(indices, several ? fmt::format("volume {}: ", stack.volumes.size()) : "");
        stack.volumes.emplace_back();
        for (std::size_t at = 0; at < indices.size(); ++at) {
            if (indices[at] >= 0) {
                stack.volumes.back().push_back({steps.slices[at], static_cast<std::size_t>(indices[at])});
            }
        }
    }
}

/// Warns about pictures and volumes that are not shown.
void Planner::warnOfPictures(const Volumes& volumes) {
    for (const auto& [shown, other] : volumes.doubles) {
        warn(fmt::format("{} is at the position of {}: the latter is shown", name(other), name(shown)));
    }
    if (const auto& out = volumes.leftOut; !out.empty()) {
        warn(fmt::format(
            "{} of volumes with less than half of their slices {} left out, the first of them {}",
            base::counted(out.size(), "picture"), out.size() == 1 ? "was" : "were", name(out.front())));
    }
    if (const auto& out = volumes.unclear; !out.empty()) {
        warn(fmt::format(
            "{} where others are missing {} left out, because it is not known to which volumes they belong, "
            "the first of them {}",
            base::counted(out.size(), "picture"), out.size() == 1 ? "was" : "were", name(out.front())));
    }
    for (const std::size_t at : volumes.lost) {
        warn(fmt::format("between volumes {} and {} at least one is missing, with all of its pictures",
                         at - 1, at));
    }
}

/// Warns about positions at which there is no picture at all.
void Planner::warnOfGaps(const std::string& prefix) {
    for (std::size_t at = 1; at < positions.size(); ++at) {
        const double distance = steps.slices[at] - steps.slices[at - 1];
        if (distance > (stack.uneven ? kReach : 1.5)) {
            warn(fmt::format("{}{} missing between {} and {}: left blank", prefix,
                             countedSlices(std::max<std::int64_t>(1, std::llround(distance) - 1)),
                             name(positions[at - 1].front()), name(positions[at].front())));
        }
    }
}

/// Warns about positions at which other volumes have a picture.
void Planner::warnOfHoles(const std::vector<std::int64_t>& indices, const std::string& prefix) {
    const auto count = static_cast<std::int64_t>(indices.size());
    std::int64_t last = -1;
    for (std::int64_t at = 0; at <= count; ++at) {
        if (at < count && indices[static_cast<std::size_t>(at)] < 0) {
            continue;
        }
        const auto nameAt = [&](std::int64_t position) {
            return name(static_cast<std::size_t>(indices[static_cast<std::size_t>(position)]));
        };
        if (const std::int64_t missing = at - last - 1; missing > 0) {
            const bool bridged =
                stack.uneven && last >= 0 && at < count &&
                steps.slices[static_cast<std::size_t>(at)] - steps.slices[static_cast<std::size_t>(last)] <=
                    kReach;
            const std::string where = last < 0 ? "before " + nameAt(at)
                                      : at == count
                                          ? "after " + nameAt(last)
                                          : fmt::format("between {} and {}", nameAt(last), nameAt(at));
            warn(fmt::format("{}{} missing {}: {}", prefix, countedSlices(missing), where,
                             bridged ? "interpolated" : "left blank"));
        }
        last = at;
    }
}

void Planner::warnOfTilt(const std::vector<double>& z, const std::vector<double>& x,
                         const std::vector<double>& y) {
    const double slopeX = slopeOf(z, x), slopeY = slopeOf(z, y);
    double off = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        off = std::max(
            off, std::hypot(x[i] - x[0] - slopeX * (z[i] - z[0]), y[i] - y[0] - slopeY * (z[i] - z[0])));
    }
    const double pixel = std::min(stack.geometry.spacing[0], stack.geometry.spacing[1]);
    if (off < pixel) {
        const double angle = std::atan(std::hypot(slopeX, slopeY)) * 180 / std::numbers::pi;
        warn(
            fmt::format("the gantry was tilted by {:.1f}°: every slice was moved to where it belongs, "
                        "interpolated between pixels",
                        angle));
        return;
    }
    warn(
        fmt::format("slices are shifted against each other by up to {} mm: every one was moved to where it "
                    "belongs, interpolated between pixels",
                    base::formatNumber(off)));
}

/// Returns the maximum change in millimeters that rounding can cause in the distance of two positions along
/// an axis.
double Planner::roundingAlong(const Vector& axis) const {
    return rounding * (std::abs(axis[0]) + std::abs(axis[1]) + std::abs(axis[2]));
}

base::Status Planner::findShifts() {
    volume::Geometry& geometry = stack.geometry;
    const std::size_t reference = stack.volumes.front().front().picture;
    geometry.origin = plus(picture(reference).position,
                           scaled(normal, along[positions.front().front()] - along[reference]));
    std::vector<double> z, x, y;
    std::array<double, 2> low{}, high{};
    std::vector<std::array<double, 2>> shifts(part.pictures.size());
    for (const auto& volume : stack.volumes) {
        for (const Placed& placed : volume) {
            const Vector offset = minus(picture(placed.picture).position, picture(reference).position);
            z.push_back(along[placed.picture]);
            x.push_back(dot(offset, geometry.direction[0]));
            y.push_back(dot(offset, geometry.direction[1]));
            shifts[placed.picture] = {x.back() / geometry.spacing[0], y.back() / geometry.spacing[1]};
            for (std::size_t axis = 0; axis < 2; ++axis) {
                low[axis] = std::min(low[axis], shifts[placed.picture][axis]);
                high[axis] = std::max(high[axis], shifts[placed.picture][axis]);
            }
        }
    }
    const double extent = steps.step * steps.slices.back();
    const double turned = extent * std::min(2 * picture(0).grid.skew, kMostTurn);
    const auto explained = [&](std::size_t axis) {
        const double mm = roundingAlong(geometry.direction[axis]) + turned;
        return high[axis] - low[axis] <= std::max(kShift, mm / geometry.spacing[axis] + kSettled);
    };
    if (explained(0) && explained(1)) {
        return {};
    }
    if (picture(0).grid.segments) {
        return base::Error{"its slices are shifted against each other, and labels cannot be interpolated"};
    }
    warnOfTilt(z, x, y);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (explained(axis)) {
            for (auto& shift : shifts) {
                shift[axis] = 0;
            }
            continue;
        }
        const double wider = std::ceil(high[axis] - low[axis] - kShift);
        if (wider > static_cast<double>(geometry.size[axis])) {
            return base::Error{"its pictures do not form a volume: they lie side by side, not in a stack"};
        }
        geometry.size[axis] += static_cast<std::int64_t>(std::max(wider, 0.0));
        const double begin = low[axis] * geometry.spacing[axis];
        geometry.origin = plus(geometry.origin, scaled(geometry.direction[axis], begin));
        for (auto& shift : shifts) {
            shift[axis] -= low[axis];
        }
    }
    stack.shifts = std::move(shifts);
    return {};
}

base::Result<Stack> Planner::plan() {
    beginGeometry();
    bool placed = true;
    for (std::size_t i = 0; i < part.pictures.size(); ++i) {
        placed = placed && picture(i).placed;
    }
    if (!placed) {
        planUnplaced();
        return std::move(stack);
    }
    findPositions();
    HIGHWATER_TRY(findSlices());
    fillVolumes();
    HIGHWATER_TRY(findShifts());
    return std::move(stack);
}

}  // namespace

std::string pictureName(const Looked& looked, const PictureRef& ref) {
    const FileFacts& file = looked.files[ref.file];
    return file.pictures.size() == 1 ? file.name
                                     : fmt::format("picture {} of {}", ref.picture + 1, file.name);
}

base::Result<Stack> planStack(const Looked& looked, const SeriesPart& part) {
    if (!part.problem.empty()) {
        return base::Error{part.problem};
    }
    return Planner{looked, part, {}}.plan();
}

}  // namespace highwater::scan::reader::dicom
