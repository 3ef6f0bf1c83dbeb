#include "core/report/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/volume/slice.h"
#include "core/volume/windowing.h"

namespace highwater::report {
namespace {

constexpr Rgb kGround = 0x000000, kLetter = 0xe8eaee, kBox = 0xf0b13c;

struct Picture {
    volume::SliceLayout layout;
    std::vector<unsigned char> gray;
    std::optional<volume::PatchBox> patch;
};

struct Place {
    double x = 0, y = 0, width = 0, height = 0;
};

/// Places the slice, scaled by its size in millimeters, as large as the square allows.
Place fit(const volume::SliceLayout& layout, double size) {
    const double wide = static_cast<double>(layout.width) * layout.columnSpacing;
    const double high = static_cast<double>(layout.height) * layout.rowSpacing;
    const double scale = size / std::max(wide, high);
    return {(size - wide * scale) / 2, (size - high * scale) / 2, wide * scale, high * scale};
}

void drawBox(Canvas& canvas, const Picture& picture, const Place& place) {
    const volume::PatchBox& box = *picture.patch;
    std::array<double, 3> low{}, high{};
    for (std::size_t a = 0; a < 3; ++a) {
        low[a] = static_cast<double>(box.start[a]) - 0.5;
        high[a] = low[a] + static_cast<double>(box.extent[a]);
    }
    const auto first = picture.layout.pixel(low), second = picture.layout.pixel(high);
    const double column = place.width / static_cast<double>(picture.layout.width);
    const double row = place.height / static_cast<double>(picture.layout.height);
    const double left = std::min(first[0], second[0]) + 0.5, top = std::min(first[1], second[1]) + 0.5;
    canvas.frame(place.x + left * column, place.y + top * row, std::abs(second[0] - first[0]) * column,
                 std::abs(second[1] - first[1]) * row, kBox, 1.25);
}

void drawLetters(Canvas& canvas, const volume::SliceLayout& layout, double size) {
    const auto letter = [&canvas](double x, double y, char c, Anchor anchor) {
        TextStyle style{.color = kGround, .size = 13, .bold = true, .anchor = anchor};
        for (const Point shadow : {Point{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            canvas.text({x + shadow.x, y + shadow.y}, std::string(1, c), style);
        }
        style.color = kLetter;
        canvas.text({x, y}, std::string(1, c), style);
    };
    letter(6, size / 2 + 5, layout.left, Anchor::Start);
    letter(size - 6, size / 2 + 5, layout.right, Anchor::End);
    letter(size / 2, 16, layout.top, Anchor::Middle);
    letter(size / 2, size - 7, layout.bottom, Anchor::Middle);
}

Picture pictureOf(const volume::Volume& scan, volume::Plane plane, const volume::Window& window,
                  const std::optional<volume::PatchBox>& patch) {
    Picture picture{volume::sliceLayout(scan.geometry(), plane), {}, patch};
    std::array<double, 3> center{};
    for (std::size_t a = 0; a < 3; ++a) {
        center[a] = patch ? static_cast<double>(patch->start[a]) + static_cast<double>(patch->extent[a]) / 2
                          : static_cast<double>(scan.geometry().size[a]) / 2;
    }
    const auto index = static_cast<std::int64_t>(std::floor(picture.layout.pixel(center)[2]));
    picture.gray = volume::sliceGray(scan, picture.layout,
                                     std::clamp<std::int64_t>(index, 0, picture.layout.depth - 1), window);
    return picture;
}

}  // namespace

std::array<Chart, 3> sliceCharts(const volume::Volume& scan, const std::optional<volume::PatchBox>& patch,
                                 double size) {
    const volume::Window window = volume::defaultWindow(scan.header(), volume::histogram(scan));
    std::array<Chart, 3> charts;
    constexpr std::array kPlanes = {volume::Plane::Axial, volume::Plane::Coronal, volume::Plane::Sagittal};
    for (std::size_t i = 0; i < charts.size(); ++i) {
        charts[i] = {fmt::format("{} slice{}", volume::planeName(kPlanes[i]), patch ? " with the patch" : ""),
                     size,
                     size,
                     {}};
        charts[i].draw = [size, picture = pictureOf(scan, kPlanes[i], window, patch)](Canvas& canvas) {
            const Place place = fit(picture.layout, size);
            canvas.rectangle(0, 0, size, size, kGround);
            canvas.image(picture.gray, static_cast<int>(picture.layout.width),
                         static_cast<int>(picture.layout.height), place.x, place.y, place.width,
                         place.height);
            if (picture.patch) {
                drawBox(canvas, picture, place);
            }
            drawLetters(canvas, picture.layout, size);
        };
    }
    return charts;
}

}  // namespace highwater::report
