#include "core/scan/cohort_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <system_error>

#include "core/base/text.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 100'000;
constexpr int kMostPeeks = 8;
constexpr std::array<std::string_view, 6> kLabelWords{"seg",  "label", "labels",
                                                      "mask", "masks", "segmentation"};

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 128;
}

bool hasDicomMark(const fs::path& path) {
    std::array<char, 132> bytes{};
    std::ifstream file(path, std::ios::binary);
    return file.read(bytes.data(), bytes.size()) && std::string_view(bytes.data() + 128, 4) == "DICM";
}

/// Removes .img files that have an .hdr: they are part of it.
void dropPairs(std::vector<std::string>& scans) {
    std::set<std::string> headers;
    for (const std::string& name : scans) {
        if (scanSuffix(name).starts_with(".hdr")) {
            headers.insert(*scanStem(name));
        }
    }
    std::erase_if(scans, [&](const std::string& name) {
        return scanSuffix(name).starts_with(".img") && headers.contains(*scanStem(name));
    });
}

}  // namespace

base::Result<Listing> listFolder(const fs::path& folder) {
    Listing listing;
    listing.folder = folder;
    std::error_code error;
    std::size_t entries = 0;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (++entries > kMostEntries) {
            return base::Error{fmt::format("{}: holds more than {} entries; choose the folder of the cases",
                                           folder.string(), kMostEntries)};
        }
        const std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.front() == '.') {
            continue;
        }
        if (at->is_directory(ignored)) {
            listing.folders.push_back(name);
        } else if (at->is_regular_file(ignored)) {
            (scanSuffix(name).empty() ? listing.others : listing.scans).push_back(name);
        }
    }
    if (error) {
        return base::Error{fmt::format("{}: cannot be looked into: {}", folder.string(), error.message())};
    }
    dropPairs(listing.scans);
    for (auto* names : {&listing.scans, &listing.others, &listing.folders}) {
        std::sort(names->begin(), names->end(), naturalLess);
    }
    return listing;
}

bool holdsDicom(const Listing& listing) {
    int peeks = 0;
    return std::any_of(listing.others.begin(), listing.others.end(), [&](const std::string& name) {
        return looksLikeDicomName(name) ||
               (mayBeDicomName(name) && ++peeks <= kMostPeeks && hasDicomMark(listing.folder / name));
    });
}

bool holdsOnlyLabels(const Listing& listing) {
    return std::all_of(listing.scans.begin(), listing.scans.end(),
                       [](const std::string& name) { return namesLabels(*scanStem(name)); });
}

bool namesLabels(std::string_view stem) {
    const std::string name = base::lowered(stem);
    for (std::string_view word : {"label", "mask", "segment"}) {
        if (name.find(word) != std::string::npos) {
            return true;
        }
    }
    for (std::size_t at = name.find("seg"); at != std::string::npos; at = name.find("seg", at + 1)) {
        if (at + 3 == name.size() || !isLetter(name[at + 3])) {
            return true;
        }
    }
    return false;
}

std::optional<std::string> labeledName(std::string_view stem) {
    const std::size_t cut = stem.find_last_of("_-. ");
    if (cut == std::string_view::npos || cut == 0) {
        return std::nullopt;
    }
    const std::string word = base::lowered(stem.substr(cut + 1));
    const bool known = std::find(kLabelWords.begin(), kLabelWords.end(), word) != kLabelWords.end();
    return known ? std::optional<std::string>(stem.substr(0, cut)) : std::nullopt;
}

CaseFile caseFile(const fs::path& path, std::int64_t volume) {
    std::error_code ignored;
    return {fs::absolute(path, ignored).lexically_normal().string(), {}, volume};
}

LabelMaps labelMaps(const Listing& listing, bool flat) {
    LabelMaps maps;
    for (const std::string& name : listing.scans) {
        const auto stem = scanStem(name);
        const auto of = flat ? labeledName(*stem) : stem;
        if (of) {
            maps.try_emplace(*of, caseFile(listing.folder / name).path);
        }
    }
    return maps;
}

}  // namespace highwater::scan
