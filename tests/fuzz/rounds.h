#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace highwater::fuzz {

/// The number of inputs to try: $HIGHWATER_FUZZ_ROUNDS, or by default `usual`, for the short run in every
/// test.
inline std::uint64_t rounds(std::uint64_t usual) {
    const char* const given = std::getenv("HIGHWATER_FUZZ_ROUNDS");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

inline void expectOneLine(const std::string& message) {
    EXPECT_FALSE(message.empty());
    EXPECT_LT(message.size(), 1000U);
    EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << message;
}

}  // namespace highwater::fuzz
