#include <algorithm>

#include "tests/e2e/cli_fixture.h"
#include "tests/e2e/small_disk.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;

/// Files that are written onto a disk with room for none of it, for one block, for two, until there is room
/// for all: whichever write is the one that fails, it is said, and what stood there stays.
class FullDisk : public EngineCliTest {
protected:
    static constexpr int kBlock = 4;           ///< KiB
    static constexpr int kMostKib = 64 << 10;  ///< no file here is as large
    static constexpr const char* kOld = "stood here before\n";

    /// `arguments` write the file whose name is among them; `growth` is how much more room the next try has.
    void tryEveryRoom(const std::string& name, const std::vector<std::string>& arguments,
                      double growth = 1.0) {
        const fs::path disk = folder_.path() / "disk", file = disk / name;
        std::vector<std::string> command = arguments;
        std::replace(command.begin(), command.end(), std::string("FILE"), file.string());
        int refused = 0;
        for (int free = 0; free <= kMostKib;
             free = std::max(free + kBlock, static_cast<int>(free * growth))) {
            const SmallDisk small(disk, ("size=" + std::to_string(free + kBlock) + "k").c_str());
            if (!small.problem().empty()) {
                GTEST_SKIP() << small.problem();
            }
            std::ofstream(file) << kOld;
            const Finished done = cli(command);
            std::vector<std::string> there;
            for (const auto& entry : fs::directory_iterator(disk)) {
                there.push_back(entry.path().filename().string());
            }
            EXPECT_THAT(there, ::testing::ElementsAre(name)) << free << " KiB free";
            std::ifstream now(file);
            const std::string text{std::istreambuf_iterator<char>(now), {}};
            if (done.exit == 0) {
                EXPECT_NE(text, kOld);
                EXPECT_GT(refused, 0) << "the disk was never full";
                return;
            }
            ++refused;
            EXPECT_EQ(text, kOld) << free << " KiB free";
            EXPECT_EQ(done.exit, 2) << done.err;
            EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
            EXPECT_THAT(done.err, ::testing::HasSubstr(name));
            if (HasFailure()) {
                return;
            }
        }
        FAIL() << name << ": is not written even with " << kMostKib << " KiB";
    }
};

TEST_F(FullDisk, ProgramsAndPlansAreWrittenWholeOrNotAtAll) {
    const std::string small = experiment();
    tryEveryRoom("model.py", {"export", "pytorch", small, "--out", "FILE"});
    tryEveryRoom("plan.json", {"plan", small, "--budget", "1GiB", "--out", "FILE"});
}

TEST_F(FullDisk, ReportsAndCapturesAreWrittenWholeOrNotAtAll) {
    const Finished run = cli({"run", experiment(), "--steps", "2", "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    for (const char* name : {"report.html", "report.pdf", "report.csv", "report.json"}) {
        tryEveryRoom(name, {"report", "1", "--out", "FILE"}, 1.6);
    }
    for (const char* name : {"capture.pickle", "capture.json", "capture.csv"}) {
        tryEveryRoom(name, {"runs", "capture", "1", "--out", "FILE"}, 1.6);
    }
}

TEST_F(FullDisk, TheBookAndThePhantomAreWrittenWholeOrNotAtAll) {
    tryEveryRoom("book.pdf", {"claims", "list", "--report", "FILE"}, 2);
    tryEveryRoom("head.nii.gz", {"volume", "phantom", "FILE"}, 20);
}

}  // namespace
}  // namespace highwater::e2e
