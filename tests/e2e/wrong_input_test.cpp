#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using WrongInput = CliTest;
using WrongScan = EngineCliTest;

TEST_F(WrongInput, MissingFileAndDirectory) {
    expectRefusal(cli({"run", test::nowhere()}), "no such file");
    expectRefusal(cli({"run", folder_.path().string()}), "directory");
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));  // refused before anything is created
}

TEST_F(WrongInput, MalformedJson) {
    expectRefusal(cli({"run", write("a.json", R"({"schema": "highwater.experiment/1", )")}), "a.json");
    expectRefusal(cli({"run", write("a.json", std::string("\x00\xff\x01", 3))}), "a.json");
    expectRefusal(cli({"run", write("a.json", std::string(100000, '['))}), "nested");
    expectRefusal(cli({"run", write("a.json", "")}), "a.json");
}

TEST_F(WrongInput, UnknownKey) {
    expectRefusal(cli({"run", experiment(Json::parse(R"({"step": {"batchsize": 2}})"))}), "batch_size");
    expectRefusal(cli({"run", experiment(Json::parse(R"({"color": "red"})"))}), "color");
}

TEST_F(WrongInput, ImpossibleShape) {
    const auto refused = cli({"run", experiment(Json::parse(R"({"input": {"synthetic": [1, 4, 4, 4]},
        "stack": [{"type": "conv", "out_channels": 1, "kernel_size": 7}]})"))});
    expectRefusal(refused, "kernel 7");
    EXPECT_THAT(refused.err, ::testing::HasSubstr("experiment.json"));
}

TEST_F(WrongInput, BatchOfNone) {
    expectRefusal(cli({"run", experiment(Json::parse(R"({"step": {"batch_size": 0}})"))}), "batch_size");
}

TEST_F(WrongInput, AMillionMillionChannels) {
    expectRefusal(
        cli({"run",
             experiment(Json::parse(R"({"stack": [{"type": "conv", "out_channels": 1000000000000}]})"))}),
        "out_channels");
}

TEST_F(WrongInput, WhatThisVersionCannotRun) {
    for (const char* change : {R"({"step": {"precision": "bf16"}})", R"({"step": {"channels_last": true}})",
                               R"({"step": {"precision": "fp16"}})", R"({"step": {"precision": "tf32"}})"}) {
        const Finished refused = cli({"run", experiment(Json::parse(change)), "--json"});
        expectRefusal(refused, "experiment.json");
        expectRefusal(refused, " is not available ");
    }
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));
}

TEST_F(WrongInput, BytesThatAreNoUtf8) {
    const Finished refused = cli({"run", write("a.json", "{\"schema\": \"\xfc\"}")});
    expectRefusal(refused, "a.json: not valid JSON");
    EXPECT_EQ(refused.err.find('\xfc'), std::string::npos);
}

TEST_F(WrongInput, Options) {
    const std::string good = experiment();
    expectRefusal(cli({"run", good, "--color"}), "--color");
    expectRefusal(cli({"run", good, "--steps"}), "--steps");
    expectRefusal(cli({"run", good, "--steps", "0"}), "--steps");
    expectRefusal(cli({"run", good, "--steps", "many"}), "--steps");
    expectRefusal(cli({"run", good, "--warmup", "-1"}), "--warmup");
    expectRefusal(cli({"run", good, "--device", "tpu"}), "--device");
    expectRefusal(cli({"run", good, "--budget", "lots"}), "--budget");
    expectRefusal(cli({"run", good, "--budget", "0"}), "--budget");
    expectRefusal(cli({"run", good, "--json", "--events"}), "--events");
    expectRefusal(cli({"run"}), "EXPERIMENT");
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));
}

TEST_F(WrongInput, Subcommands) {
    for (const char* other : {"plans", "rnu"}) {
        expectRefusal(Program("highwater-cli", {other, "x", "--json"}, folder_.path()).wait(), other);
    }
    expectRefusal(Program("highwater-cli", {}, folder_.path()).wait(), "subcommand");
    expectRefusal(Program("highwater-cli", {"runs"}, folder_.path()).wait(), "list, show, delete");
    expectRefusal(Program("highwater-cli", {"import"}, folder_.path()).wait(), "nnunet");
    expectRefusal(Program("highwater-cli", {"runs", "capture"}, folder_.path()).wait(), "capture");
}

TEST_F(WrongInput, Runs) {
    expectRefusal(cli({"runs", "show", "7"}), "no run \"7\"");
    expectRefusal(cli({"runs", "delete", "7"}), "no run \"7\"");
    expectRefusal(cli({"compare", "1", "2"}), "no run \"1\"");
    expectRefusal(cli({"compare", "1"}), "RUN");
    expectRefusal(
        Program("highwater-cli", {"runs", "list", "--store", write("file", "")}, folder_.path()).wait(),
        "choose a folder");
    for (const std::vector<std::string>& line : {std::vector<std::string>{"runs", "list", "--store", ""},
                                                 {"report", "1", "--out", "a.html", "--store", ""}}) {
        expectRefusal(Program("highwater-cli", line, folder_.path()).wait(), "--store");
    }
}

TEST_F(WrongScan, MissingAndTruncated) {
    const auto with = [&](const std::string& scan) {
        return cli(
            {"run", experiment(Json{{"input", {{"scan", scan}, {"patch", 8}, {"synthetic", nullptr}}}})});
    };
    expectRefusal(with("missing.nii.gz"), "missing.nii.gz");
    expectRefusal(with(folder_.path().string()), folder_.path().filename().string());
    const std::string phantom = (folder_.path() / "phantom.nii.gz").string();
    ASSERT_EQ(cli({"volume", "phantom", phantom}).exit, 0);
    std::filesystem::resize_file(phantom, std::filesystem::file_size(phantom) / 2);
    expectRefusal(with(phantom), "phantom.nii.gz");
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));
}

TEST_F(WrongScan, EveryMalformedFile) {
    const auto folder = scansFolder() / "malformed";
    if (!std::filesystem::is_directory(folder)) {
        GTEST_SKIP() << "no scans/malformed; set HIGHWATER_SCANS";
    }
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string path = entry.path().string();
        SCOPED_TRACE(path);
        const std::string name = entry.path().filename().string();
        expectRefusal(
            cli({"run", experiment(Json{{"input", {{"scan", path}, {"patch", 8}, {"synthetic", nullptr}}}})}),
            name);
        expectRefusal(cli({"volume", "info", path, "--json"}), name);
        ++files;
    }
    EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace highwater::e2e
