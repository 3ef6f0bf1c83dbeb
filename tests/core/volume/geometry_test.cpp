#include <gmock/gmock.h>

#include "core/volume/slice.h"
#include "core/volume/volume.h"

namespace highwater::volume {
namespace {

TEST(Geometry, MillimetersAndBack) {
    Geometry geometry;
    geometry.spacing = {0.5, 2, 3};
    geometry.origin = {10, -20, 30};
    geometry.direction = {{{0, 0.6, 0.8}, {1, 0, 0}, {0, -0.8, 0.6}}};
    const auto mm = geometry.toMillimeters({4, 5, 6});
    EXPECT_NEAR(mm[0], 10 + 10, 1e-12);
    EXPECT_NEAR(mm[1], -20 + 1.2 - 14.4, 1e-12);
    EXPECT_NEAR(mm[2], 30 + 1.6 + 10.8, 1e-12);
    const auto ijk = geometry.toIndex(mm);
    EXPECT_NEAR(ijk[0], 4, 1e-12);
    EXPECT_NEAR(ijk[1], 5, 1e-12);
    EXPECT_NEAR(ijk[2], 6, 1e-12);
}

TEST(Geometry, BackAlsoWhereAxesAreNotPerpendicular) {
    Geometry geometry;
    geometry.direction = {{{1, 0, 0}, {0.1, 0.99, 0}, {0, 0.2, 0.97}}};
    geometry.spacing = {2, 2, 2};
    const auto ijk = geometry.toIndex(geometry.toMillimeters({3, -4, 5.5}));
    EXPECT_NEAR(ijk[0], 3, 1e-12);
    EXPECT_NEAR(ijk[1], -4, 1e-12);
    EXPECT_NEAR(ijk[2], 5.5, 1e-12);
}

TEST(Geometry, LettersOfObliqueAxes) {
    Geometry geometry;
    EXPECT_EQ(geometry.orientation(), "RAS");
    geometry.direction = {{{-0.05, -0.97, 0.26}, {-0.02, -0.26, -0.97}, {0.998, -0.06, -0.004}}};
    EXPECT_EQ(geometry.orientation(), "PIR");
    EXPECT_EQ(nearestAxes(geometry), (std::array<int, 3>{2, 0, 1}));
}

TEST(Geometry, EveryAxisGetsALetterOfItsOwnAt45Degrees) {
    Geometry geometry;
    const double h = 0.70710678118654752;
    geometry.direction = {{{h, h, 0}, {h, -h, 0}, {0, 0, 1}}};
    const std::string letters = geometry.orientation();
    EXPECT_NE(letters[0] == 'R' || letters[0] == 'L', letters[1] == 'R' || letters[1] == 'L') << letters;
}

}  // namespace
}  // namespace highwater::volume
