#include "core/scan/reader/text/nrrd_header.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kMagic = "NRRD000";
constexpr std::int64_t kMostAxes = 16;

/// Returns the name under which a field is stored; some fields have two names.
std::string fieldName(std::string_view name) {
    std::string lower = base::lowered(trimmed(name));
    if (lower == "datafile") {
        return "data file";
    }
    if (lower == "byteskip" || lower == "lineskip") {
        return lower.substr(0, 4) + " skip";
    }
    return lower;
}

/// Reads all "field: value" lines, without comments and "key:=value" lines. Moves `text` past the header.
base::Result<Fields> readFields(std::string_view& text) {
    Fields fields;
    for (auto line = nextLine(text); line || !text.empty(); line = nextLine(text)) {
        if (!line) {
            line = std::exchange(text, {});  // the last line, which has no newline
        }
        if (trimmed(*line).empty()) {
            return fields;
        }
        const auto colon = line->find(':');
        if (line->starts_with('#') || (colon != std::string_view::npos && line->substr(colon, 2) == ":=")) {
            continue;
        }
        if (colon == std::string_view::npos) {
            return base::Error{fmt::format("damaged: the header's line \"{}\" has no \": \" in it",
                                           base::oneLine(*line, 60))};
        }
        const std::string name = fieldName(line->substr(0, colon));
        const std::string value(trimmed(line->substr(colon + 1)));
        if (!fields.emplace(name, value).second) {
            return base::Error{
                fmt::format("damaged: the header has the field {} twice", base::oneLine(name, 60))};
        }
        if (name == "data file" && base::lowered(value).starts_with("list")) {
            return fields;  // file names follow; they are handled later
        }
    }
    if (fields.contains("data file")) {
        return fields;  // a detached header may end with its file
    }
    return base::Error{"truncated: the header has no end (an empty line)"};
}

std::string valueOf(const Fields& fields, std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
}

/// Reads "(1,2,3)" at the beginning of `text` and moves `text` past it. With two numbers, z is 0.
base::Result<Vector> nextVector(std::string_view field, std::string_view& text) {
    const auto end = text.find(')');
    Vector out{};
    std::size_t count = 0;
    bool good = text.starts_with('(') && end != std::string_view::npos;
    for (std::string_view rest = good ? text.substr(1, end) : std::string_view(); good && !rest.empty();) {
        const auto comma = rest.find_first_of(",)");
        const auto number = parseNumber(rest.substr(0, comma));
        good = number && count < 3 && *number >= -kMostPosition && *number <= kMostPosition;
        if (good) {
            out[count++] = *number;
        }
        rest.remove_prefix(comma + 1);
    }
    if (!good || count < 2) {
        return base::Error{fmt::format(
            "damaged: {} has \"{}\", it must be vectors of 2 or 3 finite numbers, such as (0,0,1)", field,
            base::oneLine(text, 60))};
    }
    text.remove_prefix(end + 1);
    return out;
}

base::Status readDirections(const Fields& fields, NrrdHeader& header) {
    const std::string value = valueOf(fields, "space directions");
    for (std::string_view text = trimmed(value); !text.empty(); text = trimmed(text)) {
        if (base::lowered(text.substr(0, 4)) == "none") {
            header.directions.emplace_back();
            text.remove_prefix(4);
            continue;
        }
        const auto vector = HIGHWATER_TRY(nextVector("space directions", text));
        header.directions.emplace_back(vector);
    }
    if (!header.directions.empty() && header.directions.size() != header.sizes.size()) {
        return base::Error{fmt::format("damaged: space directions has {} entries for {} axes",
                                       header.directions.size(), header.sizes.size())};
    }
    return {};
}

base::Status readPlace(const Fields& fields, NrrdHeader& header) {
    header.space = base::lowered(valueOf(fields, "space"));
    header.spaceUnits = wordsOf(valueOf(fields, "space units"));
    HIGHWATER_TRY(readDirections(fields, header));
    const std::string origin = valueOf(fields, "space origin");
    if (std::string_view text = origin; !text.empty() && base::lowered(text) != "none") {
        header.origin = HIGHWATER_TRY(nextVector("space origin", text));
    }
    if (const std::string value = valueOf(fields, "spacings"); !value.empty()) {
        header.spacings = HIGHWATER_TRY(parseNumbers("spacings", value, header.sizes.size()));
    }
    return {};
}

base::Status readSizes(const Fields& fields, NrrdHeader& header) {
    const auto dimension = parseWhole(valueOf(fields, "dimension"));
    if (!dimension || *dimension < 1 || *dimension > kMostAxes) {
        return base::Error{fmt::format("damaged: dimension is \"{}\", it must be 1 to {}",
                                       base::oneLine(valueOf(fields, "dimension"), 60), kMostAxes)};
    }
    header.sizes =
        HIGHWATER_TRY(parseWholes("sizes", valueOf(fields, "sizes"), static_cast<std::size_t>(*dimension)));
    for (const char* name : {"kinds", "units"}) {
        auto words = wordsOf(base::lowered(valueOf(fields, name)));
        if (!words.empty() && words.size() != header.sizes.size()) {
            return base::Error{fmt::format("damaged: {} has {} entries for {} axes", name, words.size(),
                                           header.sizes.size())};
        }
        (std::string_view(name) == "kinds" ? header.kinds : header.units) = std::move(words);
    }
    return {};
}

base::Status readSkips(const Fields& fields, NrrdHeader& header) {
    for (const char* name : {"line skip", "byte skip"}) {
        const std::string value = valueOf(fields, name);
        const auto skip = value.empty() ? std::optional<std::int64_t>(0) : parseWhole(value);
        if (!skip || *skip < -1) {
            return base::Error{fmt::format("damaged: {} is \"{}\", it must be a number of {}s", name,
                                           base::oneLine(value, 60), std::string_view(name).substr(0, 4))};
        }
        if (std::string_view(name) == "byte skip") {
            header.byteSkip = *skip;
        } else if (*skip != 0) {
            return base::Error{
                "a line skip is not supported; give a byte skip, or a data file with voxels only"};
        }
    }
    return {};
}

}  // namespace

bool looksLikeNrrd(std::string_view beginning) {
    return beginning.starts_with(kMagic);
}

base::Result<NrrdHeader> parseNrrdHeader(std::string_view text) {
    text = text.substr(0, kMostHeaderText);
    const std::size_t before = text.size();
    const auto magic = nextLine(text);
    if (!magic || magic->size() != 8 || magic->back() < '1' || magic->back() > '5') {
        return base::Error{"its first line must be NRRD0001 to NRRD0005"};
    }
    const auto fields = HIGHWATER_TRY(readFields(text));
    NrrdHeader header;
    header.bytes = before - text.size();
    header.type = base::lowered(valueOf(fields, "type"));
    header.encoding = base::lowered(valueOf(fields, "encoding"));
    header.endian = base::lowered(valueOf(fields, "endian"));
    header.dataFile = valueOf(fields, "data file");
    for (const auto read : {readSizes, readSkips, readPlace}) {
        HIGHWATER_TRY(read(fields, header));
    }
    return header;
}

}  // namespace highwater::scan::reader
