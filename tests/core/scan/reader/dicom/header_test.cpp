#include "core/scan/reader/dicom/header.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/core/scan/reader/dicom/builder.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/temporary_folder.h"

namespace highwater::scan {
namespace {

using test::Dicom;
using testing::HasSubstr;
using testing::StartsWith;

class DicomHeader : public testing::Test {
protected:
    base::Result<FileHeader> read(const std::string& path, std::optional<std::int64_t> slice = {},
                                  const std::string& series = "") const {
        return reader::readDicomHeader(path, series, 0, slice, [](std::string_view, double) {});
    }
    FileHeader of(const Dicom& d) {
        const auto header = read(folder_.write("a.dcm", test::dicomFile(d)));
        EXPECT_TRUE(header) << header.error().message;
        return header ? *header : FileHeader();
    }
    static HeaderRow row(const FileHeader& header, const std::string& tag) {
        const auto at = std::ranges::find(header.rows, tag, &HeaderRow::tag);
        return at == header.rows.end() ? HeaderRow() : *at;
    }
    test::TemporaryFolder folder_;
};

TEST_F(DicomHeader, HasNamesTypesAndValuesInEveryEncoding) {
    for (const auto syntax : {test::Syntax::Explicit, test::Syntax::Implicit, test::Syntax::BigEndian}) {
        Dicom d;
        d.syntax = syntax;
        d.spacing = {0.5, 0.25};
        d.extra[0x00189321] = test::text("SQ", "");
        d.extra[0x00189321] = test::sequence({{{0x00180050, test::text("DS", "5 ")}}, {}});
        d.extra[0x00290010] = test::text("LO", "SIEMENS CSA HEADER");
        d.extra[0x00186020] = test::numbers("SL", {-7});
        const FileHeader header = of(d);
        SCOPED_TRACE(static_cast<int>(syntax));
        EXPECT_EQ(header.file, "a.dcm");
        EXPECT_FALSE(header.cut);
        EXPECT_EQ(header.problem, "");
        EXPECT_EQ(row(header, "(0002,0010)").vr, "UI") << "the meta elements are there, too";
        EXPECT_EQ(row(header, "(0028,0010)"), (HeaderRow{0, "(0028,0010)", "Rows", "US", "3"}));
        EXPECT_EQ(row(header, "(0028,0030)"),
                  (HeaderRow{0, "(0028,0030)", "Pixel Spacing", "DS", "0.5\\0.25"}));
        EXPECT_EQ(row(header, "(0010,0010)").value, "Secret^Person");
        EXPECT_EQ(row(header, "(0018,9321)").value, "2 items");
        EXPECT_EQ(row(header, "(0029,0010)"),
                  (HeaderRow{0, "(0029,0010)", "Private Creator", "LO", "SIEMENS CSA HEADER"}));
        EXPECT_EQ(row(header, "(0018,6020)").value, "-7");
        const auto item = std::ranges::find(header.rows, "item 1", &HeaderRow::name);
        ASSERT_NE(item, header.rows.end());
        EXPECT_EQ(*(item + 1), (HeaderRow{1, "(0018,0050)", "Slice Thickness", "DS", "5"}));
        EXPECT_EQ((item + 2)->name, "item 2");
        EXPECT_EQ(row(header, "(7FE0,0010)").value, "24 B") << "of pixels only how many bytes";
        EXPECT_EQ(*fileHeaderFromJson(toJson(header)), header);
    }
}

TEST_F(DicomHeader, IsBoundedInRowsAndValues) {
    Dicom d;
    d.extra[0x00081030] = test::text("LO", std::string(5000, 'x'));
    d.extra[0x00189087] = test::numbers("FD", std::vector<double>(500, 0.125));
    const FileHeader header = of(d);
    EXPECT_LE(row(header, "(0008,1030)").value.size(), 303U);
    EXPECT_THAT(row(header, "(0018,9087)").value, StartsWith("0.125\\0.125"));
    EXPECT_THAT(row(header, "(0018,9087)").value, HasSubstr("\\… 500 numbers"));
    std::vector<test::Elements> items(5000);
    d.extra[0x00189321] = test::sequence(items);
    const FileHeader many = of(d);
    EXPECT_EQ(many.rows.size(), kMostHeaderRows);
    EXPECT_TRUE(many.cut);
    ASSERT_TRUE(fileHeaderFromJson(toJson(many)));
    base::Json json = toJson(many);
    json["rows"].push_back(json["rows"][0]);
    EXPECT_FALSE(fileHeaderFromJson(json)) << "the window trusts no answer";
}

TEST_F(DicomHeader, TextsAreOneLineInTheirCharacterSet) {
    Dicom d;
    d.extra[0x00080005] = test::text("CS", "ISO_IR 100");
    d.extra[0x00100010] = test::text("PN", "M\xFCller\nB");
    EXPECT_EQ(row(of(d), "(0010,0010)").value, "Müller B");
}

TEST_F(DicomHeader, OfADamagedFileShowsWhatIsThere) {
    std::string bytes = test::dicomFile(Dicom());
    bytes.resize(bytes.size() - 10);
    const auto header = read(folder_.write("cut.dcm", bytes));
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_THAT(header->problem, HasSubstr("truncated: (7FE0,0010) promises 24 bytes"));
    EXPECT_EQ(row(*header, "(0028,0010)").value, "3");
    const auto none = read(folder_.write("a.nii", test::niftiFile(test::Nifti(), test::counting())));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "a.nii: is a NIfTI scan; only DICOM files have such a header");
    EXPECT_FALSE(read(test::nowhere() + "/a.dcm"));
}

TEST_F(DicomHeader, IsThatOfTheSlicesFile) {
    for (int k = 0; k < 6; ++k) {
        if (k == 4) {
            continue;  // missing: leaves a gap
        }
        Dicom d;
        d.instance = 6 - k;  // names in the opposite order of the positions
        d.position = {0, 0, 2.0 * k};
        folder_.write("IM" + std::to_string(6 - k), test::dicomFile(d));
    }
    const auto file = [&](std::optional<std::int64_t> slice) {
        const auto header = read(folder_.path().string(), slice);
        return header ? header->file : header.error().message;
    };
    EXPECT_EQ(file(0), "IM6");
    EXPECT_EQ(file(3), "IM3");
    EXPECT_EQ(file(5), "IM1");
    EXPECT_THAT(file(4), testing::AnyOf("IM3", "IM1"));
    EXPECT_EQ(file(99), "IM1");
    EXPECT_EQ(file({}), "IM1") << "the first by name";
    const auto none = read(folder_.path().string(), 0, "9.9");
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("holds no series 9.9"));
}

}  // namespace
}  // namespace highwater::scan
