#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// Each write of a command fails once as on a full disk: the command says so in one line, and what was there
/// stays whole.
class FullDisk : public EngineCliTest {
protected:
    struct Trial {
        Finished finished;
        std::uint64_t writes = 0;  ///< how many there were
        std::string failed;        ///< the path of the one that failed; empty if there were not as many
    };

    std::filesystem::path disk() const { return folder_.path() / "disk"; }
    std::filesystem::path counter() const { return folder_.path() / "count"; }

    /// The command, of which the write of this number below disk() fails; with `from`, so do all after it.
    Trial trial(const std::vector<std::string>& command, int at, bool from, const char* except = nullptr) {
        write("count", std::string(8192, '\0'));
        setenv("HIGHWATER_FULL_DISK", disk().c_str(), 1);
        setenv("HIGHWATER_FULL_DISK_COUNT", counter().c_str(), 1);
        setenv("HIGHWATER_FULL_DISK_AT", std::to_string(at).c_str(), 1);
        if (from) {
            setenv("HIGHWATER_FULL_DISK_FROM", "1", 1);
        }
        if (except != nullptr) {
            setenv("HIGHWATER_FULL_DISK_EXCEPT", except, 1);
        }
        setenv("LD_PRELOAD", FULL_DISK_LIBRARY, 1);
        Trial done;
        {
            Program program("highwater-cli", command, folder_.path());
            for (const char* name :
                 {"LD_PRELOAD", "HIGHWATER_FULL_DISK_FROM", "HIGHWATER_FULL_DISK_EXCEPT"}) {
                unsetenv(name);
            }
            done.finished = program.wait();
        }
        const std::string counted = textOf(counter());
        std::memcpy(&done.writes, counted.data(), sizeof done.writes);
        done.failed = counted.c_str() + sizeof done.writes;
        return done;
    }
    std::set<std::string> names() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(disk())) {
            names.insert(entry.path().lexically_relative(disk()).string());
        }
        return names;
    }
    static void expectOneLine(const Trial& done) {
        EXPECT_LT(done.finished.exit, 128) << done.finished.err;
        EXPECT_EQ(std::count(done.finished.err.begin(), done.finished.err.end(), '\n'), 1)
            << done.finished.err;
        EXPECT_THAT(done.finished.err, HasSubstr("No space left on device"));
    }

    /// `command` writes disk()/name whole, or not at all. `more`: also where all writes after one fail.
    void expectWhole(const std::vector<std::string>& command, const std::string& name, bool more = false) {
        std::filesystem::create_directories(disk());
        const std::string old = "what was there before\n";
        for (const bool from : more ? std::vector<bool>{false, true} : std::vector<bool>{false}) {
            for (int at = 1;; ++at) {
                SCOPED_TRACE(command[0] + " " + command[1] + ", write " + std::to_string(at) +
                             (from ? " and all after it" : ""));
                ASSERT_LT(at, 100);
                write("disk/" + name, old);
                const Trial done = trial(command, at, from);
                if (done.failed.empty()) {
                    EXPECT_EQ(done.finished.exit, 0) << done.finished.err;  // with room it succeeds
                    EXPECT_GE(at, 4) << "open, write, sync and rename";
                    EXPECT_NE(textOf(disk() / name), old);
                    break;
                }
                ++count_;
                EXPECT_NE(done.finished.exit, 0) << done.failed;
                EXPECT_EQ(done.finished.out, "");
                expectOneLine(done);
                EXPECT_THAT(done.finished.err, HasSubstr((disk() / name).string()));
                EXPECT_EQ(textOf(disk() / name), old);
                EXPECT_EQ(names(), std::set<std::string>{name});
            }
        }
    }
    int count_ = 0;
};

