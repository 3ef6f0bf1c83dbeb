#include <gmock/gmock.h>

#include "core/scan/scan_client.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RealScans : public testing::Test {
protected:
    void SetUp() override {
        folder_ = test::scansFolder();
        if (folder_.empty()) {
            GTEST_SKIP() << "no scans: set HIGHWATER_SCANS";
        }
    }
    std::filesystem::path folder_;
};

TEST_F(RealScans, TheMriOfAHead) {
    const auto volume = readScan((folder_ / "sag-anon.nii.gz").string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    const auto& geometry = volume->geometry();
    EXPECT_EQ(geometry.size, (std::array<std::int64_t, 3>{256, 256, 192}));
    EXPECT_EQ(geometry.spacing[0], 0.859375);
    EXPECT_EQ(geometry.spacing[1], 0.859375);
    EXPECT_NEAR(geometry.spacing[2], 0.9, 1e-6);
    EXPECT_EQ(geometry.orientation(), "PIR");
    EXPECT_EQ(volume->header().pixelType, "int16");
    EXPECT_EQ(volume->header().min, 0);
    EXPECT_EQ(volume->header().max, 713);
    EXPECT_TRUE(volume->header().warnings.empty());
}

TEST_F(RealScans, TheBigEndianOne) {
    const auto volume = readScan((folder_ / "anatomical.nii").string());
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{33, 41, 25}));
    EXPECT_EQ(volume->geometry().spacing, (std::array<double, 3>{2, 2, 2}));
    EXPECT_EQ(volume->geometry().orientation(), "LAS");
    EXPECT_EQ(volume->at(0, 0, 0), 0x29d8);
    EXPECT_EQ(volume->at(1, 0, 0), 0x28df);
}

TEST_F(RealScans, MalformedOnesAreOneLineAndNoCrash) {
    int checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "malformed")) {
        const auto volume = readScan(entry.path().string());
        ASSERT_FALSE(volume.ok()) << entry.path();
        EXPECT_THAT(volume.error().message, AllOf(HasSubstr(entry.path().filename().string()),
                                                  Not(HasSubstr("stopped")), Not(HasSubstr("\n"))));
        ++checked;
    }
    EXPECT_EQ(checked, 6);
}

}  // namespace
}  // namespace highwater::scan
