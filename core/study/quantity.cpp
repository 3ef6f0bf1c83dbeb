#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/study/claim.h"

namespace highwater::study {

namespace {

using base::Error;
using Kind = Quantity::Kind;

enum class Detail { None, Needed, Optional };

struct Row {
    Kind kind;
    std::string_view key, unit, words;  // in words, {} stands for the detail
    Detail detail = Detail::None;
};

// In the order of Kind.
constexpr std::array<Row, 15> kRows = {{
    {Kind::PeakAllocated, "peak_allocated_bytes", "B", "peak memory of the tensors"},
    {Kind::PeakReserved, "peak_reserved_bytes", "B", "memory that the allocator reserved"},
    {Kind::PeakRss, "peak_rss_bytes", "B", "memory of the whole process"},
    {Kind::Category, "category", "B", "{} at the peak", Detail::Needed},
    {Kind::KeptActivations, "kept_activations", "B", "activations kept by {}", Detail::Optional},
    {Kind::Parameters, "parameters", "", "parameters"},
    {Kind::OutputSize, "output_size", "", "length of the output{}", Detail::Optional},
    {Kind::OutputElements, "output_elements", "", "values of the output{}", Detail::Optional},
    {Kind::StepMs, "step_ms", "ms", "time of a step"},
    {Kind::Throughput, "throughput_samples_per_s", "1/s", "samples per second"},
    {Kind::PhaseMs, "phase_ms", "ms", "time in {}", Detail::Needed},
    {Kind::PhaseShare, "phase_share", "", "share of {} in a step", Detail::Needed},
    {Kind::Loss, "loss", "", "loss of the last step"},
    {Kind::Chosen, "chosen", "", "largest that fits"},
    {Kind::Pointer, "", "", "{} of the result", Detail::Needed},
}};

const Row& rowOf(Kind kind) {
    return kRows[static_cast<std::size_t>(kind)];
}

bool isCategory(std::string_view word) {
    return std::any_of(memory::kCategories.begin(), memory::kCategories.end(),
                       [word](memory::Category c) { return memory::categoryKey(c) == word; });
}

bool isStepPhase(std::string_view word) {
    const auto phase = memory::phaseFromKey(word);
    return phase && *phase != memory::Phase::Setup;
}

bool isPointer(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) {
            return false;
        }
    }
    return text.starts_with('/');
}

std::string known() {
    std::string words;
    for (const Row& row : kRows) {
        if (row.kind != Kind::Pointer) {
            words += fmt::format("{}{}{}", words.empty() ? "" : ", ", row.key,
                                 row.detail == Detail::None       ? ""
                                 : row.kind == Kind::Category     ? ":CATEGORY"
                                 : row.detail == Detail::Optional ? "[:LAYER]"
                                                                  : ":PHASE");
        }
    }
    return words + ", or a JSON Pointer into the result";
}

base::Status checkDetail(const Quantity& q, std::string_view text) {
    const auto wrong = [text](std::string_view what) {
        return Error{fmt::format("\"{}\" {}", base::oneLine(text, 80), what)};
    };
    const Detail wanted = rowOf(q.kind).detail;
    if (wanted == Detail::None && !q.detail.empty()) {
        return wrong("takes no name after the colon");
    }
    if (wanted == Detail::Needed && q.detail.empty()) {
        return wrong("needs a name after a colon, such as category:activations or phase_share:data");
    }
    if (q.kind == Kind::Category && !isCategory(q.detail)) {
        return wrong(
            "names no category; there are input, parameters, optimizer_state, gradients, activations, "
            "workspace, temporaries");
    }
    if ((q.kind == Kind::PhaseMs || q.kind == Kind::PhaseShare) && !isStepPhase(q.detail)) {
        return wrong("names no phase; there are data, forward, recompute, backward, optimizer");
    }
    return {};
}

std::string spaced(std::string text) {
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

}  // namespace

base::Result<Quantity> parseQuantity(std::string_view text) {
    Quantity made;
    if (text.starts_with('/')) {
        if (!isPointer(text)) {
            return Error{fmt::format("\"{}\" is not a JSON Pointer: ~ stands only in ~0 and ~1",
                                     base::oneLine(text, 80))};
        }
        return Quantity{Kind::Pointer, std::string(text)};
    }
    const std::size_t colon = text.find(':');
    const std::string_view key = text.substr(0, colon);
    const auto row = std::find_if(kRows.begin(), kRows.end(),
                                  [key](const Row& r) { return r.kind != Kind::Pointer && r.key == key; });
    if (row == kRows.end()) {
        return Error{fmt::format("\"{}\" is not a quantity; there are {}", base::oneLine(text, 80), known())};
    }
    made.kind = row->kind;
    if (colon != std::string_view::npos) {
        made.detail = text.substr(colon + 1);
    }
    if (colon != std::string_view::npos && made.detail.empty()) {
        return Error{fmt::format("\"{}\" has nothing after its colon", base::oneLine(text, 80))};
    }
    HIGHWATER_TRY(checkDetail(made, text));
    return made;
}

std::string toText(const Quantity& quantity) {
    if (quantity.kind == Kind::Pointer) {
        return quantity.detail;
    }
    const std::string key(rowOf(quantity.kind).key);
    return quantity.detail.empty() ? key : key + ":" + quantity.detail;
}

std::string wordsOf(const Quantity& quantity) {
    const std::string& detail = quantity.detail;
    std::string shown = spaced(detail);
    if (quantity.kind == Kind::KeptActivations) {
        shown = detail.empty() ? "all layers" : "`" + detail + "`";
    } else if (quantity.kind == Kind::OutputSize || quantity.kind == Kind::OutputElements) {
        shown = detail.empty() ? "" : " of `" + detail + "`";
    } else if (quantity.kind == Kind::Pointer) {
        shown = detail;
    }
    std::string words(rowOf(quantity.kind).words);
    if (const std::size_t at = words.find("{}"); at != std::string::npos) {
        words.replace(at, 2, shown);
    }
    return words;
}

std::string_view unitOf(const Quantity& quantity) {
    return rowOf(quantity.kind).unit;
}

std::string formatValue(const Quantity& quantity, double value) {
    if (!std::isfinite(value)) {
        return "not measured";
    }
    const bool whole = std::fabs(value) < 9e15 && value == std::floor(value);
    switch (quantity.kind) {
        case Kind::Parameters:
        case Kind::OutputElements:
            return whole ? base::formatCount(static_cast<std::int64_t>(value)) : base::formatNumber(value);
        case Kind::OutputSize:
        case Kind::Chosen:
            return fmt::format("{:.6g}", value);
        case Kind::Throughput:
            return base::formatNumber(value) + " /s";
        case Kind::PhaseShare:
            return fmt::format("{:.1f} %", 100 * value);
        case Kind::Loss:
            return fmt::format("{:.9g}", value);
        default:
            break;
    }
    if (unitOf(quantity) == "B") {
        return base::formatBytes(static_cast<base::Bytes>(std::llround(std::clamp(value, -9e18, 9e18))));
    }
    return unitOf(quantity) == "ms" ? base::formatMillis(value) : base::formatNumber(value);
}

}  // namespace highwater::study
