#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/predict/tables/profile.h"

namespace highwater::predict {

namespace {

constexpr int kLargestPart = 999;

/// Splits "9.10.2" into {9, 10, 2}: one to three numbers of at most three digits, separated by points.
std::optional<std::array<int, 3>> parts(std::string_view text, std::size_t& count) {
    std::array<int, 3> numbers{};
    for (count = 0; count < 3; ++count) {
        const auto* end = text.data() + text.size();
        auto& number = numbers[count];
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        const bool digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
        if (!digit || error != std::errc() || number > kLargestPart) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
        if (text.empty()) {
            return ++count, numbers;
        }
        if (text.front() != '.') {
            return std::nullopt;
        }
        text.remove_prefix(1);
    }
    return std::nullopt;
}

}  // namespace

base::Result<memory::TorchVersion> parseTorchVersion(std::string_view text) {
    std::size_t count = 0;
    const auto local = text.substr(0, text.find('+'));  // "2.4.1+cu121"
    const auto numbers = parts(local, count);
    if (!numbers || count < 2) {
        return base::Error{fmt::format("\"{}\" is not a LibTorch version; write it as 2.4 or 2.4.1",
                                       base::oneLine(text, 40))};
    }
    const memory::TorchVersion version{(*numbers)[0], (*numbers)[1]};
    if (version < memory::TorchVersion{1, 13}) {
        return base::Error{
            fmt::format("LibTorch {} is older than what can be predicted; 1.13 is the oldest", text)};
    }
    return version;
}

base::Result<CudnnVersion> parseCudnnVersion(std::string_view text) {
    std::size_t count = 0;
    const auto numbers = parts(text, count);
    if (!numbers) {
        return base::Error{fmt::format("\"{}\" is not a cuDNN version; write it as 9, 9.10 or 9.10.2",
                                       base::oneLine(text, 40))};
    }
    const CudnnVersion version{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
    if (version.major < 8) {
        return base::Error{fmt::format(
            "cuDNN {} is older than any that LibTorch 1.13 and later use; 8.0 is the oldest", text)};
    }
    return version;
}

std::string toText(const CudnnVersion& version) {
    return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

std::string toText(const memory::TorchVersion& version) {
    return fmt::format("{}.{}", version.major, version.minor);
}

CudnnVersion bundledCudnn(memory::TorchVersion version) {
    struct Row {
        memory::TorchVersion from;
        CudnnVersion cudnn;
    };
    // The cuDNN that `pip install torch` installs on Linux: the version pinned in each release's wheel
    // metadata (requires-dist nvidia-cudnn-cuXX).
    static constexpr Row kRows[] = {
        {{1, 13}, {8, 5, 0}},  {{2, 0}, {8, 5, 0}},   {{2, 1}, {8, 9, 2}},   {{2, 4}, {9, 1, 0}},
        {{2, 7}, {9, 5, 1}},   {{2, 8}, {9, 10, 2}},  {{2, 9}, {9, 10, 2}},  {{2, 10}, {9, 10, 2}},
        {{2, 11}, {9, 19, 0}}, {{2, 12}, {9, 20, 0}}, {{2, 14}, {9, 24, 0}}, {{2, 15}, {9, 26, 0}},
    };
    CudnnVersion found = kRows[0].cudnn;
    for (const Row& row : kRows) {
        if (row.from <= version) {
            found = row.cudnn;
        }
    }
    return found;
}

}  // namespace highwater::predict
