#include "widgets/plot/line_field.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace highwater::widgets {
namespace {

constexpr std::size_t kFewLines = 120;  ///< so many are drawn one by one
constexpr int kDot = 3;                 ///< pixels of a dot and of the gap behind it
constexpr std::uint32_t kWhole = 16;    ///< what one line adds to a pixel that it covers

/// Adds lines to a grid of pixels, each a little blurred across (Wu 1991, "An efficient antialiasing
/// technique").
class Density {
public:
    explicit Density(const QSize& size)
        : width_(size.width()),
          height_(size.height()),
          sums_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

    void add(QPointF from, QPointF to, std::uint32_t weight, bool dotted) {
        const double dx = to.x() - from.x(), dy = to.y() - from.y();
        std::abs(dy) <= std::abs(dx) ? across(from, to, dx > 0 ? dy / dx : 0, weight, dotted)
                                     : down(from, to, dx / dy, weight, dotted);
    }
    std::uint32_t at(int x, int y) const {
        return sums_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(x)];
    }

private:
    void across(const QPointF& from, const QPointF& to, double slope, std::uint32_t weight, bool dotted) {
        const int last = std::min(width_ - 1, static_cast<int>(to.x()));
        for (int x = std::max(0, static_cast<int>(from.x())); x <= last; ++x) {
            if (!dotted || x / kDot % 2 == 0) {
                const double y = from.y() + slope * (x - from.x());
                const int row = static_cast<int>(y);
                const auto part = static_cast<std::uint32_t>((y - row) * kWhole);
                put(x, row, weight * (kWhole - part));
                put(x, row + 1, weight * part);
            }
        }
    }
    void down(QPointF from, QPointF to, double slope, std::uint32_t weight, bool dotted) {
        if (from.y() > to.y()) {
            std::swap(from, to);
        }
        const int last = std::min(height_ - 1, static_cast<int>(to.y()));
        for (int y = std::max(0, static_cast<int>(from.y())); y <= last; ++y) {
            if (!dotted || y / kDot % 2 == 0) {
                const double x = from.x() + slope * (y - from.y());
                const int column = static_cast<int>(x);
                const auto part = static_cast<std::uint32_t>((x - column) * kWhole);
                put(column, y, weight * (kWhole - part));
                put(column + 1, y, weight * part);
            }
        }
    }
    void put(int x, int y, std::uint32_t value) {
        if (x >= 0 && x < width_ && y >= 0 && y < height_) {
            sums_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                  static_cast<std::size_t>(x)] += value;
        }
    }

    int width_, height_;
    std::vector<std::uint32_t> sums_;
};

/// Half a pixel is as fine as two lines can be told apart; lines that fall together are drawn once.
constexpr double kGrain = 2;

std::uint32_t packed(double from, double to) {
    const auto part = [](double y) {
        return static_cast<std::uint32_t>(std::clamp(std::lround(y * kGrain), 0L, 65535L));
    };
    return part(from) << 16U | part(to);
}

}  // namespace

LineField::LineField(std::vector<double> x, std::vector<float> y, QColor color, bool dotted)
    : x_(std::move(x)), y_(std::move(y)), color_(std::move(color)), dotted_(dotted) {}

void LineField::paint(QPainter& painter, const PlotFrame& frame, bool shapes) const {
    if (lines() == 0) {
        return;
    }
    if (shapes || lines() <= kFewLines) {
        return paintLines(painter, frame);
    }
    const double ratio = painter.device()->devicePixelRatioF();
    const QSize size = (frame.rect.size() * ratio).toSize();
    if (image_.size() != size || imageX_ != frame.x || imageY_ != frame.y) {
        image_ = image(size, ratio, frame);
        imageX_ = frame.x;
        imageY_ = frame.y;
    }
    painter.drawImage(frame.rect, image_);
}

void LineField::paintLines(QPainter& painter, const PlotFrame& frame) const {
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
    QPolygonF run;
    const auto flush = [&] {
        if (run.size() > 1) {
            painter.drawPolyline(run);
        }
        run.clear();
    };
    for (std::size_t line = 0; line < lines(); ++line) {
        for (std::size_t a = 0; a < x_.size(); ++a) {
            const auto y = static_cast<double>(y_[line * x_.size() + a]);
            if (std::isnan(y)) {
                flush();
            } else {
                run << QPointF(frame.pixelX(x_[a]), frame.pixelY(y));
            }
        }
        flush();
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
        std::sort(gap.begin(), gap.end());
        const double left = (frame.pixelX(x_[a]) - frame.rect.left()) * ratio;
        const double right = (frame.pixelX(x_[a + 1]) - frame.rect.left()) * ratio;
        for (std::size_t from = 0, to = 0; from < gap.size(); from = to) {
            to = static_cast<std::size_t>(
                std::upper_bound(gap.begin() + static_cast<std::ptrdiff_t>(from), gap.end(), gap[from]) -
                gap.begin());
            density.add({left, (gap[from] >> 16U) / kGrain}, {right, (gap[from] & 0xFFFFU) / kGrain},
                        static_cast<std::uint32_t>(to - from), dotted_);
        }
    }
    // One line is always seen; where most pass, the colour is full.
    constexpr std::uint32_t kShades = 4096;
    const double single = std::clamp(8.0 / std::sqrt(static_cast<double>(lines())), 0.14, 0.8);
    std::vector<QRgb> shades(kShades);
    for (std::uint32_t i = 0; i < kShades; ++i) {
        const double alpha = (1 - std::pow(1 - single, static_cast<double>(i) / kWhole)) * color_.alphaF();
        shades[i] = qPremultiply(
            qRgba(color_.red(), color_.green(), color_.blue(), static_cast<int>(std::lround(alpha * 255))));
    }
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    for (int y = 0; y < size.height(); ++y) {
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < size.width(); ++x) {
            pixels[x] = shades[std::min(density.at(x, y), kShades - 1)];
        }
    }
    return image;
}

}  // namespace highwater::widgets
