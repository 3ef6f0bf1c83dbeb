#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
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

    /// Which write below disk() fails, from 1 on; 0: none.
    struct Full {
        int at = 0;
        bool from = false;  ///< all after it fail too
        const char *except = nullptr, *only = nullptr;
        const char* program = "highwater-cli";
    };

    std::unique_ptr<Program> start(const std::vector<std::string>& command, const Full& full) const {
        write("count", std::string(8192, '\0'));
        const std::map<const char*, std::string> variables = {
            {"LD_PRELOAD", FULL_DISK_LIBRARY},
            {"HIGHWATER_FULL_DISK", disk()},
            {"HIGHWATER_FULL_DISK_COUNT", counter()},
            {"HIGHWATER_FULL_DISK_AT", std::to_string(full.at)},
            {"HIGHWATER_FULL_DISK_FROM", full.from ? "1" : ""},
            {"HIGHWATER_FULL_DISK_EXCEPT", full.except ? full.except : ""},
            {"HIGHWATER_FULL_DISK_ONLY", full.only ? full.only : ""}};
        for (const auto& [name, value] : variables) {
            if (!value.empty()) {
                setenv(name, value.c_str(), 1);
            }
        }
        auto program = std::make_unique<Program>(full.program, command, folder_.path());
        for (const auto& [name, value] : variables) {
            unsetenv(name);
        }
        return program;
    }
    Trial trial(const std::vector<std::string>& command, const Full& full) const {
        Trial done;
        done.finished = start(command, full)->wait();
        const std::string counted = textOf(counter());
        std::memcpy(&done.writes, counted.data(), sizeof done.writes);
        done.failed = counted.c_str() + sizeof done.writes;
        return done;
    }
    Json runsThere() {
        return parse(Program("highwater-cli", {"runs", "list", "--json", "--store", disk().string()},
                             folder_.path())
                         .wait()
                         .out)
            .at("runs");
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
                const Trial done = trial(command, {.at = at, .from = from});
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

/// Each command that prints a result, into a file on a full disk.
TEST_F(FullDisk, AResultThatCannotBePrintedIsSaid) {
    const std::string small = experiment(), scan = (folder_.path() / "head.nii.gz").string();
    const std::string err = (folder_.path() / "err").string();
    const auto intoFullDisk = [&](const char* program, const std::vector<std::string>& words) {
        std::string line = programPath(program).string();
        for (const std::string& word : words) {
            line += " '" + word + "'";
        }
        SCOPED_TRACE(line);
        const int status = std::system((line + " >/dev/full 2>" + err).c_str());
        EXPECT_EQ(WEXITSTATUS(status), 4);
        EXPECT_EQ(textOf(err), std::string(program) + ": standard output cannot be written; the output is " +
                                   "incomplete\n");
    };
    for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
             {"--help"},
             {"--version"},
             {"volume", "phantom", scan},
             {"run", small, "--steps", "1"},
             {"runs", "list"},
             {"runs", "list", "--json"},
             {"runs", "show", "1"},
             {"runs", "show", "1", "--json"},
             {"runs", "capture", "1", "--out", (folder_.path() / "c.json").string()},
             {"compare", "1", "1"},
             {"compare", "1", "1", "--json"},
             {"claims", "list"},
             {"claims", "run", "S11.reserved"},
             {"devices"},
             {"devices", "--json"},
             {"hosts", "list"},
             {"volume", "info", scan},
             {"volume", "info", scan, "--json"},
             {"volume", "list", folder_.path().string()}}) {
        intoFullDisk("highwater-cli", withStore(words));
    }
    for (const char* command : {"predict", "plan"}) {  // they have no store
        intoFullDisk("highwater-cli", {command, small, "--target", "rtx4090"});
        intoFullDisk("highwater-cli", {command, small, "--target", "rtx4090", "--json"});
    }
    intoFullDisk("highwater-engine", {"--experiment", small, "--steps", "1"});
    if (const auto scans = scansFolder(); std::filesystem::exists(scans / "sag-anon-dicom")) {
        intoFullDisk("highwater-cli", {"volume", "header", (scans / "sag-anon-dicom").string()});
    }
}

/// HIGHWATER_TEST_FULL_DISK: the step from one write that fails to the next (default: 11; 1: each write of a
/// run). The index is left out: it is made anew from the folders.
TEST_F(FullDisk, ARunSaysWhatWasNotRecorded) {
    const char* named = std::getenv("HIGHWATER_TEST_FULL_DISK");
    const int stride = named && std::atoi(named) > 0 ? std::atoi(named) : 11;
    const std::string small = experiment();
    std::filesystem::create_directories(disk());
    const std::vector<std::string> run = {"run", small, "--steps", "2", "--store", disk().string()};
    std::string last = "first";
    for (int at = 1; !last.empty(); at += stride) {
        ASSERT_LT(at, 1000);
        SCOPED_TRACE("write " + std::to_string(at));
        const std::size_t before = runsThere().size();
        const Trial done = trial(run, {.at = at, .except = "index.db"});
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
        const Json now = runsThere();
        EXPECT_LE(now.size(), before + 1);
        if (done.finished.exit == 0) {
            ASSERT_EQ(now.size(), before + 1);
            EXPECT_EQ(now.back()["status"], "done");
        } else {
            EXPECT_NE(done.finished.err, "");
            EXPECT_TRUE(now.size() == before || now.back()["status"] == "failed") << now.back().dump();
        }
        if (done.failed != disk() / "lock") {  // without which a store is used as where there are no locks
            EXPECT_NE(done.finished.err, "");
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

/// The engine cannot write the result or the last state; whoever follows it can, or cannot either.
TEST_F(FullDisk, TheEndOfARunIsRecordedOrItIsSaid) {
    std::filesystem::create_directories(disk());
    const std::vector<std::string> run = {"run",     experiment(),    "--steps",   "1",
                                          "--store", disk().string(), "--no-trace"};
    for (const auto& [file, at] : {std::pair("result.json", 1), {"state.json", 9}}) {
        for (const bool all : {false, true}) {
            const Trial done = trial(run, {.at = at, .from = all, .only = file});
            SCOPED_TRACE(done.failed + ": " + done.finished.err);
            expectOneLine(done);
            EXPECT_THAT(done.finished.err, HasSubstr("the end of the run could not be recorded: "));
            EXPECT_THAT(done.finished.err, HasSubstr(std::string(file) + ": cannot be written"));
            EXPECT_EQ(done.finished.exit, all ? 4 : 0);
            EXPECT_EQ(done.finished.out.empty(), all);
            EXPECT_EQ(runsThere().back()["status"], "done") << "the last event says so";
        }
    }
}

/// An engine that cannot open its record has failed; nothing was wrong with what it was given.
TEST_F(FullDisk, AnEngineWithoutARecordHasFailed) {
    const std::filesystem::path run = disk() / "run";
    for (const char* file : {"events.jsonl", ".spare", "state.json"}) {
        std::filesystem::remove_all(disk());
        std::filesystem::create_directories(run);
        std::filesystem::copy_file(experiment(), run / "experiment.json");
        const Trial done = trial({"--run", run.string(), "--steps", "1"},
                                 {.at = 1, .only = file, .program = "highwater-engine"});
        EXPECT_EQ(done.finished.exit, 4);
        EXPECT_EQ(done.finished.out, "");
        expectOneLine(done);
        EXPECT_THAT(done.finished.err, HasSubstr((run / file).string()));
    }
}

}  // namespace
}  // namespace highwater::e2e
