#include <gtest/gtest.h>

#include "core/scan/reader/dicom/header.h"
#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::scan {
namespace {

std::string seedFile(std::uint64_t n) {
    test::Dicom d;
    d.syntax = n % 3 == 0   ? test::Syntax::Explicit
               : n % 3 == 1 ? test::Syntax::Implicit
                            : test::Syntax::BigEndian;
    d.undefinedLengths = n % 2 == 1;
    d.extra[0x00189321] = test::sequence({{{0x00180050, test::text("DS", "5 ")}}, {}});
    d.extra[0x00290010] = test::text("LO", "MAKER");
    d.extra[0x00291010] = test::text("OB", "0123456789");
    d.extra[0x00189087] = test::numbers("FD", {1, 2, 3});
    return test::dicomFile(d);
}

TEST(DicomHeaderFuzz, RowsAreBoundedLinesWhateverTheFileSays) {
    const test::TemporaryFolder folder;
    const std::uint64_t rounds = fuzz::rounds(3000);
    std::uint64_t read = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto header =
            reader::readDicomHeader(folder.write("a.dcm", fuzz::mutate(seedFile(round), round)), "", 0, 3,
                                    [](std::string_view, double) {});
        if (!header) {
            fuzz::expectOneLine(header.error().message);
            continue;
        }
        ++read;
        EXPECT_LE(header->rows.size(), kMostHeaderRows);
        for (const HeaderRow& row : header->rows) {
            EXPECT_LE(row.value.size(), 400U);
            EXPECT_EQ((row.tag + row.name + row.vr + row.value).find_first_of("\n\r"), std::string::npos);
        }
        const auto back = fileHeaderFromJson(toJson(*header));
        EXPECT_TRUE(back) << back.error().message;
    }
    EXPECT_GT(read, rounds / 2);
}

}  // namespace
}  // namespace highwater::scan
