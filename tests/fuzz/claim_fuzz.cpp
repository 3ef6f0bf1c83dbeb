#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/study/claim.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::study {
namespace {

std::vector<std::string> shippedClaims() {
    std::vector<std::string> texts;
    const auto folder = std::filesystem::path(HIGHWATER_SOURCE_DIR) / "resources" / "claims";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        texts.push_back(*base::readFile(file.path()));
    }
    return texts;
}

/// Replaces a word with one from another place, so that the text stays JSON and reaches the later checks.
std::string swapWords(std::string text, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto word = [&](std::size_t& begin, std::size_t& end) {
        begin = text.find('"', random() % text.size());
        end = begin == std::string::npos ? begin : text.find('"', begin + 1);
        return end != std::string::npos;
    };
    std::size_t from = 0, fromEnd = 0, to = 0, toEnd = 0;
    if (word(from, fromEnd) && word(to, toEnd)) {
        text.replace(to, toEnd - to + 1, text.substr(from, fromEnd - from + 1));
    }
    return text;
}

TEST(ClaimFuzz, GivesAClaimOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(3000);
    const auto texts = shippedClaims();
    ASSERT_GE(texts.size(), 12U);
    std::uint64_t parsed = 0, refused = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::string& text = texts[round % texts.size()];
        const auto claim = parseClaim(round % 3 == 0   ? fuzz::mutate(text, round)
                                      : round % 3 == 1 ? fuzz::strikeDigits(text, round)
                                                       : swapWords(text, round),
                                      "fuzz", "/nowhere");
        ++(claim ? parsed : refused);
        if (claim) {
            EXPECT_FALSE(claim->experiments.empty());
            EXPECT_FALSE(claim->conditions.empty());
            continue;
        }
        const std::string& message = claim.error().message;
        EXPECT_TRUE(message.starts_with("fuzz: ")) << message;
        EXPECT_LT(message.size(), 6000U);
        EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << message;
    }
    EXPECT_GT(parsed, rounds / 20);
    EXPECT_GT(refused, rounds / 5);
}

}  // namespace
}  // namespace highwater::study
