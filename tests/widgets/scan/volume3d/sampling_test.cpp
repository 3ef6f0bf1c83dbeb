#include "widgets/scan/volume3d/sampling.h"

#include <gtest/gtest.h>

namespace highwater::widgets {
namespace {

TEST(Sampling, FitsTheBudgetThatItLearned) {
    SamplingChooser chooser;
    const QSize pixels(400, 400);
    const double ray = 300, truth = 6e-6;
    Sampling s;
    for (int n = 0; n < 30; ++n) {
        s = chooser.choose(pixels, ray, FrameKind::Moving);
        const double count = 400 * 400 * s.scale * s.scale * ray / s.step;
        chooser.learn(pixels, ray, s, count * truth);
    }
    EXPECT_NEAR(400 * 400 * s.scale * s.scale * ray / s.step * truth, 40, 2);
    EXPECT_GT(chooser.choose(pixels, ray, FrameKind::Best).scale, s.scale);
}

TEST(Sampling, AFastMachineGetsTheFinestAndASlowOneTheLimit) {
    for (const double cost : {1e-9, 1e-2}) {
        SamplingChooser chooser;
        for (int n = 0; n < 40; ++n) {
            const Sampling s = chooser.choose({300, 300}, 300, FrameKind::Resting);
            chooser.learn({300, 300}, 300, s, 300 * 300 * s.scale * s.scale * 300 / s.step * cost);
        }
        const Sampling s = chooser.choose({300, 300}, 300, FrameKind::Resting);
        EXPECT_EQ(s, (cost < 1e-3 ? Sampling{1, 0.7} : Sampling{0.5, 1.5}));
    }
}

}  // namespace
}  // namespace highwater::widgets
