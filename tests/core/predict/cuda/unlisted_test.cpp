#include "core/predict/workspaces/unlisted.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "core/base/file.h"

namespace highwater::predict {
namespace {

/// The workspace on an H200, and that of the first plan that cuDNN lists without one.
struct Row {
    std::string name;
    GpuConvolution op;
    ConvPart part = ConvPart::Forward;
    base::Bytes measured = 0, listed = 0;
};

std::vector<Row> rowsOfTheH200() {
    const auto text =
        base::readFile(std::string(HIGHWATER_SOURCE_DIR) + "/tests/core/predict/cuda/h200_workspaces.txt");
    EXPECT_TRUE(text);
    std::istringstream lines(text ? *text : "");
    std::vector<Row> rows;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        std::istringstream words(line);
        std::string key, switches;
        Row row;
        words >> key >> switches >> row.measured >> row.listed;
        const auto op = parseConvKey(key);
        EXPECT_TRUE(words && op) << line;
        row.name = line;
        row.op = {*op, *parseGpuSwitches(switches)};
        for (const ConvPart part : kConvParts) {
            row.part = hasPart(*op, part) ? part : row.part;
        }
        rows.push_back(row);
    }
    return rows;
}

TEST(Unlisted, IsWhatTheH200Took) {
    std::size_t known = 0, right = 0, unknownAndListed = 0, unknown = 0;
    for (const Row& row : rowsOfTheH200()) {
        const auto bytes = unlistedWorkspace(row.op.op, row.part, row.op.switches.tf32, 90);
        if (bytes) {
            ++known;
            right += *bytes == row.measured;
            EXPECT_TRUE(*bytes == row.measured || row.measured <= row.listed) << row.name << ": " << *bytes;
        } else {
            ++unknown;
            unknownAndListed += row.measured == row.listed;
        }
    }
    EXPECT_EQ(known, 89u);
    EXPECT_EQ(right, 73u);
    // If no such plan is known, the first one of the list ran, except for the entries of the file.
    EXPECT_EQ(unknown, 67u);
    EXPECT_EQ(unknownAndListed, 38u);
}

TEST(Unlisted, HoldsPartialSumsInTf32) {
    constexpr base::Bytes kNear = 1'300'000;
    std::size_t near = 0, rows = 0;
    for (const Row& row : rowsOfTheH200()) {
        const bool unlisted = unlistedWorkspace(row.op.op, row.part, true, 90).has_value();
        if (row.op.switches.tf32 && row.part == ConvPart::WeightGradient && !unlisted) {
            ++rows;
            const base::Bytes runs = runningWorkspace(row.op.op, row.part, true, 90, row.listed);
            near += std::abs(runs - row.measured) <= kNear;
        }
    }
    EXPECT_EQ(rows, 16u);
    EXPECT_EQ(near, 16u);
}

TEST(Unlisted, IsKnownOfOneArchitectureAlone) {
    for (const Row& row : rowsOfTheH200()) {
        for (const int architecture : {70, 75, 80, 86, 89, 100, 120}) {
            EXPECT_FALSE(unlistedWorkspace(row.op.op, row.part, row.op.switches.tf32, architecture));
        }
    }
}

TEST(Unlisted, IsAProductInTf32) {
    for (const Row& row : rowsOfTheH200()) {
        if (row.op.op.dtype == DType::Float32 && row.op.op.kernel[0] > 1) {
            EXPECT_FALSE(unlistedWorkspace(row.op.op, row.part, true, 90)) << row.name;
        }
    }
}

}  // namespace
}  // namespace highwater::predict
