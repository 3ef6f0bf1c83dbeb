#include "core/scan/reader/dicom/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/text.h"
#include "core/scan/reader/bytes/input.h"
#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/reader/raw/file.h"

namespace highwater::scan::reader {
namespace dicom {
namespace {

constexpr std::size_t kMostUnread = 100;

/// Whether a file is a scan of another format. The .img of a pair counts as part of its .hdr.
bool isOtherScan(const std::string& folder, const std::string& name) {
    const std::string path = folder + "/" + name;
    const std::filesystem::path plain(path);
    std::error_code ignored;
    if (plain.extension() == ".img" &&
        std::filesystem::exists(std::filesystem::path(plain).replace_extension(".hdr"), ignored)) {
        return false;
    }
    const auto file = Mapping::openFile(path);
    const auto beginning = file ? beginningOf(*file) : base::Result<std::vector<std::byte>>(file.error());
    return beginning && looksLikeRaw(path, *beginning);
}

/// Describes the first of the other files, "a.dcm.gz is compressed with gzip; inside it is a DICOM file".
/// Empty if none of the first few is recognized.
std::string firstOther(const Looked& looked) {
    constexpr std::size_t kMostOpened = 8;
    for (std::size_t i = 0; i < std::min(looked.others.size(), kMostOpened); ++i) {
        const auto file = Mapping::openFile(looked.folder + "/" + looked.others[i]);
        const auto beginning = file ? beginningOf(*file) : base::Result<std::vector<std::byte>>(file.error());
        const std::string what = beginning ? whatElseItIs(*file, *beginning) : "";
        if (!what.empty()) {
            return fmt::format("{} {}", looked.others[i], what);
        }
    }
    return {};
}

Series summary(const Looked& looked, const SeriesPart& part) {
    const FileFacts& first = looked.files[part.files.front()];
    Series out;
    out.id = part.id;
    out.description = first.description;
    out.modality = first.modality;
    out.number = first.number;
    out.files = static_cast<std::int64_t>(part.files.size());
    out.firstFile = first.name;
    const auto stack = planStack(looked, part);
    if (!stack) {
        out.problem = stack.error().message;
        out.warnings = part.warnings;
        return out;
    }
    out.size = stack->geometry.size;
    if (stack->spacingKnown) {
        out.spacing = stack->geometry.spacing;
    }
    out.volumes = static_cast<int>(stack->volumes.size());
    out.warnings = warningsOf(part, *stack);
    return out;
}

}  // namespace

std::string seriesName(const Looked& looked, const SeriesPart& part) {
    const FileFacts& first = looked.files[part.files.front()];
    const std::size_t files = part.files.size();
    return fmt::format(
        "{}: {} ({}{} {})", first.number, first.description.empty() ? "no description" : first.description,
        first.modality.empty() ? "" : first.modality + ", ", files, files == 1 ? "file" : "files");
}

base::Result<std::size_t> chooseSeries(const Looked& looked, const std::vector<SeriesPart>& parts,
                                       const std::string& wanted) {
    if (parts.empty()) {
        return nothingThere(looked);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].id == wanted || (wanted.empty() && parts.size() == 1)) {
            return i;
        }
    }
    std::string list;
    constexpr std::size_t kMostListed = 8;
    for (std::size_t i = 0; i < std::min(parts.size(), kMostListed); ++i) {
        list += fmt::format("{}{} = {}", i > 0 ? "; " : "", seriesName(looked, parts[i]), parts[i].id);
    }
    return base::Error{wanted.empty() ? fmt::format("holds {} series; choose one of: {}", parts.size(), list)
                                      : fmt::format("holds no series {}; there are: {}", wanted, list)};
}

std::vector<std::string> warningsOf(const SeriesPart& part, const Stack& stack) {
    std::vector<std::string> out;
    for (const auto* lines : {&stack.warnings, &part.warnings}) {
        for (const std::string& line : *lines) {
            addOnce(out, line);
        }
    }
    return out;
}

base::Error nothingThere(const Looked& looked) {
    if (looked.folder.empty()) {
        return {looked.unread.empty() ? "holds no picture" : looked.unread.front().why};
    }
    if (looked.unread.empty()) {
        const std::string other = firstOther(looked);
        return {other.empty() ? "the folder holds no DICOM pictures (folders inside it are not entered)"
                              : "the folder holds no DICOM pictures; " + other};
    }
    const Unread& first = looked.unread.front();
    return {looked.unread.size() == 1 ? fmt::format("{}: {}", first.name, first.why)
                                      : fmt::format("none of {} DICOM files can be read; {}: {}",
                                                    looked.unread.size(), first.name, first.why)};
}

base::Error named(const std::string& path, const std::string& message) {
    std::string name = path;
    while (name.size() > 1 && name.ends_with('/')) {
        name.pop_back();
    }
    return {fmt::format("{}: {}", fileName(name), message)};
}

}  // namespace dicom

base::Result<Contents> listDicom(const std::string& path, const ProgressSink& progress) {
    const auto looked = dicom::lookAt(path, progress);
    if (!looked) {
        return dicom::named(path, looked.error().message);
    }
    Contents out;
    for (const dicom::SeriesPart& part : dicom::groupSeries(*looked)) {
        out.series.push_back(dicom::summary(*looked, part));
    }
    if (looked->folder.empty() && out.series.empty()) {
        return dicom::named(path, dicom::nothingThere(*looked).message);
    }
    for (const dicom::Unread& unread : looked->unread) {
        if (out.unread.size() < dicom::kMostUnread) {
            out.unread.push_back(base::oneLine(fmt::format("{}: {}", unread.name, unread.why)));
        }
    }
    for (const std::string& name : looked->others) {
        if (!looked->folder.empty() && dicom::isOtherScan(looked->folder, name)) {
            out.scans.push_back(name);
        } else {
            ++out.ignored;
        }
    }
    return out;
}

}  // namespace highwater::scan::reader
