#include "widgets/plot/line_field.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace highwater::widgets {
namespace {

constexpr std::size_t kFewLines = 16;  ///< or fewer are drawn one by one: QPainter takes 30 us a segment
constexpr int kDot = 3;                ///< pixels of a dot, and of the gap after it
constexpr unsigned kWhole = 8;         ///< coverage that one line adds to a pixel that it covers fully

/// Adds lines to a grid of pixels, each antialiased across (Wu 1991, "An efficient antialiasing technique").
/// Up to 8,000 lines through one pixel do not overflow.
class Density {
public:
    explicit Density(const QSize& size)
        : width_(size.width()),
          height_(size.height()),
          stride_(static_cast<std::size_t>(width_) + 2),
          sums_(buffer()) {
        sums_.assign(stride_ * (static_cast<std::size_t>(height_) + 2), 0);
    }

    /// Both ends must be within the grid, and `to` to the right of `from`.
    void add(const QPointF& from, const QPointF& to, unsigned weight, bool dotted) {
        const double dx = to.x() - from.x(), dy = to.y() - from.y();
        if (dx > 0 && std::abs(dy) <= dx) {
            walk({from.x(), to.x(), from.y(), dy / dx, width_, 1, stride_}, weight, dotted);
        } else if (dy > 0) {
            walk({from.y(), to.y(), from.x(), dx / dy, height_, stride_, 1}, weight, dotted);
        } else if (dy < 0) {
            walk({to.y(), from.y(), to.x(), dx / dy, height_, stride_, 1}, weight, dotted);
        }
    }
    const std::uint16_t* row(int y) const { return &sums_[static_cast<std::size_t>(y) * stride_]; }

private:
    /// A walk pixel by pixel along the longer axis of a line.
    struct Way {
        double from, to;           ///< positions along it
        double across;             ///< position on the other axis at `from`
        double slope;              ///< of the other axis, at most 1
        int end;                   ///< pixels along it
        std::size_t along, aside;  ///< offsets to the next pixel along it, and across it
    };
    void walk(const Way& way, unsigned weight, bool dotted) {
        constexpr int kBits = 16;
        const int first = std::clamp(static_cast<int>(way.from), 0, way.end - 1);
        const int last = std::clamp(static_cast<int>(way.to), 0, way.end - 1);
        const int most = (way.along == 1 ? height_ : width_) - 1;
        const auto limit = static_cast<std::int64_t>(most) << kBits;
        const auto step = static_cast<std::int64_t>(way.slope * (1 << kBits));
        auto place = static_cast<std::int64_t>((way.across + way.slope * (first - way.from)) * (1 << kBits));
        std::uint16_t* pixel = &sums_[static_cast<std::size_t>(first) * way.along];
        for (int i = first; i <= last; ++i, place += step, pixel += way.along) {
            if (dotted && i / kDot % 2 != 0) {
                continue;
            }
            const std::int64_t at = std::clamp<std::int64_t>(place, 0, limit);
            const auto part = static_cast<unsigned>((at >> (kBits - 3)) & 7);
            std::uint16_t* const here = pixel + static_cast<std::size_t>(at >> kBits) * way.aside;
            here[0] = static_cast<std::uint16_t>(here[0] + weight * (kWhole - part));
            here[way.aside] = static_cast<std::uint16_t>(here[way.aside] + weight * part);
        }
    }

    int width_, height_;
    std::size_t stride_;
    /// Kept between drawings: allocating memory of this size takes as long as drawing the lines.
    static std::vector<std::uint16_t>& buffer() {
        thread_local std::vector<std::uint16_t> kept;
        return kept;
    }

    std::vector<std::uint16_t>& sums_;
};

/// Lines closer than half a pixel cannot be told apart; those that coincide are drawn once.
constexpr double kGrain = 2;

std::uint32_t packed(double from, double to) {
    const auto part = [](double y) {
        return static_cast<std::uint32_t>(std::clamp(static_cast<int>(y * kGrain + 0.5), 0, 65535));
    };
    return part(from) << 16U | part(to);
}

/// Sorts equal lines together, if many are likely to be equal because they start from few places.
void gather(std::vector<std::uint32_t>& gap) {
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < gap.size(); i += std::max<std::size_t>(1, gap.size() / 256)) {
        places.push_back(gap[i] >> 16U);
    }
    std::sort(places.begin(), places.end());
    const auto few = std::unique(places.begin(), places.end()) - places.begin();
    if (few * 4 < static_cast<std::ptrdiff_t>(places.size())) {
        std::sort(gap.begin(), gap.end());
    }
}

}  // namespace

