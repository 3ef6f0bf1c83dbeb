#include "widgets/scan/volume3d/volume_renderer.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>

#include "tests/widgets/scan/orientations.h"

namespace highwater::widgets {
namespace {

using highwater::testing::allOrientations;
using highwater::testing::bumpyVolume;

/// The mean difference of the channels of two pictures, 0 to 255.
double difference(const QImage& a, const QImage& b) {
    double sum = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
            sum +=
                std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) + std::abs(qBlue(p) - qBlue(q));
        }
    }
    return sum / (3.0 * a.width() * a.height());
}

TEST(VolumeRenderer, TheSamePictureInAll48OrientationsDrawn) {
    if (QGuiApplication::platformName() == "offscreen") {
        GTEST_SKIP() << "the offscreen platform has no OpenGL; run under an X server (xvfb-run)";
    }
    QSurfaceFormat format;
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    QOffscreenSurface surface;
    surface.setFormat(format);
    surface.create();
    QOpenGLContext context;
    context.setFormat(format);
    if (!context.create() || !context.makeCurrent(&surface)) {
        GTEST_SKIP() << "no OpenGL 3.2 here";
    }
    {
        VolumeRenderer renderer;
        const std::atomic<bool> go{false};
        const auto draw = [&](const volume::Volume& v, float azimuth) {
            const auto r = makeRenderVolume(v, renderScale(v, volume::histogram(v)), kFineVoxels, go);
            renderer.setVolume(r);
            FrameRequest request;
            request.pixels = {72, 72};
            request.camera.azimuth = azimuth;
            request.camera.center = {18, 20, 22};
            request.camera.radius = 24;
            request.look = lookFor(*r, r->usual);
            request.step = 0.7;
            return renderer.render(context, request);
        };
        const QImage reference = draw(bumpyVolume("RAS"), 30), fromElsewhere = draw(bumpyVolume("RAS"), -30);
        ASSERT_FALSE(reference.isNull());
        EXPECT_GT(difference(reference, fromElsewhere), 8) << "it is not alike from all sides";
        EXPECT_GT(difference(reference, reference.mirrored(true, false)), 8) << "nor in a mirror";
        for (const std::string& letters : allOrientations()) {
            EXPECT_LT(difference(draw(bumpyVolume(letters), 30), reference), 2) << letters;
        }
    }
    context.doneCurrent();
}

}  // namespace
}  // namespace highwater::widgets
