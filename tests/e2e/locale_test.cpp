// A locale with a decimal comma changes nothing that is read, shown or written.
#include <clocale>
#include <cstdlib>

#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

constexpr const char* kComma = "de_DE.UTF-8";

/// True where this machine has a locale with a decimal comma under that name.
bool hasComma() {
    const std::string old = std::setlocale(LC_NUMERIC, nullptr);
    const bool there =
        std::setlocale(LC_NUMERIC, kComma) != nullptr && std::string(std::localeconv()->decimal_point) == ",";
    std::setlocale(LC_NUMERIC, old.c_str());
    return there;
}

class LocaleTest : public CliTest {
protected:
    void SetUp() override {
        if (!hasComma()) {
            GTEST_SKIP() << "there is no locale " << kComma << " here";
        }
        if (programPath("highwater-scan").empty()) {
            GTEST_SKIP() << "highwater-scan was not built";
        }
    }
    void TearDown() override { setenv("LC_ALL", "C.UTF-8", 1); }

    Finished in(const char* locale, const std::vector<std::string>& arguments) {
        setenv("LC_ALL", locale, 1);
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    void expectSame(const std::vector<std::string>& arguments) {
        const Finished point = in("C.UTF-8", arguments), comma = in(kComma, arguments);
        EXPECT_EQ(point.exit, 0) << point.err;
        EXPECT_EQ(comma.exit, 0) << comma.err;
        EXPECT_EQ(point.out, comma.out);
        EXPECT_EQ(point.err, comma.err);
        EXPECT_NE(point.out, "");
    }

    std::string nifti() const {
        test::Nifti n;
        n.pixdim = {1, 0.859375F, 0.9F, 2.5F, 1, 1, 1, 1};
        n.rows = {{{0.859375F, 0, 0, -10.5F}, {0, 0.9F, 0, -20.25F}, {0, 0, 2.5F, 3.125F}}};
        n.slope = 0.5F;
        n.intercept = -0.25F;
        return write("a.nii", test::niftiFile(n, test::counting()));
    }
    std::string nrrd() const {
        return write("a.nrrd",
                     "NRRD0004\ntype: short\ndimension: 3\nspace: left-posterior-superior\nsizes: 4 3 2\n"
                     "space directions: (0.859375,0,0) (0,0.9,0) (0,0,2.5)\nendian: little\nencoding: raw\n"
                     "space origin: (-10.5,-20.25,3.125)\n\n" +
                         std::string(48, '\1'));
    }
    std::string meta() const {
        return write("a.mha",
                     "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
                     "CompressedData = False\nTransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = -10.5 -20.25 "
                     "3.125\nElementSpacing = 0.859375 0.9 2.5\nDimSize = 4 3 2\nElementType = MET_SHORT\n"
                     "ElementDataFile = LOCAL\n" +
                         std::string(48, '\1'));
    }
};

TEST_F(LocaleTest, ScansAreReadAndDescribedAsEver) {
    for (const std::string& scan : {nifti(), nrrd(), meta()}) {
        expectSame({"volume", "info", scan});
        expectSame({"volume", "info", scan, "--json"});
        EXPECT_EQ(parse(in(kComma, {"volume", "info", scan, "--json"}).out)["spacing_mm"],
                  Json::parse("[0.859375, 0.9, 2.5]"))
            << scan;
    }
}

TEST_F(LocaleTest, WindowsAndSlicesAreTheSame) {
    const std::string scan = nifti(), out = (folder_.path() / "slice.pgm").string();
    std::vector<std::string> slices;
    for (const char* locale : {"C.UTF-8", kComma}) {
        const Finished made =
            in(locale, {"volume", "slice", scan, "--window", "50.5", "60.25", "--out", out});
        EXPECT_EQ(made.exit, 0) << made.err;
        slices.push_back(test::slurp(out));
    }
    EXPECT_EQ(slices[0], slices[1]);
    EXPECT_NE(slices[0], "");
}

TEST_F(LocaleTest, PredictionsAreTheSame) {
    expectSame({"predict", experiment()});
    expectSame({"predict", experiment(), "--json"});
}

}  // namespace
}  // namespace highwater::e2e
