#include <fstream>

#include "core/base/printable.h"
#include "tests/e2e/cli_fixture.h"

/// Files and names with malicious contents, which are only displayed.
namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

/// A terminal title, color in both of its forms, right-to-left text, and a line break.
const std::string kEscapes = "\x1b]0;owned\x07\x1b[31m\u009b31m\u202eevil\r\t\x7f\nhighwater-cli: done";

class Hostile : public CliTest {
protected:
    Finished shell(const std::string& command) {
        return Program("/bin/sh", {"-c", "cd '" + folder_.path().string() + "' && " + command},
                       folder_.path())
            .wait();
    }
    static std::string program() { return programPath("highwater-cli").string(); }
    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            if (const std::string name = entry.path().filename(); !name.starts_with("std")) {
                names.push_back(name);
            }
        }
        return names;
    }
};

/// An experiment whose cuDNN questions are open.
const char* const kOpen = R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 8, 8, 8]},
    "stack": [{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}], "loss": "mean"})";

TEST_F(Hostile, AFolderThatIsAPythonPackageRunsNothing) {
    write("e.json", kOpen);
    std::filesystem::create_directories(folder_.path() / "nvidia/cudnn/lib");
    write("nvidia/__init__.py", "open('PYTHON_RAN', 'w')");
    for (const char* library : {"nvidia/cudnn/lib/libcudnn.so.9", "libcudnn.so.9"}) {
        std::filesystem::copy(std::filesystem::path(FAKE_CUDNN_FOLDER) / "libcudnn.so.9",
                              folder_.path() / library);
    }
    const Finished done =
        shell("unset HIGHWATER_CUDNN PYTHONPATH; FAKE_CUDNN=old LD_LIBRARY_PATH= XDG_DATA_HOME=$PWD/data " +
              program() + " predict e.json --target rtx4090");
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out + done.err, Not(HasSubstr("9.7.0"))) << "the folder's library answered";
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "PYTHON_RAN"));
}

TEST_F(Hostile, MoreMicroBatchesThanCanBeWalkedTakeLittleMemory) {
    const std::string path =
        experiment({{"input", {{"synthetic", {1, 8, 8, 8}}}},
                    {"step", {{"batch_size", 2147483647}, {"micro_batches", 2147483647}}}});
    const auto said = [&](const std::string& command) {
        return shell("ulimit -v 1048576; " + program() + " " + command + " " + path);
    };
    const Finished cpu = said("predict"), gpu = said("predict --target rtx4090 --json"),
                   plan = said("plan --target rtx4090");
    EXPECT_EQ(cpu.exit, 0) << cpu.err;
    EXPECT_THAT(cpu.out, HasSubstr("4.00 TiB")) << "the batch";
    EXPECT_EQ(gpu.exit, 0) << gpu.err;
    EXPECT_EQ(parse(gpu.out).at("fits"), "no");
    EXPECT_EQ(plan.exit, 3) << plan.err;
    EXPECT_THAT(plan.err, HasSubstr("no plan is within"));
}

TEST_F(Hostile, ALargeBatchIsMadeSmallerInFewSteps) {
    Json json = Json::parse(kOpen);
    json["step"]["batch_size"] = 2147483646;
    const std::string path = write("e.json", json.dump());
    const Finished done =
        shell("ulimit -v 1048576; " + program() +
              " plan --target rtx4090 --allow-task-changes --no-micro-batches --json " + path);
    EXPECT_EQ(done.exit, 3) << done.err;
    EXPECT_FALSE(parse(done.out).at("task_changes").empty());
}

