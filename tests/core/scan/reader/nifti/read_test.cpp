#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

template <class T>
struct TypeCase {
    std::int16_t code;
    const char* name;
};

template <class T>
void readsEveryValue(std::int16_t code, const char* name) {
    const TemporaryFolder folder;
    std::vector<T> values;
    for (int i = 0; i < 24; ++i) {
        values.push_back(static_cast<T>(i * 5 - (std::is_signed_v<T> ? 60 : 0)));
    }
    values[3] = std::numeric_limits<T>::max();
    values[4] = std::numeric_limits<T>::lowest();
    for (bool swapped : {false, true}) {
        for (bool compressed : {false, true}) {
            Nifti n;
            n.swapped = swapped;
            n.datatype = code;
            n.bitpix = sizeof(T) * 8;
            const std::string bytes = niftiFile(n, values);
            const auto volume =
                readHere(compressed ? folder.write("a.nii.gz", gzip(bytes)) : folder.write("a.nii", bytes));
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->header().pixelType, name);
            EXPECT_THAT(volume->header().warnings, IsEmpty());
            for (std::int64_t at = 0; at < 24; ++at) {
                EXPECT_EQ(volume->at(at % 4, at / 4 % 3, at / 12),
                          static_cast<double>(values[static_cast<std::size_t>(at)]))
                    << name << " voxel " << at << (swapped ? " swapped" : "");
            }
        }
    }
}

TEST(NiftiRead, EveryPixelTypeInBothByteOrders) {
    readsEveryValue<std::uint8_t>(2, "uint8");
    readsEveryValue<std::int16_t>(4, "int16");
    readsEveryValue<std::int32_t>(8, "int32");
    readsEveryValue<float>(16, "float32");
    readsEveryValue<double>(64, "float64");
    readsEveryValue<std::int8_t>(256, "int8");
    readsEveryValue<std::uint16_t>(512, "uint16");
    readsEveryValue<std::uint32_t>(768, "uint32");
    readsEveryValue<std::int64_t>(1024, "int64");
    readsEveryValue<std::uint64_t>(1280, "uint64");
}

base::Result<volume::Volume> readBytes(const std::string& bytes, std::int64_t index = 0,
                                       const std::string& name = "a.nii") {
    const TemporaryFolder folder;
    return readHere(folder.write(name, bytes), index);
}

TEST(NiftiRead, SlopeAndInterceptGiveRealValues) {
    Nifti n;
    n.slope = -0.5F;
    n.intercept = 1000;
    const auto volume = readBytes(niftiFile(n, counting()));
    ASSERT_TRUE(volume.ok());
    EXPECT_EQ(volume->at(1, 0, 0), 101 * -0.5 + 1000);
    EXPECT_EQ(volume->header().min, 123 * -0.5 + 1000);
    EXPECT_EQ(volume->header().max, 950);
    EXPECT_DOUBLE_EQ(volume->header().mean, 111.5 * -0.5 + 1000);
}

TEST(NiftiRead, SlopeZeroIsNoScaling) {
    Nifti n;
    n.slope = 0;
    n.intercept = 77;
    const auto volume = readBytes(niftiFile(n, counting()));
    ASSERT_TRUE(volume.ok());
    EXPECT_EQ(volume->at(0, 0, 0), 100);
    EXPECT_THAT(volume->header().warnings, IsEmpty());
}

TEST(NiftiRead, ASlopeThatIsNoNumberIsSaid) {
    Nifti n;
    n.slope = std::nanf("");
    const auto volume = readBytes(niftiFile(n, counting()));
    ASSERT_TRUE(volume.ok());
    EXPECT_EQ(volume->at(0, 0, 0), 100);
    EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("scl_slope is not a number")));
}

TEST(NiftiRead, StatisticsLeaveOutWhatIsNotFinite) {
    Nifti n;
    n.datatype = 16;
    n.bitpix = 32;
    std::vector<float> values(24, 2);
    values[0] = std::nanf("");
    values[1] = INFINITY;
    values[2] = -6;
    const auto volume = readBytes(niftiFile(n, values));
    ASSERT_TRUE(volume.ok());
    EXPECT_EQ(volume->header().min, -6);
    EXPECT_EQ(volume->header().max, 2);
    EXPECT_NEAR(volume->header().mean, (21 * 2.0 - 6) / 22, 1e-12);
    EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("2 of 24 voxels are not finite")));
}

TEST(NiftiRead, SeveralMembersAreOneFile) {
    const std::string bytes = niftiFile({}, counting());
    for (std::size_t cut : {10UL, 348UL, 352UL, 380UL}) {
        const auto volume = readBytes(gzip(bytes.substr(0, cut)) + gzip(bytes.substr(cut)), 0, "a.nii.gz");
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->at(3, 2, 1), 123);
    }
}

TEST(NiftiRead, OneVolumeOfA4DFile) {
    Nifti n;
    n.dim = {4, 4, 3, 2, 5, 1, 1, 1};
    const std::string bytes = niftiFile(n, counting(120));
    for (const std::string& stored : {bytes, gzip(bytes)}) {
        const auto volume = readBytes(stored, 2, "a.nii.gz");
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->header().volumes, 5);
        EXPECT_EQ(volume->at(0, 0, 0), 148);
        EXPECT_EQ(volume->header().max, 171);
        const auto missing = readBytes(stored, 5, "a.nii.gz");
        ASSERT_FALSE(missing.ok());
        EXPECT_THAT(missing.error().message,
                    HasSubstr("there is no volume 5: the file has 5, numbers 0 to 4"));
    }
}

TEST(NiftiRead, ALaterFirstVoxelAndATailAreFine) {
    Nifti n;
    n.voxOffset = 400;
    std::string bytes = niftiFile(n, counting());
    bytes.insert(352, std::string(48, 'x'));
    bytes += "tail";
    for (const std::string& stored : {bytes, gzip(bytes)}) {
        const auto volume = readBytes(stored);
        ASSERT_TRUE(volume.ok()) << volume.error().message;
        EXPECT_EQ(volume->at(0, 0, 0), 100);
        EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("4 bytes after the voxels were ignored")));
    }
}

TEST(NiftiRead, LargerThanAChunk) {
    Nifti n;
    n.swapped = true;
    n.dim = {3, 200, 200, 90, 1, 1, 1, 1};
    std::vector<std::int16_t> values(200 * 200 * 90);
    for (std::size_t at = 0; at < values.size(); ++at) {
        values[at] = static_cast<std::int16_t>(at * 31 % 30011);
    }
    const auto volume = readBytes(gzip(niftiFile(n, values), 1), 0, "a.nii.gz");
    ASSERT_TRUE(volume.ok());
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(values.size()); at += 997) {
        ASSERT_EQ(volume->at(at % 200, at / 200 % 200, at / 40000), values[static_cast<std::size_t>(at)])
            << at;
    }
}

TEST(NiftiRead, TheNamedFileAndNoOther) {
    const TemporaryFolder folder;
    const auto plain = folder.write("A.nii", niftiFile({}, std::vector<std::int16_t>(24, 1)));
    const auto packed = folder.write("A.nii.gz", gzip(niftiFile({}, std::vector<std::int16_t>(24, 2))));
    EXPECT_EQ(readHere(plain)->at(0, 0, 0), 1);
    EXPECT_EQ(readHere(packed)->at(0, 0, 0), 2);
}

}  // namespace
}  // namespace highwater::test
