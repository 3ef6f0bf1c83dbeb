#include "core/wire/values_json.h"

namespace highwater::wire {

/// The keys are those of `predict --json`; of its layers only `activation_bytes` is kept.
Json predictedToJson(const Predicted& predicted) {
    return {{"target", predicted.target},
            {"peak_allocated_bytes",
             {{"low", predicted.low}, {"expected", predicted.expected}, {"high", predicted.high}}},
            {"exact", predicted.exact()},
            {"peak_by_category", ledgerToJson(predicted.peakByCategory)},
            {"step_ms",
             {{"low", numberOrNull(predicted.stepLow)},
              {"expected", numberOrNull(predicted.step)},
              {"high", numberOrNull(predicted.stepHigh)}}},
            {"activation_bytes", predicted.activationBytes},
            {"guesses", predicted.guesses}};
}

Predicted predictedFrom(Fields fields) {
    Predicted predicted;
    predicted.target = fields.text("target");
    Fields peak = fields.object("peak_allocated_bytes");
    predicted.low = peak.bytes("low");
    predicted.expected = peak.bytes("expected");
    predicted.high = peak.bytes("high");
    predicted.peakByCategory = ledgerFrom(fields.object("peak_by_category"));
    Fields step = fields.object("step_ms");
    predicted.stepLow = step.number("low");
    predicted.step = step.number("expected");
    predicted.stepHigh = step.number("high");
    for (const Json& bytes : fields.list("activation_bytes")) {
        const Json wrapped = {{"activation_bytes", bytes}};
        predicted.activationBytes.push_back(
            Fields(wrapped, "predicted", fields.error()).bytes("activation_bytes"));
    }
    for (const Json& guess : fields.list("guesses")) {
        const Json wrapped = {{"guesses", guess}};
        predicted.guesses.push_back(Fields(wrapped, "predicted", fields.error()).text("guesses"));
    }
    return predicted;
}

}  // namespace highwater::wire
