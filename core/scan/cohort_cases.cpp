#include <fmt/format.h>

#include "core/base/file_kind.h"
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
    std::vector<std::string> roles;  ///< roles of the channels
};

void addLabels(CaseFile file, const std::string& name, Found& found, std::vector<std::string>& notes) {
    if (found.one.labels.empty()) {
        found.one.labels = std::move(file.path);
    } else {
        notes.push_back(fmt::format("{}/{}: a second label map; left out", found.one.name, name));
    }
}

void addScans(const Listing& listing, Found& found, std::vector<std::string>& notes) {
    for (const std::string& file : listing.scans) {
        const std::string role = roleOf(file, found.one.name);
        CaseFile path = caseFile(listing.folder / file);
        if (!namesLabels(role)) {
            found.one.channels.push_back(std::move(path));
            found.roles.push_back(role);
        } else {
            addLabels(std::move(path), file, found, notes);
        }
    }
}

/// DICOM files in the case's folder are one channel; otherwise those in each of its subfolders are one. A
/// folder with the name of a label map is the label map: a DICOM segmentation.
void addDicom(const Listing& listing, Found& found, std::vector<std::string>& notes) {
    const bool here = holdsDicom(listing);
    if (here) {
        found.one.channels.push_back(caseFile(listing.folder));
        found.roles.emplace_back();
    }
    for (const std::string& inner : listing.folders) {
        const auto within = listFolder(listing.folder / inner);
        if (!within || !holdsOnlyLabels(*within) || !holdsDicom(*within)) {
            continue;
        }
        if (namesLabels(inner)) {
            addLabels(caseFile(within->folder), inner, found, notes);
        } else if (!here) {
            addScans(*within, found, notes);
            found.one.channels.push_back(caseFile(within->folder));
            found.roles.push_back(inner);
        }
    }
}

/// Describes the first of the other files, " (a.dcm.gz is compressed with gzip)"; empty if it is unknown.
std::string firstOther(const Listing& listing) {
    const std::string name = listing.others.empty() ? "" : listing.others.front();
    const std::string what = name.empty() ? "" : base::whatFileIs(listing.folder / name);
    return what.empty() ? "" : fmt::format(" ({} {})", name, what);
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
    if (found.one.channels.empty()) {
        addDicom(*listing, found, notes);
    }
    if (found.one.channels.empty()) {
        notes.push_back(fmt::format(
            "{}: {}; left out", name,
            found.one.labels.empty() ? "holds no scan" + firstOther(*listing) : "holds a label map alone"));
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