TEST_F(FullDisk, FilesStayWhole) {
    const std::string small = experiment();
    ASSERT_EQ(cli({"run", small, "--steps", "2"}).exit, 0);
    const std::string scan = (folder_.path() / "head.nii.gz").string();
    ASSERT_EQ(cli({"volume", "phantom", scan}).exit, 0);
    const auto out = [&](const char* name) { return (disk() / name).string(); };
    expectWhole({"plan", small, "--out", out("plan.json")}, "plan.json");
    std::filesystem::remove_all(disk());
    expectWhole({"export", "pytorch", small, "--out", out("model.py")}, "model.py");
    for (const char* name : {"r.html", "r.pdf", "r.csv", "r.json"}) {
        std::filesystem::remove_all(disk());
        expectWhole(withStore({"report", "1", "--out", out(name)}), name);
    }
    for (const char* name : {"c.pickle", "c.json", "c.csv"}) {
        std::filesystem::remove_all(disk());
        expectWhole(withStore({"runs", "capture", "1", "--out", out(name)}), name, true);
    }
    std::filesystem::remove_all(disk());
    expectWhole({"volume", "read", scan, "--out", out("v.hwvol")}, "v.hwvol", true);
    std::filesystem::remove_all(disk());
    expectWhole({"volume", "slice", scan, "--out", out("v.pgm")}, "v.pgm");
    std::filesystem::remove_all(disk());
    expectWhole({"volume", "phantom", out("p.nii.gz")}, "p.nii.gz");
    std::printf("%d writes failed\n", count_);
}

/// HIGHWATER_TEST_FULL_DISK: the step from one write that fails to the next (default: 11; 1: each write of a
/// run). The index is left out: it is made anew from the folders.
TEST_F(FullDisk, ARunSaysWhatWasNotRecorded) {
    const char* named = std::getenv("HIGHWATER_TEST_FULL_DISK");
    const int stride = named && std::atoi(named) > 0 ? std::atoi(named) : 11;
    const std::string small = experiment();
    std::filesystem::create_directories(disk());
    const std::vector<std::string> run = {"run", small, "--steps", "2", "--store", disk().string()};
    const auto list = [&] {
        return parse(Program("highwater-cli", {"runs", "list", "--json", "--store", disk().string()},
                             folder_.path())
                         .wait()
                         .out)
            .at("runs");
    };
    std::string last = "first";
    for (int at = 1; !last.empty(); at += stride) {
        ASSERT_LT(at, 1000);
        SCOPED_TRACE("write " + std::to_string(at));
        const std::size_t before = list().size();
        const Trial done = trial(run, at, false, "index.db");
        const auto left = names();  // before `runs list`, which clears up itself
        last = done.failed;
        if (last.empty()) {
            EXPECT_EQ(done.finished.exit, 0) << done.finished.err;
            break;
        }
        ++count_;
        SCOPED_TRACE(done.failed + ": " + done.finished.err);
        EXPECT_LT(done.finished.exit, 128);
        EXPECT_LE(std::count(done.finished.err.begin(), done.finished.err.end(), '\n'), 1);
        const Json now = list();
        EXPECT_LE(now.size(), before + 1);
        if (done.finished.exit == 0) {
            ASSERT_EQ(now.size(), before + 1);
            EXPECT_EQ(now.back()["status"], "done");
        } else {
            EXPECT_NE(done.finished.err, "");
            EXPECT_TRUE(now.size() == before || now.back()["status"] == "failed") << now.back().dump();
        }
        if (done.finished.err.empty()) {
            std::printf("nothing was said of write %d: %s\n", at, done.failed.c_str());
        }
        for (const std::string& name : left) {
            EXPECT_EQ(name.find(".new-"), std::string::npos) << name;
            EXPECT_EQ(name.find(".spare"), std::string::npos) << name;
            EXPECT_FALSE(std::filesystem::path(name).stem().extension() == ".json")
                << name;  // state.json.a1B2c3
        }
    }
    std::printf("%d writes failed, of each %d one\n", count_, stride);
}

}  // namespace
}  // namespace highwater::e2e
