#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/memory/allocator_config.h"

namespace highwater::memory {
namespace {

using base::Error;
using base::kMiB;
using base::Status;

constexpr std::int64_t kMostMiB = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostLargeMiB = std::int64_t{1} << 24;
constexpr std::size_t kLongestText = 4096;
constexpr TorchVersion kSharedParser{2, 10};  // from this release on one parser serves all accelerators;
                                              // earlier ones have a separate parser for CUDA

struct Setting {
    std::string_view name;
    std::string_view value;
    TorchVersion version;
};

Error wrong(const Setting& s, std::string_view right) {
    return Error{base::oneLine(fmt::format("PYTORCH_CUDA_ALLOC_CONF: {} is \"{}\"; write {}", s.name,
                                           base::oneLine(s.value, 80), right))};
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    return base::readNumber(text, value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> numberIn(std::string_view text, std::int64_t least, std::int64_t most) {
    const auto value = number<std::int64_t>(text);
    return value && *value >= least && *value <= most ? value : std::nullopt;
}

/// CUDA's own parser required more than one large segment; the shared parser accepts a large segment too.
std::int64_t leastMiB(const Setting& s, const AllocatorConfig& config) {
    return config.largeSegmentSize / kMiB + (s.version < kSharedParser ? 1 : 0);
}

Status readLargeSegment(const Setting& s, AllocatorConfig& config) {
    const auto mib = numberIn(s.value, 11, kMostLargeMiB);
    if (!mib) {
        return wrong(s, fmt::format("a whole number of MiB from 11 to {}", kMostLargeMiB));
    }
    config.largeSegmentSize = config.maxNonSplitRounding = *mib * kMiB;
    return {};
}

Status readMaxSplit(const Setting& s, AllocatorConfig& config) {
    const auto least = leastMiB(s, config);
    const auto mib = numberIn(s.value, least, kMostMiB);
    if (!mib) {
        return wrong(s, fmt::format("a whole number of MiB from {} to {}", least, kMostMiB));
    }
    config.maxSplitSize = *mib * kMiB;
    return {};
}

Status readNonSplitRounding(const Setting& s, AllocatorConfig& config) {
    const auto least = leastMiB(s, config);
    const auto mib = numberIn(s.value, least, kMostMiB);
    if (!mib) {
        return wrong(s, fmt::format("a whole number of MiB from {} to {}", least, kMostMiB));
    }
    config.maxNonSplitRounding = *mib * kMiB;
    return {};
}

Status readThreshold(const Setting& s, AllocatorConfig& config) {
    const auto value = number<double>(s.value);
    if (!value || !(*value > 0 && *value < 1)) {
        return wrong(s, "a number above 0 and below 1, such as 0.8");
    }
    config.garbageCollectionThreshold = *value;
    return {};
}

Status readFraction(const Setting& s, AllocatorConfig& config) {
    const auto value = number<double>(s.value);
    if (!value || !(*value >= 0 && *value <= 1)) {
        return wrong(s, "a number from 0 to 1, such as 0.5");
    }
    config.memoryFraction = *value;
    return {};
}

Status readBypass(const Setting& s, AllocatorConfig& config) {
    const auto mib = numberIn(s.value, 0, kMostMiB);
    if (!mib) {
        return wrong(s, fmt::format("a whole number of MiB from 0 to {}", kMostMiB));
    }
    config.roundupBypass = *mib * kMiB;
    return {};
}

Status readExpandable(const Setting& s, AllocatorConfig& config) {
    if (s.value != "True" && s.value != "False") {
        return wrong(s, "True or False");
    }
    config.expandableSegments = s.value == "True";
    return {};
}

Status readBackend(const Setting& s, AllocatorConfig&) {
    if (s.value != "native") {
        return wrong(s, "native, the only backend that is simulated");
    }
    return {};
}

Status ignore(const Setting&, AllocatorConfig&) {
    return {};
}

Status refuse(const Setting& s, AllocatorConfig&) {
    return Error{fmt::format("PYTORCH_CUDA_ALLOC_CONF: {} is not simulated; leave it out", s.name)};
}

std::optional<std::int64_t> powerOfTwo(std::string_view text) {
    const auto value = numberIn(text, 1, kMostMiB);
    return value && std::has_single_bit(static_cast<std::uint64_t>(*value)) ? value : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += (text[i] == '[') - (text[i] == ']');
        if (text[i] == ',' && depth <= 0) {
            parts.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    if (begin < text.size()) {
        parts.push_back(text.substr(begin));
    }
    return parts;
}

/// Intervals before the first named one take its value. Intervals between named ones are not changed. ">"
/// sets the intervals after the last named one, and with CUDA's own parser also that one.
Status readIntervals(const Setting& s, AllocatorConfig& config) {
    auto& divisions = config.roundupDivisions;
    constexpr auto form =
        "intervals in MiB with divisions, both powers of two (0 divisions: off), as in "
        "[256:1,512:2,1024:4,>:8]";
    if (s.value.size() < 2 || s.value.back() != ']') {
        return wrong(s, form);
    }
    const std::size_t after = s.version < kSharedParser ? 0 : 1;
    std::size_t last = 0;
    bool first = true;
    for (const auto entry : split(s.value.substr(1, s.value.size() - 2))) {
        const auto colon = entry.find(':');
        if (colon == std::string_view::npos) {
            return wrong(s, form);
        }
        const auto steps = entry.substr(colon + 1);
        const auto value = steps == "0" ? std::optional<std::int64_t>(0) : powerOfTwo(steps);
        if (!value) {
            return wrong(s, form);
        }
        if (entry.substr(0, colon) == ">") {
            std::fill(divisions.begin() + static_cast<std::ptrdiff_t>(last + after), divisions.end(), *value);
            continue;
        }
        const auto mib = powerOfTwo(entry.substr(0, colon));
        if (!mib) {
            return wrong(s, form);
        }
        last = std::min<std::size_t>(
            static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(*mib))),
            kRoundupIntervals - 1);
        if (first) {
            std::fill(divisions.begin(), divisions.begin() + static_cast<std::ptrdiff_t>(last), *value);
        }
        first = false;
        divisions[last] = *value;
    }
    return {};
}

Status readDivisions(const Setting& s, AllocatorConfig& config) {
    if (s.value.starts_with('[')) {
        if (config.era == AllocatorEra::Torch1_13) {
            return wrong(s, "one power of two for all sizes; a list by interval needs PyTorch 2.0 or later");
        }
        return readIntervals(s, config);
    }
    const auto value = powerOfTwo(s.value);
    if (!value) {
        return wrong(s, "a power of two, such as 8");
    }
    config.roundupDivisions.fill(*value);
    return {};
}

struct Option {
    std::string_view name;
    TorchVersion since;
    Status (*read)(const Setting&, AllocatorConfig&);
};

constexpr Option kOptions[] = {
    {"max_split_size_mb", {1, 10}, readMaxSplit},
    {"garbage_collection_threshold", {1, 12}, readThreshold},
    {"roundup_power2_divisions", {1, 12}, readDivisions},
    {"roundup_bypass_threshold_mb", {1, 13}, readBypass},
    {"backend", {2, 0}, readBackend},
    {"expandable_segments", {2, 1}, readExpandable},
    {"max_non_split_rounding_mb", {2, 6}, readNonSplitRounding},
    {"release_lock_on_cudamalloc", {2, 0}, ignore},
    {"pinned_use_cuda_host_register", {2, 0}, ignore},
    {"pinned_num_register_threads", {2, 0}, ignore},
    {"pinned_use_background_threads", {2, 0}, ignore},
    {"pinned_reserve_segment_size_mb", {2, 0}, ignore},
    {"graph_capture_record_stream_reuse", {2, 0}, ignore},
    {"release_lock_on_hipmalloc", {2, 0}, ignore},
    {"pinned_use_hip_host_register", {2, 0}, ignore},
    {"large_segment_size_mb", {2, 11}, readLargeSegment},
    {"per_process_memory_fraction", {2, 10}, readFraction},
    {"throw_on_cudamalloc_oom", {2, 12}, ignore},
    {"expandable_segments_reserve", {2, 12}, refuse},
    {"expandable_segments_reserve_by_class", {2, 12}, refuse},
    {"pinned_free_catch_all", {2, 12}, ignore},
    {"pinned_max_round_threshold_mb", {2, 12}, ignore},
    {"pinned_max_cached_size_mb", {2, 12}, ignore},
};

Error unknown(std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& option : kOptions) {
        names.push_back(option.name);
    }
    const auto near = base::nearestWord(name, names);
    return Error{fmt::format("PYTORCH_CUDA_ALLOC_CONF: unknown option \"{}\"; {}", base::oneLine(name, 80),
                             near.empty() ? "write max_split_size_mb, expandable_segments, "
                                            "garbage_collection_threshold or roundup_power2_divisions"
                                          : "did you mean " + near + "?")};
}

Status readSetting(std::string_view text, TorchVersion version, AllocatorConfig& config) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        return Error{
            fmt::format("PYTORCH_CUDA_ALLOC_CONF: \"{}\" has no {}; write option:value, as in "
                        "max_split_size_mb:128",
                        base::oneLine(text, 80), colon == 0 ? "option" : "value")};
    }
    const Setting setting{text.substr(0, colon), text.substr(colon + 1), version};
    const auto option = std::ranges::find(kOptions, setting.name, &Option::name);
    if (option == std::end(kOptions)) {
        return unknown(setting.name);
    }
    if (version < option->since) {
        return Error{fmt::format("PYTORCH_CUDA_ALLOC_CONF: {} needs PyTorch {}.{} or later; this is {}.{}",
                                 option->name, option->since.major, option->since.minor, version.major,
                                 version.minor)};
    }
    if (option->read == readBypass && version >= TorchVersion{2, 0}) {
        return Error{
            fmt::format("PYTORCH_CUDA_ALLOC_CONF: only PyTorch 1.13 has {}; this is {}.{}, write "
                        "roundup_power2_divisions by interval, as in [64:8,>:0]",
                        option->name, version.major, version.minor)};
    }
    return option->read(setting, config);
}

}  // namespace

