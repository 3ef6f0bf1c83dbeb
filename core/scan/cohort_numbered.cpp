#include <fmt/format.h>

#include <set>

#include "core/scan/cohort_files.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

constexpr std::size_t kMostChannels = 16;
constexpr std::size_t kDigits = 4;

struct Numbered {
    std::string name;
    int channel = 0;
};

/// Splits "BRATS_001_0003" into "BRATS_001" and 3.
std::optional<Numbered> channelOf(const std::string& stem) {
    if (stem.size() < kDigits + 2 || stem[stem.size() - kDigits - 1] != '_') {
        return std::nullopt;
    }
    int channel = 0;
    for (std::size_t at = stem.size() - kDigits; at < stem.size(); ++at) {
        if (stem[at] < '0' || stem[at] > '9') {
            return std::nullopt;
        }
        channel = 10 * channel + (stem[at] - '0');
    }
    return Numbered{stem.substr(0, stem.size() - kDigits - 1), channel};
}

/// The scans that are not label maps.
std::vector<std::string> imagesOf(const Listing& listing, const LabelMaps& labels) {
    std::set<std::string> paths;
    for (const auto& [name, path] : labels) {
        paths.insert(path);
    }
    std::vector<std::string> images;
    for (const std::string& name : listing.scans) {
        if (!paths.contains(caseFile(listing.folder / name).path)) {
            images.push_back(name);
        }
    }
    return images;
}

using Groups = std::map<std::string, std::map<int, std::string>>;  // for each case, the file of each channel

Groups groupsOf(const Listing& listing, const std::vector<std::string>& images,
                std::vector<std::string>* notes) {
    Groups groups;
    for (const std::string& name : images) {
        const auto numbered = channelOf(*scanStem(name));
        if (!numbered) {
            if (notes) {
                notes->push_back(
                    fmt::format("{}: has no channel number such as _0000 in its name; left out", name));
            }
            continue;
        }
        const auto [at, fresh] =
            groups[numbered->name].try_emplace(numbered->channel, (listing.folder / name).string());
        if (!fresh && notes) {
            notes->push_back(fmt::format("{}: {} is that channel already; left out", name,
                                         std::filesystem::path(at->second).filename().string()));
        }
    }
    return groups;
}

/// Makes the case of one group. A gap in its channel numbers gives a note.
std::optional<Case> caseOf(const std::string& name, const std::map<int, std::string>& files,
                           std::vector<std::string>& notes) {
    Case one;
    one.name = name;
    for (const auto& [channel, path] : files) {
        const int wanted = static_cast<int>(one.channels.size());
        if (channel != wanted) {
            notes.push_back(fmt::format("{}: its channel {:04} is missing; left out", name, wanted));
            return std::nullopt;
        }
        one.channels.push_back(caseFile(path));
    }
    return one;
}

void addLabels(Cohort& cohort, const LabelMaps& labels) {
    std::set<std::string> used;
    for (Case& one : cohort.cases) {
        if (const auto found = labels.find(one.name); found != labels.end()) {
            one.labels = found->second;
            used.insert(one.name);
        } else if (!labels.empty()) {
            cohort.notes.push_back(fmt::format("{}: has no label map", one.name));
        }
    }
    for (const auto& [name, path] : labels) {
        if (!used.contains(name)) {
            cohort.notes.push_back(fmt::format("{}: a label map without a scan of that name; left out",
                                               std::filesystem::path(path).filename().string()));
        }
    }
}

void addUnnumbered(Cohort& cohort, const Listing& listing, const std::vector<std::string>& images,
                   std::int64_t volumes) {
    std::map<std::string, std::string> taken;
    for (const std::string& file : images) {
        Case one;
        one.name = *scanStem(file);
        if (const auto [at, fresh] = taken.try_emplace(one.name, file); !fresh) {
            cohort.notes.push_back(fmt::format("{}: {} is that case already; left out", file, at->second));
            continue;
        }
        for (std::int64_t volume = 0; volume < volumes; ++volume) {
            one.channels.push_back(caseFile(listing.folder / file, volume));
        }
        cohort.cases.push_back(std::move(one));
    }
}

}  // namespace

bool hasChannelNumbers(const Listing& listing, const LabelMaps& labels) {
    const auto images = imagesOf(listing, labels);
    std::size_t believed = 0;
    for (const auto& [name, files] : groupsOf(listing, images, nullptr)) {
        if (files.size() > kMostChannels) {
            return false;
        }
        believed += files.contains(0) ? files.size() : 0;
    }
    return believed > 0 && 2 * believed >= images.size();
}

Cohort numberedCases(const Listing& listing, const LabelMaps& labels, std::int64_t volumes) {
    Cohort cohort;
    const auto images = imagesOf(listing, labels);
    if (hasChannelNumbers(listing, labels)) {
        for (const auto& [name, files] : groupsOf(listing, images, &cohort.notes)) {
            if (auto one = caseOf(name, files, cohort.notes)) {
                cohort.cases.push_back(std::move(*one));
            }
        }
    } else {
        addUnnumbered(cohort, listing, images, volumes);
    }
    addLabels(cohort, labels);
    return cohort;
}

}  // namespace highwater::scan
