#include "core/scan/reader/dicom/header.h"

#include <fmt/format.h>
#include <gdcmDict.h>
#include <gdcmDictEntry.h>
#include <gdcmDicts.h>
#include <gdcmGlobal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/reader/dicom/list.h"
#include "core/scan/reader/dicom/values.h"

namespace highwater::scan::reader {
namespace dicom {
namespace {

constexpr std::size_t kLongestValue = 300;  // bytes
constexpr std::size_t kMostNumbers = 16;
constexpr std::int64_t kDeepest = 8;
constexpr std::string_view kTexts = "AE AS CS DA DS DT IS LO LT PN SH ST TM UC UI UR UT";
constexpr std::string_view kNumbers = "FD FL SL SS UL US";

struct Known {
    std::string name, vr;
};

/// GDCM's own conversion of a VR to text asserts if the dictionary allows two types: here the first one is
/// used.
std::string vrOf(gdcm::VR::VRType type) {
    using VR = gdcm::VR;
    constexpr std::pair<VR::VRType, const char*> kTypes[] = {
        {VR::AE, "AE"}, {VR::AS, "AS"}, {VR::AT, "AT"}, {VR::CS, "CS"}, {VR::DA, "DA"}, {VR::DS, "DS"},
        {VR::DT, "DT"}, {VR::FD, "FD"}, {VR::FL, "FL"}, {VR::IS, "IS"}, {VR::LO, "LO"}, {VR::LT, "LT"},
        {VR::OB, "OB"}, {VR::OF, "OF"}, {VR::OW, "OW"}, {VR::PN, "PN"}, {VR::SH, "SH"}, {VR::SL, "SL"},
        {VR::SQ, "SQ"}, {VR::US, "US"}, {VR::SS, "SS"}, {VR::ST, "ST"}, {VR::TM, "TM"}, {VR::UC, "UC"},
        {VR::UI, "UI"}, {VR::UL, "UL"}, {VR::UR, "UR"}, {VR::UT, "UT"}};
    for (const auto& [one, word] : kTypes) {
        if ((static_cast<long long>(type) & static_cast<long long>(one)) != 0) {
            return word;
        }
    }
    return "";
}

/// Looks up DICOM's dictionary: GDCM's compiled-in table, which parses nothing.
Known known(Tag tag) {
    const auto group = static_cast<std::uint16_t>(tag >> 16),
               element = static_cast<std::uint16_t>(tag & 0xFFFF);
    if (element == 0) {
        return {"Group Length", "UL"};
    }
    if (group % 2 == 1) {
        return {element >= 0x10 && element <= 0xFF ? "Private Creator" : "", "LO"};
    }
    const auto& dictionary = gdcm::Global::GetInstance().GetDicts().GetPublicDict();
    const gdcm::DictEntry& entry = dictionary.GetDictEntry(gdcm::Tag(group, element));
    const char* const name = entry.GetName();
    return {name ? base::oneLine(name, 100) : "", vrOf(entry.GetVR())};
}

bool among(std::string_view list, std::string_view vr) {
    const auto at = vr.size() == 2 ? list.find(vr) : std::string_view::npos;
    return at != std::string_view::npos && at % 3 == 0;
}

std::string numbersText(const std::vector<double>& numbers, std::size_t all) {
    std::string text;
    for (std::size_t i = 0; i < std::min(numbers.size(), kMostNumbers); ++i) {
        text += fmt::format("{}{:.10g}", i > 0 ? "\\" : "", numbers[i]);
    }
    return all > kMostNumbers ? fmt::format("{}\\… {} numbers", text, all) : text;
}

class Rows {
public:
    explicit Rows(FileHeader& out) : out_(out) {}

    void add(const DataSet& set, std::int64_t depth, bool latin1) {
        latin1 = latin1 || isLatin1(set);
        for (const Element& element : set.elements) {
            if (!put(set, element, depth, latin1)) {
                return;
            }
        }
    }

private:
    bool room() {
        out_.cut = out_.cut || out_.rows.size() >= kMostHeaderRows;
        return !out_.cut;
    }

