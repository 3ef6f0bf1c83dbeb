#include "core/scan/reader/dicom/look.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>

#include "core/base/file.h"
#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/reader/dicom/values.h"

namespace highwater::scan::reader::dicom {
namespace {

constexpr Tag kSeriesTag = 0x0020000E;
constexpr std::size_t kBeginning = 256;

/// Does not map the file, because most files in a folder may be of other kinds.
bool beginsAsDicom(const std::string& path) {
    const auto file = base::openRegular(path);
    std::array<std::byte, kBeginning> beginning{};
    const ssize_t got = file ? ::read(file->get(), beginning.data(), beginning.size()) : 0;
    return got > 0 && looksLikeDicom(std::span(beginning).first(static_cast<std::size_t>(got)));
}

/// Whether an intact file is not a picture.
bool isOther(const OpenFile& file) {
    constexpr Tag kRowsTag = 0x00280010;
    return file.isIndex || (!file.parsed.error && !file.pixelData() && !file.set().find(kRowsTag));
}

void lookAtFile(const std::string& path, const std::string& name, Looked& out) {
    try {
        const auto file = openDicom(path);
        if (!file) {
            const std::string& why = file.error().message;
            const std::string known = path + ": ";
            out.unread.push_back({name, why.starts_with(known) ? why.substr(known.size()) : why, ""});
            return;
        }
        if (file->isIndex && out.folder.empty()) {
            out.unread.push_back({name, "is the index of a DICOM folder; open the folder", ""});
            return;
        }
        if (isOther(*file)) {
            out.others.push_back(name);
            return;
        }
        auto facts = describe(*file);
        if (!facts) {
            out.unread.push_back({name, facts.error().message, textOf(file->set(), kSeriesTag)});
            return;
        }
        facts->name = name;
        out.files.push_back(std::move(*facts));
    } catch (const std::exception&) {
        out.unread.push_back({name, "cannot be read: it needs more memory than the reader may take", ""});
    }
}

base::Result<std::vector<std::string>> namesIn(const std::string& folder) {
    std::error_code failed;
    std::filesystem::directory_iterator at(folder, failed);
    std::vector<std::string> names;
    for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        std::error_code ignored;
        if (!at->is_directory(ignored)) {
            names.push_back(at->path().filename().string());
        }
    }
    if (failed) {
        return base::Error{fmt::format("the folder cannot be read: {}", failed.message())};
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string Looked::pathOf(const FileFacts& file) const {
    return folder.empty() ? path : folder + "/" + file.name;
}

base::Result<Looked> lookAt(const std::string& path, const ProgressSink& progress) {
    Looked out;
    out.path = path;
    struct stat facts{};
    if (stat(path.c_str(), &facts) != 0) {
        return base::Error{"there is no such file or folder"};
    }
    constexpr const char* kStage = "looking at files";
    if (!S_ISDIR(facts.st_mode)) {
        progress(kStage, -1);
        lookAtFile(path, fileName(path), out);
        return out;
    }
    out.folder = path;
    const auto names = HIGHWATER_TRY(namesIn(path));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string inside = path + "/" + names[i];
        if (beginsAsDicom(inside)) {
            lookAtFile(inside, names[i], out);
        } else {
            out.others.push_back(names[i]);
        }
        progress(kStage, static_cast<double>(i + 1) / static_cast<double>(names.size()));
    }
    return out;
}

}  // namespace highwater::scan::reader::dicom
