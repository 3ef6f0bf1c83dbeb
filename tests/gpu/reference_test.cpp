#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/base/file.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/gpu/comparison.h"

namespace highwater::reference {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(HIGHWATER_SOURCE_DIR) / "tests/gpu/reference";

std::vector<File> filesOf(Kind kind) {
    auto files = loadReferences(kFolder);
    EXPECT_TRUE(files) << (files ? "" : files.error().message);
    std::vector<File> chosen;
    for (File& file : files ? *files : std::vector<File>()) {
        if (file.kind == kind) {
            chosen.push_back(std::move(file));
        }
    }
    return chosen;
}

Comparison compared(const File& file) {
    auto comparison = compare(file, kFolder / "asked");
    EXPECT_TRUE(comparison) << (comparison ? "" : comparison.error().message);
    if (!comparison) {
        return {};
    }
    EXPECT_TRUE(comparison->refused.empty()) << comparison->refused.front();
    EXPECT_FALSE(comparison->experiments.empty()) << file.name << " holds no result";
    return *comparison;
}

/// Details for investigating a bound that fails.
std::string furthest(const Comparison& comparison) {
    std::string text = comparison.file;
    for (const Compared& each : comparison.experiments) {
        if (std::abs(each.allocatedError()) > 0.01 || std::abs(each.reservedError()) > 0.03) {
            text += fmt::format("\n  {}: allocated {} B, predicted {} B; reserved {} B, predicted {} B",
                                each.name, each.allocated, each.predictedAllocated.expected, each.reserved,
                                each.predictedReserved.expected);
        }
    }
    return text;
}

/// Experiments in which the device ran a plan that cuDNN does not list without a device, with a workspace
/// several times the rest (849 MB for a 2D convolution in fp16, 18.9 GB under `benchmark` for one in fp32):
/// the only ones that may be farther off than the bound. Once they are predicted, they must be removed from
/// this list.
const std::set<std::string> kUnlistedPlans = {"inplace-abn-fp16-2d", "nnunet-2d-residual"};

std::set<std::string> furtherOffThan(double percent, const Comparison& comparison) {
    std::set<std::string> names;
    for (const Compared& each : comparison.experiments) {
        if (100 * std::abs(each.allocatedError()) > percent) {
            names.insert(each.name);
        }
    }
    return names;
}

TEST(Reference, EveryFileFitsItsSchema) {
    highwater::testing::SchemaCheck check;
    check.walkAll("gpu-reference.json");
    for (const auto& each : fs::directory_iterator(kFolder)) {
        if (each.path().extension() != ".json") {
            continue;
        }
        const auto text = base::readFile(each.path());
        ASSERT_TRUE(text) << text.error().message;
        EXPECT_EQ(check.problem("gpu-reference.json", nlohmann::json::parse(*text)), "") << each.path();
    }
}

/// Predicted without access to a GPU: cuDNN was asked, and nothing is measured. These bounds are the
/// product's promise.
TEST(Reference, OfGpusKeepsTheBoundsWhereCudnnIsAsked) {
    const std::vector<File> files = filesOf(Kind::Gpu);
    ASSERT_FALSE(files.empty());
    for (const File& file : files) {
        const auto comparison = compareAsked(file, kFolder / "asked");
        ASSERT_TRUE(comparison) << comparison.error().message;
        SCOPED_TRACE(furthest(*comparison));
        const Figures allocated = figuresOf(*comparison, Quantity::Allocated);
        EXPECT_LE(allocated.median, 1);
        EXPECT_LE(allocated.p95, 3);
        EXPECT_EQ(furtherOffThan(10, *comparison), kUnlistedPlans);
        EXPECT_LE(figuresOf(*comparison, Quantity::Reserved).median, 3);
        if (!comparison->ladder.empty()) {
            EXPECT_GE(rightlyPredicted(*comparison), 98);
        }
    }
}

TEST(Reference, OfGpusKeepsTheBounds) {
    const std::vector<File> files = filesOf(Kind::Gpu);
    ASSERT_FALSE(files.empty());
    for (const File& file : files) {
        const Comparison comparison = compared(file);
        SCOPED_TRACE(furthest(comparison));
        const Figures allocated = figuresOf(comparison, Quantity::Allocated);
        EXPECT_LE(allocated.median, 1);
        EXPECT_LE(allocated.p95, 3);
        EXPECT_EQ(furtherOffThan(10, comparison), kUnlistedPlans);
        EXPECT_LE(figuresOf(comparison, Quantity::Reserved).median, 3);
        if (!comparison.ladder.empty()) {
            EXPECT_GE(rightlyPredicted(comparison), 98);
        }
        EXPECT_EQ(comparison.oom.recovered, comparison.oom.tried);
        for (const Overhead& each : comparison.overhead) {
            if (each.comparable) {
                EXPECT_LE(each.engineOverBare, 1.02) << each.name;
            }
        }
    }
}

/// If each convolution of an experiment has a measured row, the CPU's prediction is exact; the intervals of
/// the others contain 95 of 100 cases if there is a table for this LibTorch. Without one, nothing is
/// promised.
TEST(Reference, OfCpusIsPredictedAsPromised) {
    const std::vector<File> files = filesOf(Kind::Cpu);
    if (files.empty()) {
        GTEST_SKIP() << "no reference file of a CPU is kept";
    }
    for (const File& file : files) {
        const Comparison comparison = compared(file);
        std::size_t guessed = 0, held = 0;
        for (const Compared& each : comparison.experiments) {
            if (each.exact) {
                EXPECT_EQ(each.predictedAllocated.expected, each.allocated) << file.name << ": " << each.name;
                EXPECT_EQ(each.predictedLedger, each.ledger) << file.name << ": " << each.name;
                continue;
            }
            ++guessed;
            held += each.predictedAllocated.low <= each.allocated &&
                    each.allocated <= each.predictedAllocated.high;
        }
        if (comparison.calibrated) {
            EXPECT_GE(held * 100, guessed * 95) << furthest(comparison);
        }
        EXPECT_EQ(comparison.oom.provoked, comparison.oom.tried) << file.name;
        EXPECT_EQ(comparison.oom.recovered, comparison.oom.tried) << file.name;
    }
}

/// Not a measurement of a GPU: LibTorch's CUDA allocator and operators on a device that executes nothing and
/// has no workspaces. Apart from these, the rules must agree with LibTorch's code.
TEST(Reference, OfStandinsIsPredictedWithoutWorkspaces) {
    const std::vector<File> files = filesOf(Kind::Standin);
    if (files.empty()) {
        GTEST_SKIP() << "no reference file of a pretended device is kept";
    }
    for (const File& file : files) {
        const Comparison comparison = compared(file);
        SCOPED_TRACE(furthest(comparison));
        const Figures allocated = figuresOf(comparison, Quantity::Allocated);
        EXPECT_LE(allocated.median, 1);
        EXPECT_LE(allocated.p95, 3);
        EXPECT_LE(allocated.worst, 10);
    }
}

}  // namespace
}  // namespace highwater::reference
