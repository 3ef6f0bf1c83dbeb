#include "widgets/scan/volume3d/volume_look.h"

#include <gtest/gtest.h>

#include "widgets/scan/volume3d/render_volume.h"

namespace highwater::widgets {
namespace {

RenderScale ct() {
    RenderScale scale;
    scale.low = -1000;
    scale.high = 3000;
    scale.hounsfield = true;
    return scale;
}

RenderScale mr() {
    RenderScale scale;
    scale.low = 0;
    scale.high = 1000;
    scale.surface = 50;
    scale.usual = {10, 600};
    return scale;
}

TEST(VolumeLook, BoneWindowShowsBoneAndPeelingRaisesTheSurface) {
    EXPECT_EQ(lookFor(ct(), volume::Window::fromLevel(40, 400))[0].value, -300);
    EXPECT_EQ(lookFor(ct(), volume::Window::fromLevel(500, 2000))[0].value, 200);
    EXPECT_EQ(lookFor(mr(), mr().usual)[0].value, 50);
    EXPECT_EQ(lookFor(mr(), {110, 600})[0].value, 150);
}

TEST(VolumeLook, AirIsClearUnderEveryPresetAlsoInverted) {
    for (const volume::WindowPreset& preset : volume::windowPresets()) {
        for (const bool inverted : {false, true}) {
            for (const double opacity : {0.05, 1.0, 20.0}) {
                const LookStyle style{inverted, opacity};
                EXPECT_EQ(opacityOf(lookFor(ct(), preset.window, style), -1000), 0) << preset.id;
                EXPECT_EQ(opacityOf(lookFor(mr(), preset.window, style), 0), 0) << preset.id;
            }
        }
    }
}

TEST(VolumeLook, InvertedTurnsTheColorsAroundAndNothingElse) {
    const volume::Window window = volume::Window::fromLevel(40, 400);
    const Look plain = lookFor(ct(), window), inverted = lookFor(ct(), window, {.inverted = true});
    ASSERT_EQ(plain.size(), inverted.size());
    for (std::size_t n = 0; n < plain.size(); ++n) {
        EXPECT_EQ(plain[n].value, inverted[n].value);
        EXPECT_EQ(plain[n].opacity, inverted[n].opacity);
        EXPECT_EQ(plain[n].color, inverted[plain.size() - 1 - n].color);
    }
    EXPECT_NE(plain, inverted);
}

TEST(VolumeLook, AWindowOnLungsShowsLungsAndNoBone) {
    const Look look = lookFor(ct(), {-1350, 150});
    EXPECT_GT(opacityOf(look, -700), 0.02);
    EXPECT_LT(opacityOf(look, -700), 0.5) << "a haze";
    EXPECT_EQ(opacityOf(look, 40), 0);
    EXPECT_EQ(opacityOf(look, 1000), 0);
}

TEST(VolumeLook, OpacityFadesAndHardens) {
    const volume::Window window = volume::Window::fromLevel(40, 400);
    const Look plain = lookFor(ct(), window);
    const Look faint = lookFor(ct(), window, {.opacity = 0.25}), hard = lookFor(ct(), window, {.opacity = 4});
    for (double value = -1000; value < 3000; value += 7) {
        EXPECT_NEAR(opacityOf(faint, value), 0.0625 * opacityOf(plain, value), 1e-9) << value;
        EXPECT_NEAR(opacityOf(hard, value), std::min(1.0, 4 * opacityOf(plain, value)), 1e-9) << value;
    }
    for (const Look& look : {faint, hard}) {
        for (std::size_t n = 1; n < look.size(); ++n) {
            EXPECT_LT(look[n - 1].value, look[n].value);
        }
    }
}

}  // namespace
}  // namespace highwater::widgets
