#include "core/predict/cuda/reduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// The memory of sums on a GPU. The figures are the requests of LibTorch 2.11 on the pretended device, an
/// H200, in the order of the requests.
namespace highwater::predict::ghost {
namespace {

struct Recorded {
    std::vector<std::int64_t> sizes, strides;
    std::vector<std::size_t> summed;
    DType type;
    std::vector<Bytes> blocks;
};

const std::vector<Recorded>& recordings() {
    // clang-format off
    static const std::vector<Recorded> kRecordings = {
        {{6304, 768}, {768, 1}, {0}, DType::Float32, {38928384, 24}},
        {{6304, 768}, {768, 1}, {0}, DType::Float16, {38928384, 24}},
        {{32, 768, 7, 7}, {37632, 49, 7, 1}, {0, 2, 3}, DType::Float32, {}},
        {{32, 768, 7, 7}, {37632, 1, 5376, 768}, {0, 2, 3}, DType::Float32, {9830400, 24}},
        {{2, 14, 96, 96, 96}, {12386304, 884736, 9216, 96, 1}, {0, 2, 3, 4}, DType::Float32, {2128, 56}},
        {{2, 3, 128, 128, 128}, {6291456, 2097152, 16384, 128, 1}, {0, 1, 2, 3, 4}, DType::Float32, {2112, 4}},
        {{4, 48, 48, 48, 1}, {110592, 2304, 48, 1, 1}, {1}, DType::Float32, {}},
        {{8, 32, 256, 256, 256}, {536870912, 16777216, 65536, 256, 1}, {0, 2, 3, 4}, DType::Float32, {16384, 128, 16384, 128, 16384, 128, 16384, 128, 16384, 128, 16384, 128, 16384, 128, 16384, 128}},
        {{4, 64, 256, 256, 128}, {536870912, 8388608, 32768, 128, 1}, {0, 2, 3, 4}, DType::Float16, {256, 32768, 256, 32768, 256}},
        {{100352, 33}, {33, 1}, {0}, DType::Float32, {1115136, 8}},
        {{50176, 6}, {6, 1}, {0}, DType::Float32, {2400, 8}},
        {{200704, 1}, {1, 1}, {0}, DType::Float32, {100, 4}},
        {{2, 6, 70946}, {425676, 70946, 1}, {0, 1}, DType::Float32, {}},
        {{1, 1734, 24, 1, 11}, {457776, 264, 11, 11, 1}, {1}, DType::BFloat16, {3784704, 12}},
        {{9, 222, 115, 103, 1}, {2629590, 11845, 103, 1, 1}, {1, 2, 3, 4}, DType::BFloat16, {2124, 36}},
        {{1, 1, 1384453}, {1384453, 1384453, 1}, {0, 1, 2}, DType::Float32, {680, 4}},
        {{1, 49, 1121, 1, 251}, {13787179, 281371, 251, 251, 1}, {0, 1, 4}, DType::Float16, {}},
        {{334, 80511}, {80511, 1}, {0, 1}, DType::BFloat16, {2112, 4}},
        {{2, 5308, 25, 5, 1}, {663500, 125, 5, 1, 1}, {1, 2, 3, 4}, DType::Float32, {648, 8}},
        {{222, 20, 83, 1, 75}, {124500, 6225, 75, 75, 1}, {0, 2, 3}, DType::Float32, {2304000, 188}},
        {{70, 336102}, {336102, 1}, {1}, DType::Float32, {2240, 280}},
        {{1, 141, 4, 1, 2552}, {359832, 1, 359832, 141, 141}, {0}, DType::BFloat16, {}},
        {{743416, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {4}, DType::Float16, {}},
        {{3424850, 2}, {2, 1}, {0, 1}, DType::Float16, {2112, 4}},
        {{359, 1, 21194}, {21194, 21194, 1}, {1}, DType::BFloat16, {}},
        {{1, 6989, 22, 10, 3}, {4612740, 660, 30, 3, 1}, {0, 1, 2, 3}, DType::BFloat16, {6336, 8}},
        {{5, 6282, 9, 1}, {56538, 9, 1, 1}, {0, 3}, DType::Float32, {}},
        {{21, 21637}, {1, 21}, {1}, DType::Float32, {57792, 8}},
        {{5, 26783}, {26783, 1}, {0, 1}, DType::Float32, {68, 4}},
        {{1849, 16591}, {1, 1849}, {1}, DType::BFloat16, {2366720, 232}},
        {{11362, 1, 1, 1322, 1}, {1322, 1322, 15020564, 1, 15020564}, {0, 2, 3, 4}, DType::Float32, {2112, 4}},
        {{9, 846, 1, 372}, {314712, 372, 372, 1}, {0, 1, 3}, DType::Float16, {1384, 4}},
        {{23, 10, 3, 7, 1280}, {268800, 26880, 8960, 1280, 1}, {0, 3}, DType::Float16, {}},
        {{15759, 632}, {632, 1}, {0}, DType::BFloat16, {79925248, 20}},
        {{11, 1908651}, {1908651, 1}, {0, 1}, DType::BFloat16, {2112, 4}},
        {{213607, 66}, {66, 1}, {0}, DType::Float32, {8921088, 8}},
        {{7910, 1, 2, 1, 1}, {2, 2, 1, 1, 1}, {0, 2, 3}, DType::BFloat16, {}},
        {{4, 11, 66939}, {736329, 1, 11}, {0, 2}, DType::Float32, {92224, 8}},
        {{2217, 26, 2, 5, 1}, {1, 2217, 288210, 57642, 288210}, {4}, DType::BFloat16, {}},
        {{10, 11519, 7}, {80633, 7, 1}, {1}, DType::Float16, {403200, 12}},
        {{18, 29, 990}, {28710, 990, 1}, {2}, DType::Float16, {}},
        {{1, 124579, 4}, {498316, 4, 1}, {1, 2}, DType::BFloat16, {244, 4}},
        {{303, 2509}, {2509, 1}, {0, 1}, DType::Float32, {372, 4}},
        {{5, 3, 139416, 2, 3}, {2509488, 836496, 6, 3, 1}, {1, 2, 3}, DType::BFloat16, {126720, 8}},
        {{460, 1, 78}, {78, 78, 1}, {0}, DType::BFloat16, {}},
        {{1, 160317, 1, 1, 2}, {1, 2, 2, 320634, 1}, {1, 2, 3}, DType::Float32, {640, 4}},
        {{111, 105}, {105, 1}, {1}, DType::Float16, {}},
        {{37575, 3, 4, 1}, {12, 4, 1, 1}, {0, 1, 3}, DType::Float16, {3584, 4}},
    };
    // clang-format on
    return kRecordings;
}

/// Of other values: a variance, a norm, a maximum.
const std::vector<std::pair<Recorded, Accumulator>>& otherRecordings() {
    constexpr Accumulator kVariance{16, 2}, kNorm{4, 4}, kMaximum{4, 4}, kLowMaximum{2, 4};
    // clang-format off
    static const std::vector<std::pair<Recorded, Accumulator>> kRecordings = {
        {{{20000, 32}, {32, 1}, {0}, DType::Float32, {1294336, 4}}, kVariance},
        {{{4096, 32, 2, 100}, {6400, 200, 100, 1}, {0, 1, 2}, DType::Float32, {108134400, 8}}, kVariance},
        {{{16, 16, 256, 1, 16}, {65536, 16, 256, 65536, 1}, {0, 1, 2, 4}, DType::Float32, {2048, 4}}, kVariance},
        {{{100, 32, 3, 8, 32}, {3072, 1, 32, 307200, 96}, {0, 1, 2, 4}, DType::Float16, {4864, 32}}, kVariance},
        {{{4096, 1000}, {1000, 1}, {0, 1}, DType::Float16, {8000, 4}}, kVariance},
        {{{1, 256, 100000}, {25600000, 100000, 1}, {0, 1, 2}, DType::Float32, {8448, 4}}, kVariance},
        {{{3, 4, 2, 100000}, {4, 1, 12, 24}, {1, 2, 3}, DType::Float16, {4704, 12}}, kVariance},
        {{{1, 20000, 3, 1, 3}, {20000, 1, 60000, 1, 20000}, {0, 1, 4}, DType::BFloat16, {}}, kVariance},
        {{{3, 1000, 32, 1}, {1000, 1, 3000, 1}, {1, 2, 3}, DType::Float32, {}}, kVariance},
        {{{4, 7, 1, 4096, 3}, {86016, 12288, 12288, 3, 1}, {3}, DType::BFloat16, {172032, 12}}, kNorm},
        {{{3, 3, 32, 1000}, {96000, 32000, 1000, 1}, {0, 1, 2, 3}, DType::BFloat16, {144, 4}}, kNorm},
        {{{3, 4, 2, 100, 4096}, {800, 1, 400, 4, 2400}, {0, 2, 4}, DType::Float16, {2099200, 52}}, kNorm},
        {{{100, 32, 256, 32}, {1024, 1, 102400, 32}, {1, 2, 3}, DType::BFloat16, {2400, 400}}, kNorm},
        {{{4096, 64}, {64, 1}, {0}, DType::Float16, {524288, 4}}, kNorm},
        {{{1000, 7, 1, 32, 1}, {224, 32, 32, 1, 1}, {0, 1, 3, 4}, DType::Float32, {112, 4}}, kNorm},
        {{{4096, 2, 2, 64}, {256, 128, 64, 1}, {0, 2}, DType::Float32, {8388608, 4}}, kNorm},
        {{{1, 2, 20000, 2, 4}, {320000, 160000, 8, 4, 1}, {1}, DType::Float16, {}}, kNorm},
        {{{100, 3, 100}, {300, 100, 1}, {0, 1, 2}, DType::Float32, {}}, kNorm},
        {{{20000, 7, 2, 8}, {1, 160000, 1120000, 20000}, {0, 1, 2, 3}, DType::BFloat16, {548, 4}}, kLowMaximum},
        {{{8, 16, 1, 3, 20000}, {960000, 1, 320000, 320000, 16}, {1, 2, 3, 4}, DType::Float16, {1056, 32}}, kLowMaximum},
        {{{7, 20000, 2}, {40000, 2, 1}, {0, 1, 2}, DType::Float32, {140, 4}}, kMaximum},
        {{{64, 3, 4096, 4}, {49152, 16384, 4, 1}, {0, 1, 2, 3}, DType::BFloat16, {768, 4}}, kLowMaximum},
        {{{32, 100000}, {100000, 1}, {0, 1}, DType::BFloat16, {782, 4}}, kLowMaximum},
        {{{256, 1000, 3}, {3000, 3, 1}, {0, 1}, DType::Float16, {756, 8}}, kLowMaximum},
        {{{1, 2, 4096, 32}, {262144, 131072, 32, 1}, {1, 2}, DType::Float32, {131072, 4}}, kMaximum},
        {{{8, 32, 256, 7}, {57344, 1, 224, 32}, {0, 1, 3}, DType::BFloat16, {}}, kLowMaximum},
        {{{16, 256, 100, 2}, {51200, 200, 2, 1}, {0, 2}, DType::Float16, {}}, kLowMaximum},
    };
    // clang-format on
    return kRecordings;
}

DeviceAttributes h200() {
    DeviceAttributes device;
    device.multiprocessors = 132;
    device.threadsPerMultiprocessor = 2048;
    return device;
}

void expectTaken(const Recorded& recorded, const Accumulator& accumulator) {
    Axes summed;
    for (const std::size_t axis : recorded.summed) {
        summed.set(axis);
    }
    Strides strides{};
    std::copy(recorded.strides.begin(), recorded.strides.end(), strides.begin());
    const SharedSums sums =
        sharedSums(h200(), Dims(recorded.sizes), strides, summed, recorded.type, accumulator);
    std::vector<Bytes> blocks;
    if (sums.wide > 0) {
        blocks.push_back(sums.wide);
    }
    for (const SharedSums::Part& part : sums.parts) {
        blocks.insert(blocks.end(), {part.sums, part.counters});
    }
    EXPECT_EQ(blocks, recorded.blocks)
        << fmt::format("{} over {}", fmt::join(recorded.sizes, "x"), fmt::join(recorded.summed, ","));
}

TEST(Reduce, TakesWhatLibTorchTakes) {
    for (const Recorded& recorded : recordings()) {
        expectTaken(recorded, {});
    }
}

TEST(Reduce, OfVariancesNormsAndMaximaTakesWhatLibTorchTakes) {
    for (const auto& [recorded, accumulator] : otherRecordings()) {
        expectTaken(recorded, accumulator);
    }
}

TEST(Reduce, OfASmallGpuTakesFewerBlocks) {
    DeviceAttributes small = h200();
    small.multiprocessors = 28;
    small.threadsPerMultiprocessor = 1536;
    const SharedSums sums = sharedSums(small, {6304, 768}, {768, 1}, Axes{}.set(0), DType::Float32);
    // 28 x 12 thread blocks of 128 threads should be busy, 6 of them in parallel: 56 share a result.
    EXPECT_EQ(sums.parts, std::vector<SharedSums::Part>({{4 * 768 * 56 * 128, 24}}));
}

}  // namespace
}  // namespace highwater::predict::ghost
