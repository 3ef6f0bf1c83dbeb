#include "core/wire/patches.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/temporary_folder.h"

namespace highwater::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using PlainJson = nlohmann::json;

SentPatch sample(std::int64_t number) {
    SentPatch patch;
    patch.number = number;
    patch.theCase = 2;
    patch.channels = {"/f/patch-4-channel-1.hwvol", "/f/patch-4-channel-2.hwvol"};
    patch.target = "/f/patch-4-target.hwvol";
    patch.start = {-3, 0, 70000};
    patch.extent = {64, 48, 1};
    patch.augmentations = {"flipped along i", "noise σ 0.05"};
    return patch;
}

stack::ScanInput oneScan() {
    stack::ScanInput input;
    input.scans = {{"/a.nii", {}, 0}};
    return input;
}

PlainJson asJson(const SentPatch& patch) {
    return PlainJson::parse(toJson(patch).dump());
}

TEST(PatchLine, ComesBackAsItWas) {
    SentPatch patch = sample(4);
    EXPECT_EQ(*parsePatch(toJson(patch).dump(), "/f"), patch);
    EXPECT_EQ(highwater::testing::SchemaCheck().problem("patch.json", asJson(patch)), "");
    patch.target.clear();
    patch.augmentations.clear();
    EXPECT_EQ(*parsePatch(toJson(patch).dump(), "/f"), patch);
    EXPECT_EQ(highwater::testing::SchemaCheck().problem("patch.json", asJson(patch)), "");
}

/// The reader and the schema refuse the same inputs.
TEST(PatchLine, IsReadStrictly) {
    highwater::testing::SchemaCheck check;
    const PlainJson whole = asJson(sample(4));
    for (const auto& [key, value] : whole.items()) {
        PlainJson less = whole;
        less.erase(key);
        EXPECT_EQ(parsePatch(less.dump(), "/f").ok(), key == "target") << key;
        EXPECT_EQ(check.problem("patch.json", less).empty(), key == "target") << key;
    }
    for (const char* const change : {R"({"patch": -1})",
                                     R"({"patch": 1.5})",
                                     R"({"patch": "4"})",
                                     R"({"case": -1})",
                                     R"({"more": 1})",
                                     R"({"channels": []})",
                                     R"({"channels": "a"})",
                                     R"({"channels": [1]})",
                                     R"({"channels": ["a/b"]})",
                                     R"({"channels": ["../a"]})",
                                     R"({"channels": [""]})",
                                     R"({"channels": ["/etc/passwd"]})",
                                     R"({"target": "../a"})",
                                     R"({"target": ""})",
                                     R"({"target": 3})",
                                     R"({"start": [1, 2]})",
                                     R"({"start": [1, 2, 3, 4]})",
                                     R"({"start": [1, 2, "3"]})",
                                     R"({"start": [1, 2, 99999999999]})",
                                     R"({"augmentations": "a"})",
                                     R"({"augmentations": [1]})"}) {
        PlainJson other = whole;
        other.merge_patch(PlainJson::parse(change));
        const auto parsed = parsePatch(other.dump(), "/f");
        EXPECT_FALSE(parsed) << change;
        if (!parsed) {
            EXPECT_THAT(parsed.error().message, StartsWith("patch: ")) << change;
        }
        EXPECT_NE(check.problem("patch.json", other), "") << change;
    }
    PlainJson flat = whole;
    flat["extent"] = {1, 0, 1};
    EXPECT_FALSE(parsePatch(flat.dump(), "/f"));
    for (const char* const line : {"", "[]", "3", "null", "{", "{}", "no JSON"}) {
        EXPECT_FALSE(parsePatch(line, "/f")) << line;
    }
}

class MakePatches : public ::testing::Test {
protected:
    PatchRequest request(const std::string& behave, int count = 2, std::int64_t first = 0) {
        std::ofstream(folder_.path() / "behave") << behave;
        PatchRequest request;
        request.experiment.name = "for patches";
        request.experiment.input = oneScan();
        request.count = count;
        request.first = first;
        request.folder = folder_.path();
        request.program = HIGHWATER_FAKE_ENGINE;
        return request;
    }
    static std::string print(std::int64_t number) { return "print " + toJson(sample(number)).dump() + "\n"; }
    std::string failure(const PatchRequest& request) {
        const auto made = makePatches(request);
        EXPECT_FALSE(made);
        const std::string message = made ? "" : made.error().message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        EXPECT_FALSE(std::filesystem::exists(folder_.path() / "patches-experiment.json"));
        return message;
    }
    std::string text(const std::string& file) const {
        const auto read = base::readFile(folder_.path() / file);
        return read ? *read : read.error().message;
    }
    highwater::test::TemporaryFolder folder_;
};

