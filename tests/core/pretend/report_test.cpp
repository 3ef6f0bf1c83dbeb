#include "core/pretend/report.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/pretend/abi/runtime.h"
#include "tests/core/pretend/pretend_fixture.h"

// The pretended device's report of what a run depended on.
extern "C" int cusparseCreate();
extern "C" int cusparseDestroy();

namespace highwater::pretend {
namespace {

namespace fs = std::filesystem;

std::string textOf(const fs::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string freshFile(const char* name) {
    const fs::path file = fs::path(testing::TempDir()) / (std::string(name) + std::to_string(getpid()));
    fs::remove(file);
    return file.string();
}

void readValues(int times, std::size_t bytes) {
    void* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    std::array<char, 64> host{};
    for (int i = 0; i < times; ++i) {
        EXPECT_EQ(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    }
    EXPECT_EQ(cudaMemcpy(device, host.data(), 8, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST(PretendedReport, HasWhatARunDependedOn) {
    const std::string file = freshFile("report");
    inDevice({{"REPORT", file.c_str()}, {"GPU", "rtx3060"}}, [] {
        readValues(2, 8);
        readValues(1, 17);  // data, no value
        cusparseCreate();
        cusparseCreate();
    });
    EXPECT_EQ(textOf(file),
              "{\"gpu\": \"rtx3060\", \"cudnn\": null, \"reads\": 2, \"unmodeled\": [\"cusparseCreate\"], "
              "\"workspaces\": {\"asked\": 0, \"cached\": 0, \"table\": 0, \"guessed\": 0, \"largest\": 0, "
              "\"benchmarked\": {\"operations\": 0, \"least\": 0, \"most\": 0}}}\n");
}

TEST(PretendedReport, IsThereWhenTheProcessIsKilled) {
    const std::string file = freshFile("killed");
    EXPECT_EXIT(
        {
            setenv("HIGHWATER_PRETEND_REPORT", file.c_str(), 1);
            cudaSetDevice(0);
            cusparseCreate();
            kill(getpid(), SIGKILL);
        },
        testing::KilledBySignal(SIGKILL), "");
    EXPECT_NE(textOf(file).find("\"unmodeled\": [\"cusparseCreate\"]"), std::string::npos) << textOf(file);
}

TEST(PretendedReport, IsOfTheProcessWithTheContext) {
    const std::string file = freshFile("forked");
    inDevice({{"REPORT", file.c_str()}}, [] {
        EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
        const pid_t child = fork();
        if (child == 0) {
            cusparseDestroy();
            std::exit(0);
        }
        EXPECT_EQ(waitpid(child, nullptr, 0), child);
        cusparseCreate();
    });
    EXPECT_EQ(textOf(file).find("cusparseDestroy"), std::string::npos) << textOf(file);
    EXPECT_NE(textOf(file).find("cusparseCreate"), std::string::npos) << textOf(file);
}

TEST(PretendedReport, LeavesAnotherFileAlone) {
    const std::string file = freshFile("another");
    std::ofstream(file) << "mine";
    inDevice(
        {{"REPORT", file.c_str()}}, [] { EXPECT_EQ(cudaSetDevice(0), cudaSuccess); },
        "cannot be created, or exists already");
    EXPECT_EQ(textOf(file), "mine");
}

std::string& events() {
    static std::string events;
    return events;
}

TEST(PretendedReport, TellsWhoeverListens) {
    inDevice({}, [] {
        highwaterPretendOnEvent([](const char* kind, const char* text, unsigned long long bytes) {
            events() += std::string(kind) + "(" + text + ")" + std::to_string(bytes) + " ";
        });
        readValues(2, 4);
        cusparseCreate();
        cusparseCreate();
        highwaterPretendOnEvent(nullptr);
        readValues(1, 4);
        EXPECT_EQ(events(), "read()4 read()4 unmodeled(cusparseCreate)0 ");
    });
}

}  // namespace
}  // namespace highwater::pretend
