#include <algorithm>
#include <limits>

#include "core/base/json_file.h"
#include "core/wire/patches.h"

namespace highwater::wire {
namespace {

/// Whether it is the name of a file that cannot lead out of its folder.
bool isPlainName(const std::string& name) {
    return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
}

}  // namespace

/// Files by their names alone.
template <class Way>
void exchange(Way& way, base::Exchanged<Way, SentPatch>& patch) {
    constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;
    std::vector<std::string> channels;
    std::optional<std::string> target;
    if constexpr (!Way::kReads) {
        for (const std::filesystem::path& channel : patch.channels) {
            channels.push_back(channel.filename().string());
        }
        if (!patch.target.empty()) {
            target = patch.target.filename().string();
        }
    }
    way("patch", patch.number);
    way("case", patch.theCase);
    way("channels", channels);
    way.check(!channels.empty() && std::ranges::all_of(channels, isPlainName), "channels",
              "must be names of files, at least one");
    way("target", target);
    way.check(!target || isPlainName(*target), "target", "must be the name of a file");
    way("start", patch.start, base::Whole{-kMostExtent, kMostExtent});
    way("extent", patch.extent, base::Whole{1, kMostExtent});
    way("augmentations", patch.augmentations);
    if constexpr (Way::kReads) {
        patch.channels.assign(channels.begin(), channels.end());
        patch.target = target.value_or("");
    }
}

base::Json toJson(const SentPatch& patch) {
    return base::JsonOut::written(patch);
}

base::Result<SentPatch> parsePatch(std::string_view line, const std::filesystem::path& folder) {
    const auto json = HIGHWATER_TRY(base::parseJson(line, "patch"));
    auto patch = HIGHWATER_TRY(base::prefixed("patch", base::fromJson<SentPatch>(json)));
    for (std::filesystem::path& channel : patch.channels) {
        channel = folder / channel;
    }
    patch.target = patch.target.empty() ? patch.target : folder / patch.target;
    return patch;
}

}  // namespace highwater::wire