TEST_F(Hostile, ClosedStreamsAreNoReasonToAbort) {
    const std::string path = experiment();
    const std::string before = textOf(path), command = program() + " predict '" + path + "' ";
    const Finished silent = shell(command + ">&- 2>&-");
    EXPECT_EQ(silent.exit, 4);
    EXPECT_EQ(shell(command + "<&- >&- 2>&-").exit, 4);
    const Finished unread = shell(command + ">&-");
    EXPECT_EQ(unread.exit, 4);
    EXPECT_THAT(unread.err, HasSubstr("standard output cannot be written"));
    EXPECT_EQ(shell(program() + " predict none.json 2>&-").exit, 2);
    EXPECT_EQ(shell(command + "<&- 2>&-").exit, 0);
    EXPECT_EQ(textOf(path), before) << "nothing was written into what got a stream's number";
}

TEST_F(Hostile, TheLimitOfAFilesSizeIsAnErrorAndLeavesNothing) {
    const std::string path = experiment();
    const std::vector<std::string> before = files();
    std::vector<std::string> commands = {"export pytorch " + path + " --out model.py"};
    if (std::filesystem::exists(programPath("highwater-scan"))) {
        commands.emplace_back("volume phantom head.nii.gz");
    }
    for (const std::string& command : commands) {
        const Finished done = shell("ulimit -f 1; exec " + program() + " " + command + " 2>&1");
        EXPECT_EQ(done.exit, 2) << command;
        EXPECT_THAT(done.out, HasSubstr("File too large")) << command;
        EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 1) << done.out;
        EXPECT_EQ(files(), before) << command;
    }
}

class HostileNames : public Hostile {
protected:
    /// A command may print anything, as long as it cannot control the terminal.
    void expectShown(const Words& words) {
        const Finished done = cli(words);
        const std::string command = ::testing::PrintToString(words);
        EXPECT_EQ(base::printable(done.out), done.out) << command;
        EXPECT_EQ(base::printable(done.err), done.err) << command;
        EXPECT_LT(done.exit, 128) << command;
        EXPECT_THAT(done.out, Not(HasSubstr("\nhighwater-cli: done"))) << command;
        EXPECT_THAT(done.err, Not(HasSubstr("\nhighwater-cli: done"))) << command;
    }
    static Json evilExperiment() {
        Json json = Json::parse(kOpen);
        Json block = {{"type", "block"}, {"name", kEscapes}, {"layers", json["stack"]}};
        block["layers"][0]["id"] = kEscapes;
        block["layers"].push_back({{"type", "add"}, {"with", kEscapes}});
        json["name"] = kEscapes;
        json["stack"].push_back(block);
        return json;
    }
    /// Inserts the escapes before each text that is only displayed.
    static void spoil(Json& json) {
        for (auto& [key, value] : json.items()) {
            if (value.is_structured()) {
                spoil(value);
            } else if (value.is_string() && (key == "name" || key == "device_name" || key == "isa" ||
                                             key == "why" || key == "message" || key == "note")) {
                value = kEscapes + value.get<std::string>();
            }
        }
    }
    // As a file name, which may contain any bytes except a slash.
    const std::string evil_ = kEscapes + "\xff";
};

