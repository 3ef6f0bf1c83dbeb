#include <gmock/gmock.h>

#include <functional>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/mgh/builder.h"

namespace highwater::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class T>
void readsMghValues(std::int32_t type, const char* name) {
    const TemporaryFolder folder;
    std::vector<T> values;
    for (int i = 0; i < 24; ++i) {
        values.push_back(static_cast<T>(7 * i));
    }
    Mgh mgh;
    mgh.type = type;
    for (const bool packed : {false, true}) {
        const std::string bytes = mghFile(mgh, values, std::string(20, 'x'));
        const auto volume =
            readHere(packed ? folder.write("a.mgz", gzip(bytes)) : folder.write("a.mgh", bytes));
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->header().pixelType, name);
        EXPECT_EQ(volume->header().format, packed ? "MGZ" : "MGH");
        EXPECT_EQ(volume->at(3, 2, 1), 7 * 23);
        EXPECT_EQ(volume->at(1, 0, 0), 7);
        EXPECT_THAT(volume->header().warnings, IsEmpty());  // data after the voxels is part of the format
    }
}

TEST(Mgh, EveryTypePackedOrNot) {
    readsMghValues<std::uint8_t>(0, "uint8");
    readsMghValues<std::int32_t>(1, "int32");
    readsMghValues<float>(3, "float32");
    readsMghValues<std::int16_t>(4, "int16");
    readsMghValues<std::uint16_t>(10, "uint16");
}

TEST(Mgh, LiesAroundItsCenter) {
    const TemporaryFolder folder;
    const auto volume = readHere(folder.write("a.mgh", mghFile(Mgh{}, counting())));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    const auto& geometry = volume->geometry();
    EXPECT_EQ(geometry.orientation(), "LIA");
    EXPECT_THAT(geometry.spacing, ElementsAre(1, 1.5, 2));
    // The voxel at half the sizes is the center.
    EXPECT_THAT(geometry.toMillimeters({2, 1.5, 1}), ElementsAre(10, 20, 30));
    EXPECT_THAT(geometry.toMillimeters({0, 0, 0}), ElementsAre(12, 18, 32.25));
}

TEST(Mgh, WithoutAGeometry) {
    const TemporaryFolder folder;
    Mgh mgh;
    mgh.placed = 0;
    const auto volume = readHere(folder.write("a.mgh", mghFile(mgh, counting())));
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->geometry().orientation(), "LIA");
    EXPECT_FALSE(volume->header().spacingKnown);
    EXPECT_THAT(volume->header().warnings, ElementsAre(HasSubstr("does not give its orientation")));
}

TEST(Mgh, FramesAreVolumes) {
    const TemporaryFolder folder;
    Mgh mgh;
    mgh.frames = 2;
    const auto path = folder.write("a.mgz", gzip(mghFile(mgh, counting(48))));
    const auto second = readHere(path, 1);
    ASSERT_TRUE(second.ok()) << second.error().message;
    EXPECT_EQ(second->header().volumes, 2);
    EXPECT_EQ(second->at(0, 0, 0), 124);
}

struct MghCase {
    const char* why;
    std::function<void(Mgh&)> damage;
    const char* message;
};

const MghCase kMghCases[] = {
    {"version", [](Mgh& m) { m.version = 2; }, "must begin with the version 1, it has 2"},
    {"a bitmap", [](Mgh& m) { m.type = 5; }, "voxels of MGH type 5 are not supported"},
    {"a size of 0", [](Mgh& m) { m.size[1] = 0; }, "a size of 0"},
    {"no frames", [](Mgh& m) { m.frames = 0; }, "0 volumes"},
    {"more than the file has", [](Mgh& m) { m.size[0] = 40; }, "truncated: the header promises 480 bytes"},
    {"more than any file has", [](Mgh& m) { m.size = {2147483647, 2147483647, 2147483647}; },
     "more voxels than any file can hold"},
    {"an axis without length", [](Mgh& m) { m.spacing[0] = 0; }, "its axes are singular"},
    {"sheared", [](Mgh& m) { m.axes[1] = 0.5F, m.axes[4] = 0.5F; }, "its axes are sheared"},
    {"spacing no number", [](Mgh& m) { m.spacing[2] = std::nanf(""); }, "the step along z is not a number"},
    {"center no number", [](Mgh& m) { m.center[0] = std::nanf(""); }, "its center is at not a number"},
};

TEST(Mgh, EachLineNamesTheFileAndWhatIsWrong) {
    const TemporaryFolder folder;
    for (const MghCase& one : kMghCases) {
        Mgh mgh;
        one.damage(mgh);
        const auto volume = readHere(folder.write("a.mgh", mghFile(mgh, counting())));
        ASSERT_FALSE(volume.ok()) << one.why;
        EXPECT_THAT(volume.error().message, HasSubstr(one.message)) << one.why;
        EXPECT_THAT(volume.error().message, HasSubstr("a.mgh: ")) << one.why;
    }
    const auto cut = readHere(folder.write("cut.mgz", gzip(mghFile(Mgh{}, counting()).substr(0, 200))));
    ASSERT_FALSE(cut.ok());
    EXPECT_THAT(cut.error().message, HasSubstr("an MGH header has 284 bytes, the file has 200"));
}

}  // namespace
}  // namespace highwater::test
