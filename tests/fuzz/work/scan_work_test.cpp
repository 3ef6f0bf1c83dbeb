#include "core/scan/reader/dicom/facts.h"
#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/fuzz/work/counted_work.h"

namespace highwater::fuzz {
namespace {

/// Frames with a group each, and as many other elements.
std::string frames(std::size_t count) {
    test::Dicom d;
    d.columns = d.rows = 1;
    d.extra[0x00280008] = test::text("IS", std::to_string(count));
    std::vector<test::Elements> groups(count);
    for (std::size_t i = 0; i < count; ++i) {
        groups[i][0x00289145] = test::sequence({{{0x00281053, test::text("DS", "0")}}});
        d.extra[static_cast<std::uint32_t>(0x00310000 + i)] = test::text("LO", "x");
    }
    d.extra[0x52009230] = test::sequence(groups);
    d.pixels = std::string(2 * count, '\1');
    return test::dicomFile(d);
}

TEST(Work, FramesOfADicomFile) {
    const test::TemporaryFolder folder;
    expectLinearWork(400, [&folder](std::size_t size) {
        return [path = folder.write("frames.dcm", frames(size)), size] {
            const auto file = scan::reader::dicom::openDicom(path);
            ASSERT_TRUE(file);
            const auto facts = scan::reader::dicom::describe(*file);
            ASSERT_TRUE(facts) << facts.error().message;
            EXPECT_EQ(facts->pictures.size(), size);
            EXPECT_EQ(facts->warnings.size(), 1U);
        };
    });
}

}  // namespace
}  // namespace highwater::fuzz
