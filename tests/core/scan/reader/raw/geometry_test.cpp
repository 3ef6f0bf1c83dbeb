#include <gmock/gmock.h>

#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/tissue_files.h"

namespace highwater::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Reads the file that `write` makes of each of the 48 blocks, in each type, and checks every voxel.
template <class Write>
void expectAll48(bool swapped, std::string_view name, Write write) {
    const TemporaryFolder folder;
    int checked = 0;
    for (const Block& block : allBlocks()) {
        for (std::string_view type : kTypeNames) {
            const auto volume = readHere(folder.write(std::string(name), write(block, type, swapped)));
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_EQ(volume->header().pixelType, type);
            ASSERT_NO_FATAL_FAILURE(expectTissue(*volume, block)) << block.letters << " " << type;
            ++checked;
        }
    }
    EXPECT_EQ(checked, 480);
}

class All48 : public testing::TestWithParam<bool> {};

TEST_P(All48, NiftiBySform) {
    expectAll48(GetParam(), "a.nii", [](const Block& block, std::string_view type, bool swapped) {
        return niftiTissue(block, type, swapped, Form::Sform);
    });
}

TEST_P(All48, NiftiByQform) {
    expectAll48(GetParam(), "a.nii", [](const Block& block, std::string_view type, bool swapped) {
        return niftiTissue(block, type, swapped, Form::Qform);
    });
}

TEST_P(All48, NiftiWithBoth) {
    expectAll48(GetParam(), "a.nii.gz", [](const Block& block, std::string_view type, bool swapped) {
        return gzip(niftiTissue(block, type, swapped, Form::Both), 1);
    });
}

TEST_P(All48, Nrrd) {
    int at = 0;
    expectAll48(GetParam(), "a.nrrd", [&](const Block& block, std::string_view type, bool swapped) {
        return nrrdTissue(block, type, swapped, at++ % 2 == 0 ? "left-posterior-superior" : "RAS");
    });
}

// ITK 5.2 flips x in this space, where the format's description says y.
TEST(NrrdLeftAnteriorSuperior, IsReadAsTheFormatSays) {
    const TemporaryFolder folder;
    for (const Block& block : allBlocks()) {
        for (const char* space : {"left-anterior-superior", "LAS"}) {
            const auto volume = readHere(folder.write("a.nrrd", nrrdTissue(block, "int16", false, space)));
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            ASSERT_NO_FATAL_FAILURE(expectTissueInPlace(*volume, block));
            EXPECT_THAT(volume->header().warnings, testing::IsEmpty());
        }
    }
}

TEST_P(All48, MetaImage) {
    expectAll48(GetParam(), "a.mha", metaTissue);
}

INSTANTIATE_TEST_SUITE_P(ByteOrder, All48, testing::Bool(),
                         [](const auto& one) { return one.param ? "big" : "little"; });

TEST(NiftiWithNeither, SpacingAndNoPlace) {
    const TemporaryFolder folder;
    for (std::string_view type : kTypeNames) {
        for (bool swapped : {false, true}) {
            const Block block = allBlocks().front();
            Nifti n = niftiOf(block, type, swapped, Form::Sform);
            n.sform = 0;
            n.rows = {};
            const auto volume =
                readHere(folder.write("a.nii", beginning(n) + stored(block.values(), type, swapped)));
            ASSERT_TRUE(volume.ok()) << volume.error().message;
            EXPECT_THAT(volume->header().warnings, Contains(HasSubstr("neither sform nor qform")));
            EXPECT_EQ(volume->geometry().spacing, kTissueSpacing);
            EXPECT_EQ(volume->geometry().orientation(), "RAS");
            EXPECT_EQ(volume->geometry().origin, (std::array<double, 3>{}));
            EXPECT_EQ(volume->at(2, 3, 4), tissue(2, 3, 4));
        }
    }
}

}  // namespace
}  // namespace highwater::test
