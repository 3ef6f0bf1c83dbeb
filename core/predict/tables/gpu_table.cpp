#include "core/predict/tables/gpu_table.h"

namespace highwater::predict {

namespace {

/// The switches that have an effect on this convolution.
GpuSwitches settled(const GpuConvolution& op) {
    GpuSwitches switches = op.switches;
    switches.tf32 = switches.tf32 && op.op.dtype == DType::Float32;
    return switches;
}

std::string rowName(const GpuConvolution& op) {
    return op.op.text() + " " + settled(op).text();
}

}  // namespace

GpuConvolution partOf(const GpuConvolution& op, ConvPart part) {
    ConvKey key = op.op;
    key.pass = part == ConvPart::Forward ? ConvKey::Pass::Forward : ConvKey::Pass::Backward;
    key.inputGradient = part == ConvPart::InputGradient;
    key.weightGradient = part == ConvPart::WeightGradient;
    key.gradientContiguous = true;
    key.bias = false;
    return {key, op.switches};
}

std::string partName(const GpuConvolution& op, ConvPart part) {
    return rowName(partOf(op, part));
}

bool hasPart(const ConvKey& pass, ConvPart part) {
    return part == ConvPart::Forward         ? pass.pass == ConvKey::Pass::Forward
           : part == ConvPart::InputGradient ? pass.inputGradient
                                             : pass.weightGradient;
}

std::string_view convPartKey(ConvPart part) {
    return part == ConvPart::Forward         ? "forward"
           : part == ConvPart::InputGradient ? "input_gradient"
                                             : "weight_gradient";
}

std::string GpuSwitches::text() const {
    std::string words;
    const auto say = [&](bool on, const char* word) {
        if (on) {
            words += (words.empty() ? "" : ",") + std::string(word);
        }
    };
    say(tf32, "tf32");
    say(benchmark, "benchmark");
    say(deterministic, "deterministic");
    return words.empty() ? "-" : words;
}

std::optional<GpuSwitches> parseGpuSwitches(std::string_view text) {
    for (unsigned bits = 0; bits < 8; ++bits) {
        const GpuSwitches switches{(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0};
        if (switches.text() == text) {
            return switches;
        }
    }
    return std::nullopt;
}

void GpuTable::add(const GpuConvolution& op, const GpuOpRow& row) {
    rows_.insert_or_assign(rowName(op), row);
    const auto part = [&](ConvPart which, const std::optional<base::Bytes>& bytes) {
        if (bytes) {
            parts_.insert_or_assign(partName(op, which), *bytes);
        }
    };
    part(ConvPart::Forward, row.forward);
    part(ConvPart::InputGradient, row.inputGradient);
    part(ConvPart::WeightGradient, row.weightGradient);
}

const GpuOpRow* GpuTable::find(const GpuConvolution& op) const {
    const auto at = rows_.find(rowName(op));
    return at == rows_.end() ? nullptr : &at->second;
}

std::optional<base::Bytes> GpuTable::workspace(const GpuConvolution& op, ConvPart part) const {
    const auto at = parts_.find(partName(op, part));
    return at == parts_.end() ? std::nullopt : std::optional(at->second);
}

void GpuTable::join(const GpuTable& other) {
    for (auto [name, row] : other.rows_) {
        if (other.key_.device != key_.device) {
            row.microseconds = 0;
        }
        rows_.emplace(name, row);
    }
    for (const auto& part : other.parts_) {
        parts_.insert(part);
    }
    if (machine.empty()) {
        machine = other.machine;
    }
}

}  // namespace highwater::predict
