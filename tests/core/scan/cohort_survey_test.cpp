#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "core/scan/cohort.h"
#include "core/scan/contents.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"

namespace highwater::scan {
namespace {

namespace fs = std::filesystem;
using test::counting;
using test::niftiFile;
using test::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string sized(std::int16_t columns, std::size_t voxels) {
    test::Nifti n;
    n.dim[1] = columns;
    return niftiFile(n, counting(voxels));
}

class Survey : public testing::Test {
protected:
    void put(const std::string& name, const std::string& bytes) {
        fs::create_directories((folder_.path() / name).parent_path());
        folder_.write(name, bytes);
    }
    std::vector<CaseFacts> survey(const SurveyOptions& options = {}) {
        const auto cohort = findCases(folder_.path());
        EXPECT_TRUE(cohort.ok()) << cohort.error().message;
        auto facts = surveyCohort(*cohort, options);
        EXPECT_TRUE(facts.ok()) << facts.error().message;
        return facts ? *facts : std::vector<CaseFacts>();
    }
    TemporaryFolder folder_;
};

TEST_F(Survey, ReadsEachCaseAndKeepsTheRowOfABrokenOne) {
    const std::string good = niftiFile({}, counting());
    put("a 頭/x.nii", good);
    put("a 頭/y.nii.gz", test::gzip(good));
    put("b'\"/x.nii", good.substr(0, 380));
    put("b'\"/y.nii.gz", test::gzip(good));
    put("c/x.nii", good);
    put("c/y.nii.gz", test::gzip(sized(2, 12)));
    std::vector<std::size_t> done;
    SurveyOptions options;
    options.progress = [&](std::size_t n, const CaseFacts& last) {
        done.push_back(n);
        EXPECT_FALSE(last.name.empty());
    };
    const auto facts = survey(options);
    ASSERT_EQ(facts.size(), 3U);
    EXPECT_THAT(done, ElementsAre(1, 2, 3));
    EXPECT_EQ(facts[0].problem, "");
    ASSERT_EQ(facts[0].channels.size(), 2U);
    EXPECT_EQ(facts[0].channels[1].geometry.size, (std::array<std::int64_t, 3>{4, 3, 2}));
    EXPECT_EQ(facts[0].channels[1].mean, 111.5);
    EXPECT_THAT(facts[1].problem, HasSubstr("x.nii: truncated"));
    EXPECT_THAT(facts[1].channels, IsEmpty());
    EXPECT_THAT(facts[2].problem,
                HasSubstr("y.nii.gz: its size 2 × 3 × 2 differs from the first channel's 4 × 3 × 2"));
}

TEST_F(Survey, HeadersAloneHaveNoValues) {
    put("a.nii", niftiFile({}, counting()));
    SurveyOptions options;
    options.values = false;
    const auto facts = survey(options);
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(facts[0].problem, "");
    EXPECT_TRUE(std::isnan(facts[0].channels.at(0).mean));
    EXPECT_EQ(facts[0].channels[0].geometry.spacing, (std::array<double, 3>{2, 3, 4}));
}

TEST_F(Survey, LabelsMustLieOnTheSameGrid) {
    put("a.nii", niftiFile({}, counting()));
    put("a_seg.nii", sized(2, 12));
    put("b.nii", niftiFile({}, counting()));
    put("b_seg.nii", "no scan at all");
    const auto facts = survey();
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_THAT(facts[0].problem, HasSubstr("labels: a_seg.nii: its size 2 × 3 × 2"));
    EXPECT_THAT(facts[1].problem, HasSubstr("labels: b_seg.nii: "));
}

TEST_F(Survey, WarningsOnceEach) {
    test::Nifti four;
    four.dim = {4, 4, 3, 1, 2, 1, 1, 1};
    four.sform = 0;  // neither form: gives a warning
    put("p/a.nii", niftiFile(four, counting()));
    put("p/b.nii", niftiFile(four, counting()));
    const auto facts = survey();
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(facts[0].problem, "");
    EXPECT_THAT(facts[0].warnings, Contains(HasSubstr("a.nii: holds 2 volumes; volume 0 is taken")));
    const std::set<std::string> once(facts[0].warnings.begin(), facts[0].warnings.end());
    EXPECT_EQ(once.size(), facts[0].warnings.size());
}

TEST_F(Survey, CancelledBetweenCases) {
    put("a.nii", niftiFile({}, counting()));
    put("b.nii", niftiFile({}, counting()));
    std::atomic<bool> cancel{false};
    SurveyOptions options;
    options.cancel = &cancel;
    options.progress = [&](std::size_t, const CaseFacts&) { cancel = true; };
    const auto facts = surveyCohort(*findCases(folder_.path()), options);
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().message, "cancelled");
}

TEST(ListScans, AFileIsWhatWouldBeReadOfIt) {
    const TemporaryFolder folder;
    test::Nifti four;
    four.dim = {4, 4, 3, 1, 2, 1, 1, 1};
    const auto contents = listScans(folder.write("ü \"4D\".nii", niftiFile(four, counting())));
    ASSERT_TRUE(contents.ok()) << contents.error().message;
    ASSERT_EQ(contents->series.size(), 1U);
    const Series& series = contents->series[0];
    EXPECT_EQ(series.id, "");
    EXPECT_EQ(series.firstFile, "ü \"4D\".nii");
    EXPECT_EQ(series.size, (std::array<std::int64_t, 3>{4, 3, 1}));
    EXPECT_EQ(series.volumes, 2);
    EXPECT_EQ(series.files, 1);
    EXPECT_THAT(listScans(folder.write("cut.nii", "n+1")).error().message, HasSubstr("cut.nii: "));
    EXPECT_THAT(listScans(folder.path() / "none").error().message, HasSubstr("there is no such file"));
}

TEST(ListScans, AFolderOfScans) {
    const TemporaryFolder folder;
    for (const char* name : {"b 頭.nii", "a10.nii", "a2.img.nii"}) {
        folder.write(name, niftiFile({}, counting()));
    }
    folder.write("notes.txt", "x");
    folder.write("no scan.nii", "x");
    const auto contents = listScans(folder.path().string());
    ASSERT_TRUE(contents.ok()) << contents.error().message;
    EXPECT_THAT(contents->series, IsEmpty());
    EXPECT_THAT(contents->scans, ElementsAre("a2.img.nii", "a10.nii", "b 頭.nii"));
    EXPECT_THAT(contents->unread, IsEmpty());
    EXPECT_EQ(contents->ignored, 2);
}

TEST(ListScans, CancelledAndTimedOut) {
    const TemporaryFolder folder;
    folder.write("a.nii", niftiFile({}, counting()));
    std::atomic<bool> cancel{true};
    ReadOptions options;
    options.cancel = &cancel;
    EXPECT_EQ(listScans(folder.path().string(), options).error().message, "cancelled");
    options.cancel = nullptr;
    options.limits.timeout = std::chrono::seconds(0);
    EXPECT_THAT(listScans(folder.path().string(), options).error().message,
                HasSubstr("its contents cannot be listed: the reader made no progress"));
}

TEST(ReadScan, ASeriesThatIsNotThere) {
    const TemporaryFolder folder;
    ReadOptions options;
    options.series = std::string("a\0b", 3);
    EXPECT_THAT(readScan(folder.path().string(), options).error().message,
                HasSubstr("there is no such series"));
}

}  // namespace
}  // namespace highwater::scan
