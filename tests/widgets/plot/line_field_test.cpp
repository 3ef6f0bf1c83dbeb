#include "widgets/plot/line_field.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <cmath>
#include <limits>
#include <random>

namespace highwater::widgets {
namespace {

const PlotFrame kFrame{QRectF(10, 20, 240, 120), {0, 2, false}, {0, 1, false}};

QImage painted(const LineField& field, bool shapes = false) {
    QImage image(260, 160, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    field.paint(painter, kFrame, shapes);
    return image;
}

/// Whether anything is painted within a pixel of a place.
bool inked(const QImage& image, double x, double y) {
    for (int dx = -1; dx <= 1; ++dx) {
        for (int dy = -1; dy <= 1; ++dy) {
            if (image.valid(static_cast<int>(x) + dx, static_cast<int>(y) + dy) &&
                qAlpha(image.pixel(static_cast<int>(x) + dx, static_cast<int>(y) + dy)) > 0) {
                return true;
            }
        }
    }
    return false;
}

std::vector<float> randomLines(std::size_t lines, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> part(0, 1);
    std::vector<float> y(lines * 3);
    for (float& each : y) {
        each = part(random);
    }
    return y;
}

TEST(LineFieldTest, EveryLineIsSeenAllAlongItsWay) {
    const std::vector<float> y = randomLines(400, 3);
    const LineField field({0, 1, 2}, y, Qt::red);
    ASSERT_EQ(field.lines(), 400u);
    const QImage image = painted(field);
    for (std::size_t line = 0; line < field.lines(); ++line) {
        for (std::size_t gap = 0; gap < 2; ++gap) {
            for (const double along : {0.05, 0.3, 0.5, 0.8, 0.95}) {
                const double from = static_cast<double>(y[line * 3 + gap]);
                const double to = static_cast<double>(y[line * 3 + gap + 1]);
                const double at = from + along * (to - from);
                ASSERT_TRUE(inked(image, kFrame.pixelX(static_cast<double>(gap) + along), kFrame.pixelY(at)))
                    << line << ", " << gap << ", " << along;
            }
        }
    }
}

TEST(LineFieldTest, NothingIsPaintedWhereNoLinePasses) {
    std::vector<float> y;
    for (int line = 0; line < 300; ++line) {
        y.insert(y.end(), {0.25F, 0.25F, std::numeric_limits<float>::quiet_NaN()});
    }
    const QImage image = painted(LineField({0, 1, 2}, y, Qt::red));
    const double row = kFrame.pixelY(0.25);
    for (int py = 0; py < image.height(); ++py) {
        for (int px = 0; px < image.width(); ++px) {
            if (std::abs(py - row) > 2 || px < kFrame.rect.left() || px > kFrame.pixelX(1) + 1) {
                ASSERT_EQ(qAlpha(image.pixel(px, py)), 0) << px << ", " << py;
            }
        }
    }
    EXPECT_EQ(qAlpha(image.pixel(60, static_cast<int>(std::lround(row)))), 255) << "300 lines are opaque";
}

TEST(LineFieldTest, ManyLinesLieWhereFewAreDrawnOneByOne) {
    const std::vector<float> y = randomLines(200, 9);
    const QImage many = painted(LineField({0, 1, 2}, y, Qt::red));
    const QImage shapes = painted(LineField({0, 1, 2}, y, Qt::red), true);
    int apart = 0;
    for (int py = 1; py + 1 < many.height(); ++py) {
        for (int px = 1; px + 1 < many.width(); ++px) {
            const bool ink = qAlpha(many.pixel(px, py)) > 60;
            apart += ink && !inked(shapes, px, py);
        }
    }
    EXPECT_EQ(apart, 0);
}

}  // namespace
}  // namespace highwater::widgets