base::Result<AllocatorConfig> parseAllocatorConfig(std::string_view text, TorchVersion version) {
    if (version < TorchVersion{1, 13}) {
        return Error{
            fmt::format("PyTorch {}.{} is older than the allocator rules known here; use 1.13 or later",
                        version.major, version.minor)};
    }
    if (text.size() > kLongestText) {
        return Error{fmt::format("PYTORCH_CUDA_ALLOC_CONF has {} bytes; at most {} are read", text.size(),
                                 kLongestText)};
    }
    std::string packed(text);
    std::erase(packed, ' ');
    AllocatorConfig config;
    config.era = allocatorEra(version);
    const auto settings = split(packed);
    // Read first, wherever it is: the limits of other options depend on it.
    const auto first = [](std::string_view setting) { return setting.starts_with("large_segment_size_mb:"); };
    for (const bool now : {true, false}) {
        for (const auto setting : settings) {
            if (first(setting) == now) {
                HIGHWATER_TRY(readSetting(setting, version, config));
            }
        }
    }
    if (config.expandableSegments && config.largeSegmentSize % (2 * kMiB) != 0) {
        return Error{fmt::format(
            "PYTORCH_CUDA_ALLOC_CONF: large_segment_size_mb is \"{}\"; with expandable segments write an "
            "even number of MiB, the units in which CUDA maps memory",
            config.largeSegmentSize / kMiB)};
    }
    return config;
}

}  // namespace highwater::memory
