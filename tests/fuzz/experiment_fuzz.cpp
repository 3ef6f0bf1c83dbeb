#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <iterator>
#include <random>

#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/random_stack.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::stack {
namespace {

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    const std::filesystem::path resources = std::filesystem::path(HIGHWATER_SOURCE_DIR) / "resources";
    for (const char* folder : {"presets", "samples"}) {
        for (const auto& file : std::filesystem::directory_iterator(resources / folder)) {
            texts.push_back(*base::readFile(file.path()));
        }
    }
    testing::RandomLimits limits;
    limits.levers = true;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        texts.push_back(toText(testing::randomExperiment(seed, limits)));
    }
    return texts;
}

/// Replaces some numbers with extreme ones, so that the text stays JSON and reaches the later checks.
std::string strikeNumbers(std::string text, std::uint64_t seed) {
    static constexpr const char* extremes[] = {"0",          "-1",    "1.5",     "99999999999999999999",
                                               "2147483647", "1e308", "1048576", "9223372036854775807",
                                               "3",          "[2,2]", "null",    "\"same\""};
    std::mt19937_64 random(seed);
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        const std::size_t begin = text.find_first_of("0123456789", random() % text.size());
        if (begin == std::string::npos || text[begin - 1] == '/' || std::isalpha(text[begin - 1])) {
            continue;
        }
        const std::size_t end = text.find_first_not_of("0123456789.", begin);
        text.replace(begin, end - begin, extremes[random() % std::size(extremes)]);
    }
    return text;
}

TEST(ExperimentFuzz, GivesAnExperimentOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(10000);
    const auto texts = seeds();
    ASSERT_GE(texts.size(), 19U);
    std::uint64_t parsed = 0, valid = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::string text = round % 2 ? fuzz::mutate(texts[round % texts.size()], round)
                                           : strikeNumbers(texts[round % texts.size()], round);
        const auto experiment = parseExperiment(text, "fuzz");
        if (!experiment) {
            fuzz::expectOneLine(experiment.error().message);
            continue;
        }
        ++parsed;
        const auto info = inferShapes(*experiment);
        valid += info.ok();
        if (!info) {
            fuzz::expectOneLine(info.error().message);
        }
        const auto again = parseExperiment(toText(*experiment), "again");
        ASSERT_TRUE(again) << again.error().message << "\n" << text;
        EXPECT_EQ(*again, *experiment);
    }
    EXPECT_GT(parsed, rounds / 20);
    EXPECT_GT(parsed, valid);
}

}  // namespace
}  // namespace highwater::stack
