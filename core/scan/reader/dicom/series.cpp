#include "core/scan/reader/dicom/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace highwater::scan::reader::dicom {
namespace {

constexpr std::size_t kMostParts = 1000;  // parts of one series; each picture is compared with all of them
constexpr const char* kNoUid = "series without a UID";

struct Builder {
    const Looked& looked;
    std::map<std::string, std::vector<SeriesPart>> byUid;
    std::map<std::string, std::size_t> instances;  // of files with pictures

    const Grid& gridOf(const SeriesPart& part) const {
        const PictureRef& first = part.pictures.front();
        return looked.files[first.file].pictures[first.picture].grid;
    }

    /// Returns false if the file is in the part already.
    static bool addFile(SeriesPart& part, std::size_t file) {
        const bool fresh = part.files.empty() || part.files.back() != file;
        if (fresh) {
            part.files.push_back(file);
        }
        return fresh;
    }

    void addProblem(std::vector<SeriesPart>& parts, std::size_t file, const std::string& problem) {
        auto at = std::find_if(parts.begin(), parts.end(),
                               [&](const SeriesPart& part) { return part.problem == problem; });
        if (at == parts.end()) {
            at = parts.insert(parts.end(), SeriesPart{});
            at->problem = problem;
        }
        addFile(*at, file);
    }

    void addPicture(std::vector<SeriesPart>& parts, PictureRef ref, std::size_t& last) {
        const Grid& grid = looked.files[ref.file].pictures[ref.picture].grid;
        const auto fits = [&](const SeriesPart& part) {
            return part.problem.empty() && sameGrid(gridOf(part), grid);
        };
        if (last >= parts.size() || !fits(parts[last])) {
            last = static_cast<std::size_t>(std::find_if(parts.begin(), parts.end(), fits) - parts.begin());
        }
        if (last == parts.size() && last >= kMostParts) {
            addProblem(parts, ref.file,
                       fmt::format("has pictures of more than {} sizes or directions", kMostParts));
            return;
        }
        if (last == parts.size()) {
            parts.emplace_back();
        }
        parts[last].pictures.push_back(ref);
        if (!addFile(parts[last], ref.file)) {
            return;
        }
        for (const std::string& warning : looked.files[ref.file].warnings) {
            addOnce(parts[last].warnings, warning);
        }
    }

    void addFileOf(std::size_t file) {
        const FileFacts& facts = looked.files[file];
        auto& parts = byUid[facts.seriesUid.empty() ? kNoUid : facts.seriesUid];
        if (!facts.problem.empty()) {
            addProblem(parts, file, facts.problem);
            return;
        }
        std::size_t last = 0;
        if (!facts.instanceUid.empty()) {
            const auto [twin, isNew] = instances.emplace(facts.seriesUid + " " + facts.instanceUid, file);
            if (!isNew) {
                copies[facts.seriesUid].push_back(fmt::format("{} is a copy of {} and was left out",
                                                              facts.name, looked.files[twin->second].name));
                return;
            }
        }
        for (std::size_t i = 0; i < facts.pictures.size(); ++i) {
            addPicture(parts, {file, i}, last);
        }
    }

    std::map<std::string, std::vector<std::string>> copies;
};

/// Assigns the ids of the parts of one UID, and warns about its files that could not be read.
void finish(const Looked& looked, const Builder& builder, const std::string& uid,
            std::vector<SeriesPart>& parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const SeriesPart& a, const SeriesPart& b) {
        return a.pictures.size() > b.pictures.size();
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
        SeriesPart& part = parts[i];
        part.uid = uid;
        part.id = i == 0 ? uid : fmt::format("{}#{}", uid, i + 1);
        if (const auto found = builder.copies.find(uid); found != builder.copies.end()) {
            for (const std::string& line : found->second) {
                addOnce(part.warnings, line);
            }
        }
        for (const Unread& unread : looked.unread) {
            if (unread.seriesUid.empty() || unread.seriesUid == uid) {
                addOnce(part.warnings, fmt::format("{} was left out: {}", unread.name, unread.why));
            }
        }
    }
}

}  // namespace

void addOnce(std::vector<std::string>& lines, const std::string& words) {
    if (lines.size() > kMostWarnings) {
        return;
    }
    const std::string line = base::oneLine(words);  // file names may contain anything
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) {
        return;
    }
    lines.push_back(lines.size() == kMostWarnings ? "there are more warnings than are shown" : line);
}

std::vector<SeriesPart> groupSeries(const Looked& looked) {
    Builder builder{looked, {}, {}, {}};
    for (std::size_t file = 0; file < looked.files.size(); ++file) {
        builder.addFileOf(file);
    }
    std::vector<SeriesPart> out;
    for (auto& [uid, parts] : builder.byUid) {
        finish(looked, builder, uid, parts);
        std::move(parts.begin(), parts.end(), std::back_inserter(out));
    }
    std::stable_sort(out.begin(), out.end(), [&](const SeriesPart& a, const SeriesPart& b) {
        return looked.files[a.files.front()].number < looked.files[b.files.front()].number;
    });
    return out;
}

}  // namespace highwater::scan::reader::dicom
