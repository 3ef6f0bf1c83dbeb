#include "core/scan/cohort.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/scan/cohort_files.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNotes = 100;
constexpr std::int64_t kMostVolumes = 64;

/// Returns the number of channels per file if the dataset.json of the Medical Segmentation Decathlon says
/// that the files are 4D.
std::int64_t volumesOf(const fs::path& root) {
    const auto json = base::readJson(root / "dataset.json", base::kMiB);
    if (!json || !json->is_object() || json->value("tensorImageSize", base::Json()) != "4D") {
        return 1;
    }
    const auto modality = json->find("modality");
    const bool listed = modality != json->end() && modality->is_object() && !modality->empty();
    return listed ? std::min(static_cast<std::int64_t>(modality->size()), kMostVolumes) : 1;
}

std::optional<std::string> firstOf(const Listing& listing, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names) {
        if (std::find(listing.folders.begin(), listing.folders.end(), name) != listing.folders.end()) {
            return std::string(name);
        }
    }
    return std::nullopt;
}

/// Reads the layout of imagesTr with labelsTr that nnU-Net and the Medical Segmentation Decathlon use.
std::optional<Cohort> imagesAndLabels(const Listing& root) {
    const auto images = firstOf(root, {"imagesTr", "images"});
    const auto listing = images ? listFolder(root.folder / *images) : base::Result<Listing>(base::Error{});
    if (!listing || listing->scans.empty()) {
        return std::nullopt;
    }
    LabelMaps labels;
    if (const auto folder = firstOf(root, {"labelsTr", "labels", "masks", "segmentations"})) {
        if (const auto maps = listFolder(root.folder / *folder)) {
            labels = labelMaps(*maps, false);
        }
    }
    Cohort cohort = numberedCases(*listing, labels, volumesOf(root.folder));
    if (const auto test = firstOf(root, {"imagesTs"})) {
        cohort.notes.push_back(*test + ": cases to test with; left out");
    }
    return cohort;
}

/// Scans directly in the folder, with or without channel numbers; a folder of DICOM files is one case.
Cohort flatCases(const Listing& root) {
    if (!holdsOnlyLabels(root) || !holdsDicom(root)) {
        return numberedCases(root, labelMaps(root, true));
    }
    Cohort cohort;
    Case one{root.folder.filename().string(), {caseFile(root.folder)}, {}};
    for (const std::string& name : root.scans) {
        if (one.labels.empty()) {
            one.labels = caseFile(root.folder / name).path;
        } else {
            cohort.notes.push_back(name + ": a second label map; left out");
        }
    }
    cohort.cases.push_back(std::move(one));
    return cohort;
}

/// Label maps next to the cases' folders, NAME_seg.nii.gz next to NAME. Returns how many belong to a case.
std::size_t addLabelsBeside(const Listing& root, Cohort& folders) {
    const LabelMaps maps = labelMaps(root, true);
    std::size_t used = 0;
    for (Case& one : folders.cases) {
        if (const auto found = maps.find(one.name); found != maps.end() && one.labels.empty()) {
            one.labels = found->second;
            ++used;
        }
    }
    return used;
}

Cohort byLayout(const Listing& root) {
    if (auto cohort = imagesAndLabels(root)) {
        return *cohort;
    }
    Cohort flat = flatCases(root);
    if (hasChannelNumbers(root, labelMaps(root, true))) {
        return flat;
    }
    Cohort folders = folderCases(root);
    const bool byFolder = !folders.cases.empty() && folders.cases.size() >= flat.cases.size();
    Cohort& chosen = byFolder ? folders : flat;
    const std::size_t left =
        byFolder ? root.scans.size() - addLabelsBeside(root, folders) : folders.cases.size();
    if (left > 0) {
        chosen.notes.push_back(byFolder
                                   ? base::counted(left, "scan") + " beside the cases' folders; left out"
                                   : base::counted(left, "folder") + " of scans beside the scans; left out");
    }
    return std::move(chosen);
}

/// "A has 1, B has 4".
std::string countsText(const std::vector<Case>& cases) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(cases.size(), 4); ++i) {
        text += fmt::format("{}{} has {}", i ? ", " : "", cases[i].name, cases[i].channels.size());
    }
    return text + (cases.size() > 4 ? ", ..." : "");
}

/// Keeps only the cases with the most frequent number of channels; if several numbers are equally frequent,
/// the largest.
base::Status keepOneCount(Cohort& cohort, const std::string& folder) {
    std::map<std::size_t, std::size_t> count;
    for (const Case& one : cohort.cases) {
        ++count[one.channels.size()];
    }
    std::size_t usual = 0;
    for (const auto& [channels, cases] : count) {
        usual = usual == 0 || cases >= count[usual] ? channels : usual;
    }
    if (cohort.cases.size() > 1 && count[usual] < 2) {
        return base::Error{fmt::format("{}: no two cases have the same number of channels: {}", folder,
                                       countsText(cohort.cases))};
    }
    std::erase_if(cohort.cases, [&](const Case& one) {
        const std::size_t has = one.channels.size();
        if (has != usual) {
            cohort.notes.push_back(fmt::format("{}: has {} where most cases have {}; left out", one.name,
                                               base::counted(has, "channel"), usual));
        }
        return has != usual;
    });
    return {};
}

void shorten(std::vector<std::string>& notes) {
    for (std::string& note : notes) {
        note = base::oneLine(note, 1000);
    }
    if (notes.size() > kMostNotes) {
        const std::size_t more = notes.size() - kMostNotes;
        notes.resize(kMostNotes);
        notes.push_back(fmt::format("and {} more", more));
    }
}

base::Status checkFolder(const fs::path& folder) {
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) {
        return {};
    }
    return base::Error{fs::exists(folder, ignored)
                           ? folder.string() + ": is a file; choose the folder of the cases"
                           : folder.string() + ": there is no such folder"};
}

}  // namespace

base::Result<Cohort> findCases(const fs::path& folder) {
    HIGHWATER_TRY(checkFolder(folder));
    std::error_code ignored;
    fs::path whole = fs::absolute(folder, ignored).lexically_normal();
    whole = whole.has_filename() ? whole : whole.parent_path();
    // If imagesTr itself was chosen, its parent folder is the cohort.
    if (whole.filename() == "imagesTr" && fs::is_directory(whole.parent_path() / "labelsTr", ignored)) {
        whole = whole.parent_path();
    }
    const auto root = HIGHWATER_TRY(listFolder(whole));
    Cohort cohort = byLayout(root);
    if (cohort.cases.empty()) {
        return base::Error{
            fmt::format("{}: holds no scans; a cohort is a folder with imagesTr and labelsTr, with one "
                        "folder per case, or with one scan per case{}",
                        folder.string(), cohort.notes.empty() ? "" : " (" + cohort.notes.front() + ")")};
    }
    HIGHWATER_TRY(keepOneCount(cohort, folder.string()));
    std::sort(cohort.cases.begin(), cohort.cases.end(),
              [](const Case& a, const Case& b) { return naturalLess(a.name, b.name); });
    shorten(cohort.notes);
    return cohort;
}

}  // namespace highwater::scan