TEST_F(HostileNames, InFilesAndArgumentsAreOnlyShown) {
    const std::string path = write("e.json", evilExperiment().dump());
    const std::string odd = write(evil_ + ".json", evilExperiment().dump());
    const std::string folder = folder_.path() / evil_;
    std::filesystem::create_directories(folder);
    Json wrong[4] = {evilExperiment(), evilExperiment(), evilExperiment(), evilExperiment()};
    wrong[0][kEscapes] = 1;
    wrong[1]["loss"] = kEscapes;
    wrong[2]["stack"][1]["layers"][1]["with"] = kEscapes + "2";
    wrong[3]["input"] = {{"scan", evil_.substr(0, evil_.size() - 1)}};
    std::vector<std::string> given = {path, odd, folder, evil_};
    for (int i = 0; i < 4; ++i) {
        given.push_back(write("wrong" + std::to_string(i) + ".json", wrong[i].dump()));
    }
    for (const std::string& each : given) {
        for (const Words& words :
             std::vector<Words>{{"predict", each},
                                {"predict", each, "--json"},
                                {"predict", each, "--target", "rtx4090"},
                                {"predict", each, "--target", evil_},
                                {"predict", each, "--where"},
                                {"plan", each, "--target", "rtx4090"},
                                {"plan", each, "--out", folder + "/none/x.json"},
                                {"run", each, "--device", evil_},
                                {"sweep", "--toggles", each},
                                {"sweep", each, "--out", evil_},
                                {"export", "pytorch", each, "--out", folder + "/m.py", "--json"},
                                {"export", "pytorch", each, "--out", "none/m.py"},
                                {"import", "nnunet", each, "--out", folder + "/n.json"},
                                {"import", "pytorch", each, "--out", folder + "/p.json"},
                                {"import", "onnx", each, "--out", folder + "/o.json"},
                                {"volume", "list", each},
                                {"volume", "info", each},
                                {"volume", "header", each},
                                {"volume", "cohort", each},
                                {"volume", "propose", each, path},
                                {"volume", "phantom", each + "/none/p.nii.gz"},
                                {"compare", each, each},
                                {"claims", "run", each},
                                {"hosts", "add", each, each},
                                {"hosts", "check", each},
                                {"runs", "show", each},
                                {"runs", "list", "--filter", each},
                                {"runs", "capture", each, "--out", each},
                                {"report", each, "--out", each},
                                {"devices", "--device", each},
                                {"manual", each},
                                {"--" + each},
                                {each}}) {
            expectShown(words);
        }
    }
}

TEST_F(HostileNames, InRunsFromElsewhereAreOnlyShown) {
    if (const std::string missing = missingPrograms(); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    const std::string path = write("e.json", evilExperiment().dump());
    for (int run = 0; run < 2; ++run) {
        expectShown({"run", path, "--steps", "2"});
    }
    expectShown({"run", path, "--steps", "2", "--events"});
    expectShown({"runs", "label", "1", "--name", kEscapes, "--note", kEscapes, "--tag", "evil"});
    const Json listed = runs();
    ASSERT_EQ(listed.size(), 3U);
    for (const Json& run : listed) {
        const std::filesystem::path folder = store() / "runs" / run.at("id");
        for (const char* file : {"result.json", "state.json", "labels.json"}) {
            Json json = Json::parse(textOf(folder / file), nullptr, false);
            if (json.is_object()) {
                spoil(json);
                std::ofstream(folder / file, std::ios::binary) << json.dump();
            }
        }
    }
    std::filesystem::remove(store() / "index.db");
    for (const Words& words : std::vector<Words>{{"runs", "list"},
                                                 {"runs", "list", "--json"},
                                                 {"runs", "list", "--filter", "evil"},
                                                 {"runs", "show", "1"},
                                                 {"runs", "show", "2", "--json"},
                                                 {"compare", "1", "2"},
                                                 {"compare", "1", "2", "--json"},
                                                 {"report", "1", "2", "--out", folder_.path() / "r.html"},
                                                 {"runs", "capture", "1", "--out", folder_.path() / "t.csv"},
                                                 {"runs", "fetch"},
                                                 {"runs", "delete", "3"}}) {
        expectShown(words);
    }
    EXPECT_EQ(cli({"runs", "show", "1"}).exit, 0);
    EXPECT_THAT(cli({"runs", "list"}).out, HasSubstr("evil"));
}

TEST_F(HostileNames, ThousandsOfThreadsAreRefusedInALine) {
    if (const std::string missing = missingPrograms(); !missing.empty()) {
        GTEST_SKIP() << missing;
    }
    const Finished done = cli({"run", experiment({{"backend", {{"threads", 4096}}}}), "--steps", "1"});
    EXPECT_NE(done.exit, 0);
    EXPECT_THAT(done.out + done.err, HasSubstr("/backend/threads: 4096 threads"));
}

}  // namespace
}  // namespace highwater::e2e
