#include "core/scan/reader/text/meta_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include "core/base/text.h"
#include "core/scan/reader/bytes/axes.h"
#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

constexpr std::int64_t kMostMetaAxes = 10;  // MetaIO's own limit

/// The "Name = value" lines; a field may have several names.
class MetaFields {
public:
    static base::Result<MetaFields> read(std::string_view& text) {
        MetaFields out;
        while (const auto line = nextLine(text)) {
            const auto equals = line->find_first_of("=:");
            const auto name = trimmed(line->substr(0, equals));
            if (equals == std::string_view::npos) {
                if (name.empty()) {
                    continue;
                }
                return base::Error{fmt::format("damaged: the header's line \"{}\" has no \" = \" in it",
                                               base::oneLine(*line, 60))};
            }
            if (!out.values_.emplace(name, trimmed(line->substr(equals + 1))).second && name != "Comment") {
                return base::Error{
                    fmt::format("damaged: the header has the field {} twice", base::oneLine(name, 60))};
            }
            if (name == "ElementDataFile") {
                return out;
            }
        }
        return base::Error{"truncated: the header has no end (a line \"ElementDataFile = ...\")"};
    }

    std::string get(std::initializer_list<std::string_view> names) const {
        for (std::string_view name : names) {
            if (const auto found = values_.find(name); found != values_.end()) {
                return found->second;
            }
        }
        return {};
    }

private:
    std::map<std::string, std::string, std::less<>> values_;
};

base::Status readFlag(const MetaFields& fields, std::initializer_list<std::string_view> names, bool& flag) {
    const std::string value = fields.get(names);
    if (value.empty()) {
        return {};
    }
    const char first = base::lowered(value).front();
    if (first != 't' && first != 'f' && first != '0' && first != '1') {
        return base::Error{fmt::format("damaged: {} is \"{}\", it must be True or False", *names.begin(),
                                       base::oneLine(value, 60))};
    }
    flag = first == 't' || first == '1';
    return {};
}

base::Status readBytes(const MetaFields& fields, std::string_view name, base::Bytes least,
                       base::Bytes& bytes) {
    const std::string value = fields.get({name});
    const auto number = value.empty() ? std::optional(bytes) : parseWhole(value);
    if (!number || *number < least) {
        return base::Error{fmt::format("damaged: {} is \"{}\", it must be a number of bytes", name,
                                       base::oneLine(value, 60))};
    }
    bytes = *number;
    return {};
}

base::Status readNumbers(const MetaFields& fields, std::initializer_list<std::string_view> names,
                         std::size_t count, std::vector<double>& numbers) {
    const std::string value = fields.get(names);
    if (value.empty()) {
        return {};
    }
    numbers = HIGHWATER_TRY(parseNumbers(*names.begin(), value, count));
    return {};
}

base::Status readScaling(const MetaFields& fields, MetaHeader& header) {
    std::vector<double> slope{1}, intercept{0};
    HIGHWATER_TRY(readNumbers(fields, {"ElementToIntensityFunctionSlope"}, 1, slope));
    HIGHWATER_TRY(readNumbers(fields, {"ElementToIntensityFunctionOffset"}, 1, intercept));
    header.slope = slope.front();
    header.intercept = intercept.front();
    return {};
}

base::Status checkKind(const MetaFields& fields) {
    const std::string object = fields.get({"ObjectType"});
    if (!object.empty() && object != "Image") {
        return base::Error{fmt::format("its object is a {}, not an Image", base::oneLine(object, 60))};
    }
    bool binary = true;
    HIGHWATER_TRY(readFlag(fields, {"BinaryData"}, binary));
    if (!binary) {
        return base::Error{
            "voxels written as text (BinaryData = False) are not supported; save them as binary"};
    }
    const std::string channels = fields.get({"ElementNumberOfChannels"});
    if (!channels.empty() && parseWhole(channels) != 1) {
        return base::Error{fmt::format("voxels of {} channels are not supported; save one file per channel",
                                       base::oneLine(channels, 20))};
    }
    return {};
}

base::Status readSizes(const MetaFields& fields, MetaHeader& header) {
    const std::string axes = fields.get({"NDims"});
    const auto count = parseWhole(axes);
    if (!count || *count < 1 || *count > kMostMetaAxes) {
        return base::Error{fmt::format("damaged: NDims is \"{}\", it must be 1 to {}",
                                       base::oneLine(axes, 60), kMostMetaAxes)};
    }
    header.sizes =
        HIGHWATER_TRY(parseWholes("DimSize", fields.get({"DimSize"}), static_cast<std::size_t>(*count)));
    return {};
}

base::Status readPlace(const MetaFields& fields, MetaHeader& header) {
    const std::size_t axes = header.sizes.size();
    HIGHWATER_TRY(readNumbers(fields, {"ElementSpacing", "ElementSize"}, axes, header.spacing));
    HIGHWATER_TRY(readNumbers(fields, {"Offset", "Position", "Origin"}, axes, header.offset));
    HIGHWATER_TRY(
        readNumbers(fields, {"TransformMatrix", "Rotation", "Orientation"}, axes * axes, header.matrix));
    const auto bad = [](double value) { return !(value >= -kMostPosition && value <= kMostPosition); };
    if (std::any_of(header.offset.begin(), header.offset.end(), bad)) {
        return base::Error{"damaged: Offset has values that are not a number of millimeters"};
    }
    if (std::any_of(header.matrix.begin(), header.matrix.end(), bad)) {
        return base::Error{"damaged: TransformMatrix has values that are not numbers"};
    }
    return {};
}

base::Status readData(const MetaFields& fields, MetaHeader& header) {
    header.type = fields.get({"ElementType"});
    const std::string file = fields.get({"ElementDataFile"});
    const std::string lower = base::lowered(file);
    if (lower == "list" || lower.starts_with("list ") || file.find('%') != std::string::npos) {
        return base::Error{"voxels in several data files are not supported; save it as one .mha file"};
    }
    header.dataFile = lower == "local" ? "" : file;
    if (file.empty()) {
        return base::Error{"damaged: ElementDataFile is empty, it must be LOCAL or the name of a file"};
    }
    HIGHWATER_TRY(readFlag(fields, {"ElementByteOrderMSB", "BinaryDataByteOrderMSB"}, header.bigEndian));
    HIGHWATER_TRY(readFlag(fields, {"CompressedData"}, header.compressed));
    HIGHWATER_TRY(readBytes(fields, "CompressedDataSize", 0, header.compressedBytes));
    return readBytes(fields, "HeaderSize", -1, header.headerBytes);
}

}  // namespace

bool looksLikeMeta(std::string_view beginning) {
    constexpr std::string_view kFirst[] = {"ObjectType", "NDims", "Comment", "ID", "Name", "ObjectSubType"};
    const auto line = nextLine(beginning);
    if (!line) {
        return false;
    }
    const auto equals = line->find_first_of("=:");
    const auto name = trimmed(line->substr(0, equals));
    return equals != std::string_view::npos &&
           std::find(std::begin(kFirst), std::end(kFirst), name) != std::end(kFirst);
}

base::Result<MetaHeader> parseMetaHeader(std::string_view text) {
    text = text.substr(0, kMostHeaderText);
    const std::size_t before = text.size();
    const auto fields = HIGHWATER_TRY(MetaFields::read(text));
    MetaHeader header;
    header.bytes = before - text.size();
    HIGHWATER_TRY(checkKind(fields));
    for (const auto read : {readSizes, readPlace, readData, readScaling}) {
        HIGHWATER_TRY(read(fields, header));
    }
    return header;
}

}  // namespace highwater::scan::reader
