#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/study/claim.h"

namespace highwater::study::testing {

using Json = nlohmann::ordered_json;

/// A claim with two experiments, "a" and "b"; `change` is merged into it.
inline Json sampleClaim(const Json& change = Json::object()) {
    Json json = Json::parse(R"({
        "schema": "highwater.claim/1", "id": "S2.memory", "row": "S2", "statement": "a needs less than b.",
        "experiments": {
            "a": {"schema": "highwater.experiment/1", "input": {"synthetic": [1, 8, 8]},
                  "stack": [{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1},
                            {"type": "relu"},
                            {"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]},
            "b": {"base": "a", "set": {"/step/batch_size": 2}}},
        "quantity": "peak_allocated_bytes",
        "rule": {"left": "a", "compare": "less", "right": "b"},
        "steps": 2, "trial": {"repeats_least": 1, "repeats_most": 1}})");
    json.merge_patch(change);
    return json;
}

inline base::Result<Claim> parsed(const Json& json) {
    return parseClaim(json.dump(), "claim", "/nowhere");
}

inline Claim claimOf(const Json& change = Json::object()) {
    auto claim = parsed(sampleClaim(change));
    return claim ? *claim : throw std::runtime_error(claim.error().message);
}

}  // namespace highwater::study::testing
