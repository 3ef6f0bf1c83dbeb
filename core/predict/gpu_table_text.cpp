#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/predict/gpu_table.h"
#include "core/predict/profile.h"

namespace highwater::predict {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;

constexpr std::string_view kSchema = "highwater.gpu-table/1";
constexpr std::size_t kMostRows = 200000;
constexpr base::Bytes kMostBytes = base::Bytes{1} << 52;
constexpr double kMostMicroseconds = 1e12;

// --- the header

/// As a profile's file may be called.
bool isProfileId(std::string_view id) {
    return !id.empty() && id.size() <= 40 &&
           id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

base::Result<GpuTable> parseHeader(std::string_view line, std::string_view name) {
    const auto json = base::parseJson(line, name);
    if (!json)
        return json.error();
    JsonReader head(*json, "");
    if (head.text("schema") != kSchema && !head.failed())
        head.fail("schema", fmt::format("must be \"{}\"", kSchema));
    GpuKey key;
    key.libtorch = head.text("libtorch");
    if (const auto version = parseTorchVersion(key.libtorch); !version || toText(*version) != key.libtorch)
        head.fail("libtorch", "must be a release such as \"2.11\"");
    key.cudnn = head.text("cudnn");
    if (const auto version = parseCudnnVersion(key.cudnn); !version || toText(*version) != key.cudnn)
        head.fail("cudnn", "must be a version such as \"9.19.0\"");
    key.architecture = static_cast<int>(head.integer("architecture", 50, 200));
    key.device = head.text("device");
    if (!head.failed() && !isProfileId(key.device))
        head.fail("device", "must be a profile's id, such as \"h200\"");
    GpuTable table(key);
    table.machine = head.text("machine", "");
    if (const base::Status status = head.finish(); !status)
        return Error{fmt::format("{}: line 1: {}", name, status.error().message)};
    return table;
}

// --- rows

/// The next word of a line, taken off.
std::string_view takeWord(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

template <class Number>
bool readNumber(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// Takes `mark` and bytes off the line where the pass has that part.
bool takeWorkspace(std::string_view& line, bool wanted, std::string_view mark,
                   std::optional<base::Bytes>& workspace) {
    if (!wanted)
        return true;
    const std::string_view word = takeWord(line);
    base::Bytes bytes = 0;
    if (!word.starts_with(mark) || !readNumber(word.substr(mark.size()), bytes) || bytes < 0 ||
        bytes > kMostBytes)
        return false;
    workspace = bytes;
    return true;
}

/// What is wrong with the line; empty: nothing.
std::string readRow(std::string_view line, GpuTable& table) {
    const auto key = parseConvKey(takeWord(line));
    if (!key)
        return key.error().message;
    const bool backward = key->pass == ConvKey::Pass::Backward;
    if (backward && !key->inputGradient && !key->weightGradient)
        return "a backward pass without a wanted gradient";
    const std::string_view word = takeWord(line);
    const auto switches = parseGpuSwitches(word);
    if (!switches || (switches->tf32 && key->dtype != DType::Float32))
        return fmt::format(
            "\"{}\": after the convolution its switches are needed: -, or of "
            "tf32,benchmark,deterministic those that are on (tf32 with fp32 alone)",
            base::oneLine(word, 40));
    GpuOpRow row;
    if (!readNumber(takeWord(line), row.microseconds) ||
        !(row.microseconds >= 0 && row.microseconds <= kMostMicroseconds))
        return "after the switches its microseconds are needed, 0 where not timed";
    if (!takeWorkspace(line, !backward, "f:", row.forward) ||
        !takeWorkspace(line, key->inputGradient, "i:", row.inputGradient) ||
        !takeWorkspace(line, key->weightGradient, "w:", row.weightGradient) || !line.empty())
        return "a row ends with its workspaces: f:BYTES forward; i:BYTES and w:BYTES for the gradients of "
               "input and weight that it has";
    const std::size_t before = table.size();
    table.add({*key, *switches}, row);
    return table.size() == before ? "this convolution has a row already" : "";
}

void writeRow(std::string& text, const std::string& name, const GpuOpRow& row) {
    fmt::format_to(std::back_inserter(text), "{} {}", name, row.microseconds);
    const auto say = [&](char mark, const std::optional<base::Bytes>& bytes) {
        if (bytes)
            fmt::format_to(std::back_inserter(text), " {}:{}", mark, *bytes);
    };
    say('f', row.forward);
    say('i', row.inputGradient);
    say('w', row.weightGradient);
    text += '\n';
}

}  // namespace

base::Result<GpuTable> parseGpuTable(std::string_view text, std::string_view name) {
    std::size_t end = std::min(text.find('\n'), text.size());
    auto table = parseHeader(text.substr(0, end), name);
    for (std::size_t number = 2; table && end < text.size(); ++number) {
        const std::size_t begin = end + 1;
        end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (line.empty())
            continue;
        const std::string wrong =
            table->size() == kMostRows ? fmt::format("more than {} rows", kMostRows) : readRow(line, *table);
        if (!wrong.empty())
            return Error{fmt::format("{}: line {}: {}", name, number, wrong)};
    }
    return table;
}

std::string writeGpuTable(const GpuTable& table) {
    const GpuKey& key = table.key();
    const Json head{{"schema", kSchema},    {"libtorch", key.libtorch},
                    {"cudnn", key.cudnn},   {"architecture", key.architecture},
                    {"device", key.device}, {"machine", table.machine}};
    std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    std::vector<const std::pair<const std::string, GpuOpRow>*> rows;
    for (const auto& row : table.rows())
        rows.push_back(&row);
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const auto* row : rows)
        writeRow(text, row->first, row->second);
    return text;
}

}  // namespace highwater::predict