    bool put(const DataSet& set, const Element& element, std::int64_t depth, bool latin1) {
        if (!room()) {
            return false;
        }
        Known entry = known(element.tag);
        if (set.encoding.explicitVr && element.vr[0] != 0) {
            const std::string_view own(element.vr.data(), 2);
            const bool publicTag = (element.tag >> 16) % 2 == 0;
            entry.vr = own == "UN" && publicTag && !entry.vr.empty() ? entry.vr : std::string(own);
        }
        const bool pixels = element.tag == kPixelData;
        const bool items = !pixels && (entry.vr == "SQ" || element.undefined);
        out_.rows.push_back({depth, tagName(element.tag), entry.name, entry.vr, ""});
        if (!items) {
            out_.rows.back().value = valueOf(set, element, entry.vr, latin1);
            return true;
        }
        const std::vector<DataSet> inside = sequenceItems(DataSet{set.encoding, {element}}, element.tag);
        out_.rows.back().value = base::counted(static_cast<std::int64_t>(inside.size()), "item");
        for (std::size_t n = 0; n < inside.size() && depth < kDeepest; ++n) {
            if (!room()) {
                return false;
            }
            out_.rows.push_back({depth + 1, "", fmt::format("item {}", n + 1), "", ""});
            add(inside[n], depth + 1, latin1);
        }
        return true;
    }

    static std::string valueOf(const DataSet& set, const Element& element, const std::string& vr,
                               bool latin1) {
        if (element.value.empty()) {
            return "";
        }
        if (among(kTexts, vr)) {
            return textOf(element.value, latin1, kLongestValue);
        }
        if (among(kNumbers, vr)) {
            const std::size_t size = vr == "US" || vr == "SS" ? 2 : vr == "FD" ? 8 : 4;
            Element first = element;
            first.value = element.value.first(std::min(element.value.size(), kMostNumbers * size));
            return numbersText(numbersOf(first, vr, set.encoding.bigEndian), element.value.size() / size);
        }
        if (vr == "AT" && element.value.size() == 4) {
            return tagName(static_cast<Tag>(load16(element.value.data(), set.encoding.bigEndian)) << 16 |
                           load16(element.value.data() + 2, set.encoding.bigEndian));
        }
        const std::string size = base::formatBytes(static_cast<base::Bytes>(element.value.size()));
        return element.undefined ? "compressed, " + size : size;
    }

    FileHeader& out_;
};

/// The file whose picture is nearest to the slice.
base::Result<std::string> fileOf(const std::string& path, const std::string& series, std::int64_t volume,
                                 std::optional<std::int64_t> slice, const ProgressSink& progress) {
    struct stat facts{};
    if (stat(path.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode)) {
        return path;
    }
    const auto looked = HIGHWATER_TRY(lookAt(path, progress));
    const auto parts = groupSeries(looked);
    const auto chosen = HIGHWATER_TRY(chooseSeries(looked, parts, series));
    const SeriesPart& part = parts[chosen];
    const auto stack = planStack(looked, part);
    const bool placed = stack && volume >= 0 && volume < static_cast<std::int64_t>(stack->volumes.size());
    if (!slice || !placed) {  // a series that does not form a volume has headers, too
        return looked.pathOf(looked.files[part.files.front()]);
    }
    const auto& pictures = stack->volumes[static_cast<std::size_t>(volume)];
    const auto nearest =
        std::min_element(pictures.begin(), pictures.end(), [&](const Placed& a, const Placed& b) {
            const auto to = static_cast<double>(*slice);
            return std::abs(a.slice - to) < std::abs(b.slice - to);
        });
    return looked.pathOf(looked.files[part.pictures[nearest->picture].file]);
}

base::Result<FileHeader> headerOf(const std::string& path) {
    auto mapping = HIGHWATER_TRY(Mapping::openFile(path));
    if (!looksLikeDicom(mapping.bytes())) {
        const auto bytes = mapping.bytes();
        const std::string what = base::whatItIs({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        return base::Error{what.empty() ? "is not a DICOM file; only DICOM files have such a header"
                                        : what + "; only DICOM files have such a header"};
    }
    const auto file = HIGHWATER_TRY(openDicom(path));
    FileHeader header = headerRows(file);
    header.file = base::oneLine(fileName(path));
    return header;
}

}  // namespace

FileHeader headerRows(const OpenFile& file) {
    FileHeader out;
    Rows rows(out);
    rows.add(file.meta, 0, false);
    rows.add(file.set(), 0, false);
    if (file.parsed.error) {
        out.problem = file.parsed.error->message;
    }
    return out;
}

}  // namespace dicom

base::Result<FileHeader> readDicomHeader(const std::string& path, const std::string& series,
                                         std::int64_t volume, std::optional<std::int64_t> slice,
                                         const ProgressSink& progress) {
    const auto file = dicom::fileOf(path, series, volume, slice, progress);
    if (!file) {
        return dicom::named(path, file.error().message);
    }
    auto header = dicom::headerOf(*file);
    return header ? std::move(header) : dicom::named(*file, header.error().message);
}

}  // namespace highwater::scan::reader