LineField::LineField(std::vector<double> x, std::vector<float> y, QColor color, bool dotted)
    : x_(std::move(x)), y_(std::move(y)), color_(std::move(color)), dotted_(dotted) {}

void LineField::prepare(const PlotFrame& frame, double ratio) const {
    if (lines() <= kFewLines) {
        return;
    }
    const QSize size = (frame.rect.size() * ratio).toSize();
    if (image_.size() != size || imageX_ != frame.x || imageY_ != frame.y) {
        image_ = image(size, ratio, frame);
        imageX_ = frame.x;
        imageY_ = frame.y;
    }
}

void LineField::paint(QPainter& painter, const PlotFrame& frame, bool shapes) const {
    if (shapes || lines() <= kFewLines) {
        return paintLines(painter, frame);
    }
    prepare(frame, painter.device()->devicePixelRatioF());
    painter.drawImage(frame.rect, image_);
}

void LineField::paintLines(QPainter& painter, const PlotFrame& frame) const {
    if (lines() == 0) {
        return;
    }
    QColor color = color_;
    color.setAlphaF(
        static_cast<float>(std::clamp(12.0 / std::sqrt(static_cast<double>(lines())), 0.15, 0.9)));
    QPen pen(color, 1.3, dotted_ ? Qt::CustomDashLine : Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (dotted_) {
        pen.setDashPattern({2, 2});
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    // One segment from axis to axis, so that the dots of coinciding lines coincide.
    for (std::size_t line = 0; line < lines(); ++line) {
        const float* const y = &y_[line * x_.size()];
        for (std::size_t a = 0; a + 1 < x_.size(); ++a) {
            if (!std::isnan(y[a]) && !std::isnan(y[a + 1])) {
                painter.drawLine(
                    QPointF(frame.pixelX(x_[a]), frame.pixelY(static_cast<double>(y[a]))),
                    QPointF(frame.pixelX(x_[a + 1]), frame.pixelY(static_cast<double>(y[a + 1]))));
            }
        }
    }
}

QImage LineField::image(const QSize& size, double ratio, const PlotFrame& frame) const {
    Density density(size);
    const auto row = [&](double y) { return (frame.pixelY(y) - frame.rect.top()) * ratio; };
    std::vector<std::uint32_t> gap;
    for (std::size_t a = 0; a + 1 < x_.size(); ++a) {
        gap.clear();
        for (std::size_t line = 0; line < lines(); ++line) {
            const float* y = &y_[line * x_.size() + a];
            if (!std::isnan(y[0]) && !std::isnan(y[1])) {
                gap.push_back(packed(row(static_cast<double>(y[0])), row(static_cast<double>(y[1]))));
            }
        }
        gather(gap);
        const double left = (frame.pixelX(x_[a]) - frame.rect.left()) * ratio;
        const double right = (frame.pixelX(x_[a + 1]) - frame.rect.left()) * ratio;
        for (std::size_t from = 0, to = 0; from < gap.size(); from = to) {
            while (to < gap.size() && gap[to] == gap[from]) {
                ++to;
            }
            density.add({left, (gap[from] >> 16U) / kGrain}, {right, (gap[from] & 0xFFFFU) / kGrain},
                        static_cast<unsigned>(to - from), dotted_);
        }
    }
    // A single line is always visible; where most lines pass, the color is opaque.
    constexpr unsigned kShades = 1024;
    const double single = std::clamp(8.0 / std::sqrt(static_cast<double>(lines())), 0.14, 0.8);
    const double less = std::pow(1 - single, 1.0 / kWhole);
    std::vector<QRgb> shades(kShades);
    double clear = 1;
    for (QRgb& shade : shades) {
        const double alpha = (1 - clear) * static_cast<double>(color_.alphaF());
        shade = qPremultiply(
            qRgba(color_.red(), color_.green(), color_.blue(), static_cast<int>(std::lround(alpha * 255))));
        clear *= less;
    }
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    for (int y = 0; y < size.height(); ++y) {
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
        const std::uint16_t* sums = density.row(y);
        for (int x = 0; x < size.width(); ++x) {
            if (sums[x] != 0) {
                pixels[x] = shades[std::min<unsigned>(sums[x], kShades - 1)];
            }
        }
    }
    return image;
}

}  // namespace highwater::widgets
