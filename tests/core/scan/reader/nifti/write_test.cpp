#include "core/scan/reader/nifti/write.h"

#include <gmock/gmock.h>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::test {
namespace {

volume::Geometry tilted() {
    volume::Geometry geometry;
    geometry.size = {3, 4, 5};
    geometry.spacing = {0.5, 0.75, 2};
    geometry.origin = {-10, 20, 30};
    // A third of a turn about (1, 1, 1), then the last axis reversed: left-handed.
    geometry.direction = {{{0, 1, 0}, {0, 0, 1}, {-1, 0, 0}}};
    return geometry;
}

TEST(NiftiWrite, ComesBackTheSameFromSformAndFromQform) {
    const TemporaryFolder folder;
    std::vector<std::int16_t> values = counting(60);
    const std::string path = (folder.path() / "a.nii.gz").string();
    ASSERT_TRUE(scan::reader::writeNiftiGzip(path, tilted(), values, "test").ok());
    const auto volume = readHere(path);
    ASSERT_TRUE(volume.ok());
    EXPECT_EQ(volume->geometry(), tilted());
    EXPECT_TRUE(volume->header().warnings.empty());  // so the qform, which ITK prefers, agrees
    EXPECT_EQ(volume->at(2, 3, 4), 159);

    auto bytes = scan::reader::niftiBeginning(tilted(), "test");
    ASSERT_TRUE(bytes.ok());
    std::string file(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    file[254] = 0;  // no sform
    file.append(reinterpret_cast<const char*>(values.data()), values.size() * 2);
    const auto byQform = readHere(folder.write("q.nii", file));
    ASSERT_TRUE(byQform.ok());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(byQform->geometry().spacing[axis], tilted().spacing[axis], 1e-6);
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_NEAR(byQform->geometry().direction[axis][c], tilted().direction[axis][c], 1e-6);
        }
    }
}

}  // namespace
}  // namespace highwater::test
