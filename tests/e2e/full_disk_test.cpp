#include <cstdio>

#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/core/stack/onnx/onnx_text.h"
#include "tests/core/stack/pytorch/program_archive.h"
#include "tests/e2e/disk_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// Each write of a command fails once as on a full disk: the command reports it in one line, and existing
/// files stay intact.
class FullDisk : public DiskTest {
protected:
    /// `command` writes disk()/name completely, or not at all. `more`: also if all writes after one fail.
    void expectWhole(const std::vector<std::string>& command, const std::string& name, bool more = false,
                     const std::string& old = "what was there before\n") {
        std::filesystem::create_directories((disk() / name).parent_path());
        write("disk/" + name, old);
        const auto before = names();
        for (const bool from : more ? std::vector<bool>{false, true} : std::vector<bool>{false}) {
            for (int at = 1;; ++at) {
                SCOPED_TRACE(command[0] + " " + command[1] + ", write " + std::to_string(at) +
                             (from ? " and all after it" : ""));
                ASSERT_LT(at, 100);
                write("disk/" + name, old);
                const Trial done = trial(command, {.at = at, .from = from});
                if (done.failed.empty()) {
                    EXPECT_EQ(done.finished.exit, 0) << done.finished.err;  // with free space it succeeds
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
                EXPECT_EQ(names(), before);
            }
        }
    }
    int count_ = 0;
};

TEST_F(FullDisk, FilesStayWhole) {
    const std::string small = experiment();
    ASSERT_EQ(cli({"run", small, "--steps", "2"}).exit, 0);
    const std::string scan = write("head.nii", test::niftiFile({}, test::counting()));
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
    const Trial phantom = trial({"volume", "phantom", out("p.nii.gz")}, {.at = 2});  // it takes its time
    EXPECT_EQ(phantom.finished.exit, 2);
    expectOneLine(phantom);
    EXPECT_FALSE(std::filesystem::exists(out("p.nii.gz")));
    std::filesystem::remove_all(disk());
    const std::string plans = write("plans.json", stack::testing::newerPlans().dump());
    expectWhole({"import", "nnunet", plans, "--configuration", "chain", "--out", out("n.json")}, "n.json");
    std::filesystem::remove_all(disk());
    const std::string program =
        write("net.pt2", stack::testing::newerArchive(stack::testing::smallProgram().text()));
    expectWhole({"import", "pytorch", program, "--out", out("p.json")}, "p.json");
    std::filesystem::remove_all(disk());
    stack::testing::OnnxText network;
    network.output(network.conv("conv", "x", 1, 4));
    expectWhole({"import", "onnx", write("net.onnx", network.bytes()), "--out", out("o.json")}, "o.json");
    std::printf("%d writes failed\n", count_);
}

TEST_F(FullDisk, TheListOfHostsStaysWhole) {
    setenv("XDG_CONFIG_HOME", disk().c_str(), 1);
    std::filesystem::create_directories(disk());
    const Trial first = trial({"hosts", "add", "lab", "anna@lab"}, {.at = 1});  // the folder
    EXPECT_EQ(first.finished.exit, 2);
    expectOneLine(first);
    EXPECT_EQ(names(), std::set<std::string>());
    ASSERT_EQ(cli({"hosts", "add", "lab", "anna@lab"}).exit, 0);
    const std::string list = "highwater/hosts.json", old = textOf(disk() / list);
    expectWhole({"hosts", "add", "mine", "."}, list, false, old);
    expectWhole({"hosts", "remove", "lab"}, list, false, old);
    unsetenv("XDG_CONFIG_HOME");
}

TEST_F(FullDisk, ATableOfMeasurementsStaysWhole) {
    std::filesystem::create_directories(disk());
    const std::string table = (disk() / "table.txt").string();
    const auto calibrate = [&](const Json& change, int at) {
        return trial(
            {"devices", "--calibrate", experiment(change), "--only", "--threads", "1", "--out", table},
            {.at = at});
    };
    ASSERT_EQ(calibrate(Json::object(), 0).finished.exit, 0);
    const std::string old = textOf(table);
    const Json smaller = Json::parse(R"({"input": {"synthetic": [1, 4, 4, 4]}})");
    for (const int at : {2, 4}) {  // write and rename
        const Trial done = calibrate(smaller, at);
        EXPECT_EQ(done.finished.exit, 2);
        EXPECT_EQ(done.finished.out, "");
        EXPECT_THAT(done.finished.err,
                    HasSubstr("highwater-engine: " + table + ": cannot be written: No space"));
        EXPECT_EQ(textOf(table), old);
        EXPECT_EQ(names(), std::set<std::string>{"table.txt"});
    }
    EXPECT_EQ(calibrate(smaller, 5).finished.exit, 0);
    EXPECT_GT(textOf(table).size(), old.size());
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

}  // namespace
}  // namespace highwater::e2e
