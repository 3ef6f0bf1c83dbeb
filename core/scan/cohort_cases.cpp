#include <fmt/format.h>

#include "core/scan/cohort_files.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

/// Returns the part of a channel's file name that distinguishes it within its case: the name without the
/// case's name.
std::string roleOf(const std::string& file, const std::string& name) {
    const std::string stem = scanStem(file).value_or(file);
    const std::size_t at = stem.find(name);
    return at == std::string::npos ? stem : stem.substr(0, at) + stem.substr(at + name.size());
}

struct Found {
    Case one;
    std::vector<std::string> roles;  ///< of the channels
};

void addScans(const Listing& listing, Found& found, std::vector<std::string>& notes) {
    for (const std::string& file : listing.scans) {
        const std::string role = roleOf(file, found.one.name);
        CaseFile path = caseFile(listing.folder / file);
        if (!namesLabels(role)) {
            found.one.channels.push_back(std::move(path));
            found.roles.push_back(role);
        } else if (found.one.labels.empty()) {
            found.one.labels = std::move(path.path);
        } else {
            notes.push_back(fmt::format("{}/{}: a second label map; left out", found.one.name, file));
        }
    }
}

/// DICOM files in the case's folder are one channel; otherwise those of each folder within it are one.
void addDicom(const Listing& listing, Found& found) {
    if (holdsDicom(listing)) {
        found.one.channels.push_back(caseFile(listing.folder));
        found.roles.emplace_back();
        return;
    }
    for (const std::string& inner : listing.folders) {
        const auto within = listFolder(listing.folder / inner);
        if (within && within->scans.empty() && holdsDicom(*within)) {
            found.one.channels.push_back(caseFile(within->folder));
            found.roles.push_back(inner);
        }
    }
}

std::optional<Found> lookInto(const Listing& parent, const std::string& name,
                              std::vector<std::string>& notes) {
    const auto listing = listFolder(parent.folder / name);
    if (!listing) {
        notes.push_back(listing.error().message);
        return std::nullopt;
    }
    Found found;
    found.one.name = name;
    addScans(*listing, found, notes);
    if (listing->scans.empty()) {
        addDicom(*listing, found);
    }
    if (found.one.channels.empty()) {
        notes.push_back(fmt::format("{}: {}; left out", name,
                                    found.one.labels.empty() ? "holds no scan" : "holds a label map alone"));
        return std::nullopt;
    }
    return found;
}

/// Returns the names of several channels that more than half of the cases, and at least two, have in common;
/// empty if there are none.
std::vector<std::string> usualRoles(const std::vector<Found>& all) {
    std::map<std::vector<std::string>, std::size_t> count;
    for (const Found& found : all) {
        ++count[found.roles];
    }
    for (const auto& [roles, cases] : count) {
        if (roles.size() > 1 && cases >= 2 && 2 * cases > all.size()) {
            return roles;
        }
    }
    return {};
}

std::string joined(const std::vector<std::string>& roles) {
    std::string text;
    for (const std::string& role : roles) {
        text += (text.empty() ? "" : ", ") + role;
    }
    return text;
}

}  // namespace

Cohort folderCases(const Listing& parent) {
    Cohort cohort;
    std::vector<Found> all;
    for (const std::string& name : parent.folders) {
        if (auto found = lookInto(parent, name, cohort.notes)) {
            all.push_back(std::move(*found));
        }
    }
    const auto usual = usualRoles(all);
    for (Found& found : all) {
        if (found.roles.size() == usual.size() && found.roles != usual) {
            cohort.notes.push_back(fmt::format("{}: its channels are {} where most cases have {}; left out",
                                               found.one.name, joined(found.roles), joined(usual)));
        } else {
            cohort.cases.push_back(std::move(found.one));
        }
    }
    return cohort;
}

}  // namespace highwater::scan
