#include <fmt/format.h>

#include "core/base/text.h"
#include "core/predict/tables/gpu_table.h"
#include "core/predict/tables/profile.h"
#include "core/predict/tables/table_text.h"

namespace highwater::predict {

namespace {

using namespace table_text;

// --- the header

template <class Way>
void gpuHead(Way& way, base::Exchanged<Way, GpuKey>& key, base::Exchanged<Way, std::string>& machine) {
    const auto canonical = [](const auto& version, const std::string& text) {
        return version && toText(*version) == text;
    };
    way.format("schema", "highwater.gpu-table/1");
    way("libtorch", key.libtorch);
    way.check(canonical(parseTorchVersion(key.libtorch), key.libtorch), "libtorch",
              "must be a release such as \"2.11\"");
    way("cudnn", key.cudnn);
    way.check(canonical(parseCudnnVersion(key.cudnn), key.cudnn), "cudnn",
              "must be a version such as \"9.19.0\"");
    way("architecture", key.architecture, base::Whole{50, 200});
    way("device", key.device);
    way.check(isProfileId(key.device), "device", "must be a profile's id, such as \"h200\"");
    way.olderWithout("machine", machine);
}

base::Result<GpuTable> parseGpuHeader(std::string_view line, std::string_view name) {
    GpuKey key;
    std::string machine;
    HIGHWATER_TRY(readHead(line, name, [&](auto& way) { gpuHead(way, key, machine); }));
    GpuTable table(key);
    table.machine = machine;
    return table;
}

// --- rows

/// If the pass has that part (`wanted`), consumes `mark` and a number of bytes from the line.
bool takeWorkspace(std::string_view& line, bool wanted, std::string_view mark,
                   std::optional<base::Bytes>& workspace) {
    if (!wanted) {
        return true;
    }
    const std::string_view word = takeWord(line);
    base::Bytes bytes = 0;
    if (!word.starts_with(mark) || !base::readNumber(word.substr(mark.size()), bytes) || bytes < 0 ||
        bytes > kMostBytes) {
        return false;
    }
    workspace = bytes;
    return true;
}

/// Returns an error message for the line; empty if it is valid.
std::string readGpuRow(std::string_view line, GpuTable& table) {
    const auto key = parseConvKey(takeWord(line));
    if (!key) {
        return key.error().message;
    }
    const bool backward = key->pass == ConvKey::Pass::Backward;
    if (backward && !key->inputGradient && !key->weightGradient) {
        return "a backward pass without a wanted gradient";
    }
    const std::string_view word = takeWord(line);
    const auto switches = parseGpuSwitches(word);
    if (!switches || (switches->tf32 && key->dtype != DType::Float32)) {
        return fmt::format(
            "\"{}\": after the convolution its switches are needed: -, or of "
            "tf32,benchmark,deterministic those that are on (tf32 with fp32 alone)",
            base::oneLine(word, 40));
    }
    GpuOpRow row;
    if (!takeMicroseconds(line, row.microseconds)) {
        return "after the switches its microseconds are needed, 0 where not timed";
    }
    if (!takeWorkspace(line, !backward, "f:", row.forward) ||
        !takeWorkspace(line, key->inputGradient, "i:", row.inputGradient) ||
        !takeWorkspace(line, key->weightGradient, "w:", row.weightGradient) || !line.empty()) {
        return "a row ends with its workspaces: f:BYTES forward; i:BYTES and w:BYTES for the gradients of "
               "input and weight that it has";
    }
    const std::size_t before = table.size();
    table.add({*key, *switches}, row);
    return table.size() == before ? "this convolution already has a row" : "";
}

void writeGpuRow(std::string& text, const std::string& name, const GpuOpRow& row) {
    fmt::format_to(std::back_inserter(text), "{} {}", name, row.microseconds);
    const auto say = [&](char mark, const std::optional<base::Bytes>& bytes) {
        if (bytes) {
            fmt::format_to(std::back_inserter(text), " {}:{}", mark, *bytes);
        }
    };
    say('f', row.forward);
    say('i', row.inputGradient);
    say('w', row.weightGradient);
    text += '\n';
}

}  // namespace

base::Result<GpuTable> parseGpuTable(std::string_view text, std::string_view name) {
    return table_text::parse(text, name, parseGpuHeader, readGpuRow);
}

std::string writeGpuTable(const GpuTable& table) {
    return table_text::write([&](auto& way) { gpuHead(way, table.key(), table.machine); }, table.rows(),
                             writeGpuRow);
}

}  // namespace highwater::predict