TEST_F(MakePatches, GivesWhatTheEngineSaysInOrder) {
    std::vector<int> progress;
    auto asked = request(print(7) + "raw " + toJson(sample(8)).dump().substr(0, 20) + "\nsleep 30\nprint " +
                             toJson(sample(8)).dump().substr(20) + "\nexit 0\n",
                         2, 7);
    asked.progress = [&](int done) { progress.push_back(done); };
    const auto made = makePatches(asked);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->size(), 2U);
    EXPECT_EQ((*made)[0].number, 7);
    EXPECT_EQ((*made)[1].number, 8);
    EXPECT_EQ((*made)[1].channels[1], folder_.path() / "patch-4-channel-2.hwvol");
    EXPECT_THAT(progress, ElementsAre(1, 2));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "patches-experiment.json"));
}

TEST_F(MakePatches, HandsOverTheExperimentAndItsVolumes) {
    const int volume = ::memfd_create("volume", MFD_CLOEXEC);
    auto asked = request("mark ready\nhang\n", 3, 5);
    asked.volumeFds = {volume, volume};
    std::atomic<bool> cancel{false};
    asked.cancel = &cancel;
    std::string experiment;
    std::thread stopper([&] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!std::filesystem::exists(folder_.path() / "ready") && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        if (const auto read = stack::loadExperiment(folder_.path() / "patches-experiment.json")) {
            experiment = read->name;
        }
        cancel = true;
    });
    EXPECT_EQ(failure(asked), "cancelled");
    stopper.join();
    ::close(volume);
    EXPECT_EQ(experiment, "for patches");
    const std::string arguments = text("arguments"), folder = folder_.path().string();
    EXPECT_THAT(arguments,
                StartsWith("--experiment " + folder +
                           "/patches-experiment.json --patches 3 --first 5 --out " + folder + " --volume "));
    int pid = 0;
    std::ifstream(folder_.path() / "ready") >> pid;
    EXPECT_GT(pid, 0);
    EXPECT_NE(::kill(pid, 0), 0) << "it is gone";
}

TEST_F(MakePatches, WhatTheEngineRefusesIsItsLine) {
    EXPECT_EQ(
        failure(request("error warning: something\nerror highwater-engine: /input/scan: no such\nexit 2\n")),
        "/input/scan: no such");
    EXPECT_EQ(failure(request("exit 3\n")), "highwater-engine ended with exit code 3");
    EXPECT_EQ(failure(request("error it hurts\nsignal 9\n")),
              "highwater-engine was ended by signal 9: it hurts");
}

TEST_F(MakePatches, WhatIsNoAnswerIsAnError) {
    EXPECT_THAT(failure(request("print hello\nhang\n")),
                StartsWith("highwater-engine wrote an invalid patch: "));
    EXPECT_EQ(failure(request(print(1) + "hang\n")), "highwater-engine sent patch 1 where 0 was expected");
    EXPECT_EQ(failure(request(print(0) + print(1) + print(2) + "exit 0\n")),
              "highwater-engine sent more than the 2 requested patches");
    EXPECT_EQ(failure(request(print(0) + "exit 0\n")),
              "highwater-engine made 1 of 2 patches and then stopped answering");
    EXPECT_EQ(failure(request(print(0) + print(1) + "raw {\nexit 0\n")),
              "highwater-engine made 2 of 2 patches and then stopped answering");
    EXPECT_EQ(failure(request("long 3000000\nhang\n")),
              "highwater-engine wrote a line that is too long to be a patch");
}

/// Silent from the start, after a patch, and with its output closed.
TEST_F(MakePatches, AnEngineThatHangsIsEnded) {
    for (const std::string& before : {std::string(), print(0), print(0) + print(1) + "close\n"}) {
        SCOPED_TRACE(before);
        PatchRequest asked = request(before + "mark ready\nstubborn\n");
        asked.timeout = std::chrono::seconds(1);
        EXPECT_EQ(failure(asked), "highwater-engine made no progress for 1 s");
        int pid = 0;
        std::ifstream(folder_.path() / "ready") >> pid;
        EXPECT_GT(pid, 0);
        EXPECT_NE(::kill(pid, 0), 0) << "it is gone";
    }
}

TEST_F(MakePatches, WhatCannotBeAskedForIsAnError) {
    EXPECT_THAT(failure(request("", 0)), HasSubstr("1 to 256"));
    EXPECT_THAT(failure(request("", 257)), HasSubstr("1 to 256"));
    EXPECT_THAT(failure(request("", 1, -1)), HasSubstr("the first is 0"));
    auto asked = request("");
    asked.folder = folder_.path() / "none";
    EXPECT_THAT(failure(asked), EndsWith("none: there is no such folder"));
    asked = request("");
    asked.program = folder_.path() / "behave";
    EXPECT_THAT(failure(asked), HasSubstr("behave cannot be started: Permission denied"));
    asked = request("");
    asked.volumeFds = {9999};
    EXPECT_THAT(failure(asked), HasSubstr("volume 1"));
}

}  // namespace
}  // namespace highwater::wire
