#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/units.h"
#include "tests/core/temporary_folder.h"
#include "tests/fuzz/hostile/bounded_program.h"
#include "tests/fuzz/hostile/hostile_inputs.h"
#include "tests/fuzz/rounds.h"

/// Files as a malicious stranger might make them, given to the programs as a user would.
/// HIGHWATER_FUZZ_ROUNDS tries more than 200 of them.
namespace highwater::fuzz {
namespace {

constexpr base::Bytes kAddressSpace = base::kGiB, kPeak = 400 * base::kMiB;

void put(const HostileInput& input, const std::filesystem::path& folder) {
    for (const auto& [name, bytes] : input.files) {
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
}

/// It succeeds, or fails with one line. Exit code 4 would mean a bug or bad luck, not a response to a file.
void expectAnswer(const BoundedEnd& end) {
    EXPECT_EQ(end.signal, 0);
    EXPECT_TRUE(end.exit == 0 || end.exit == 2 || end.exit == 3) << end.exit << ": " << end.err;
    if (end.exit == 2) {
        EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    }
    EXPECT_LT(end.err.size(), 6000U);
    EXPECT_EQ(std::count_if(end.err.begin(), end.err.end(),
                            [](unsigned char c) { return (c < 32 && c != '\n') || c == 127; }),
              0)
        << end.err;
    if (boundsMemory()) {
        EXPECT_LT(end.peakBytes, kPeak);
    }
}

BoundedEnd answerTo(const HostileInput& input) {
    const test::TemporaryFolder folder;
    put(input, folder.path());
    return runBounded("highwater-cli", input.arguments, folder.path(), kAddressSpace);
}

TEST(Hostile, FilesAreReadOrRefusedInOneLine) {
    const std::uint64_t all = rounds(200);
    std::set<int> exits;
    for (std::uint64_t number = 0; number < all && !testing::Test::HasFailure(); ++number) {
        const HostileInput input = hostileInput(number);
        SCOPED_TRACE(input.name);
        const BoundedEnd end = answerTo(input);
        expectAnswer(end);
        exits.insert(end.exit);
    }
    EXPECT_TRUE(exits.contains(0) && exits.contains(2)) << "some are read, and some refused";
}

/// The same number gives the same input, so that a failure can be reproduced.
TEST(Hostile, InputsAreTheSameEveryTime) {
    for (std::uint64_t number = 0; number < 14; ++number) {
        const HostileInput once = hostileInput(number), again = hostileInput(number);
        EXPECT_EQ(once.files, again.files);
        EXPECT_EQ(once.arguments, again.arguments);
    }
}

HostileInput caseOf(const std::string& name, std::vector<std::string> arguments) {
    std::ifstream file(std::filesystem::path(HIGHWATER_SOURCE_DIR) / "tests/data/hostile" / name,
                       std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_FALSE(bytes.empty()) << name;
    return {name, {{name, bytes}}, std::move(arguments)};
}

/// 80 kB of a pickle that represent 20,000 segments of 20,000 blocks each.
TEST(Hostile, AnEndlessSnapshotIsRefused) {
    HostileInput input =
        caseOf("blocks_by_reference.pickle",
               {"compare", "experiment.json", "blocks_by_reference.pickle", "--target", "rtx3060"});
    input.files.emplace_back("experiment.json", R"({"schema": "highwater.experiment/1",
        "input": {"synthetic": [1, 8, 8, 8]}, "stack": [{"type": "conv", "out_channels": 1, "padding": 1}]})");
    const BoundedEnd end = answerTo(input);
    expectAnswer(end);
    EXPECT_EQ(end.exit, 2);
    EXPECT_NE(end.err.find("twice"), std::string::npos) << end.err;
}

TEST(Hostile, ALongChainOfPlansIsRead) {
    const BoundedEnd end =
        answerTo(caseOf("chain_of_plans.json", {"import", "nnunet", "chain_of_plans.json", "--configuration",
                                                "c0", "--out", "made.json"}));
    expectAnswer(end);
    EXPECT_EQ(end.exit, 0) << end.err;
}

}  // namespace
}  // namespace highwater::fuzz
