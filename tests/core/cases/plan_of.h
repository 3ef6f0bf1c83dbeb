#pragma once

#include <gtest/gtest.h>

#include <fstream>

#include "core/cases/cases.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/core/temporary_folder.h"

namespace highwater::cases::testing {

using Json = nlohmann::ordered_json;

/// newerPlans() with a spacing; `change` is merged into each configuration with a network of its own.
inline Json plansWithSpacing(const Json& spacing = {1.5, 1.0, 1.0}, const Json& change = Json::object()) {
    Json plans = stack::testing::newerPlans();
    for (const char* name : {"3d_fullres", "resenc"}) {
        plans["configurations"][name]["spacing"] = spacing;
        plans["configurations"][name].merge_patch(change);
    }
    return plans;
}

inline base::Result<stack::NnunetInference> readPlan(const Json& plans, const stack::NnunetOptions& options,
                                                     const Json& dataset = {}) {
    const highwater::test::TemporaryFolder folder;
    std::ofstream(folder.path() / "nnUNetPlans.json") << plans.dump();
    if (!dataset.is_null()) {
        std::ofstream(folder.path() / "dataset.json") << dataset.dump();
    }
    return stack::readNnunetInference(folder.path() / "nnUNetPlans.json", options);
}

inline stack::NnunetInference planOf(const Json& plans, std::int64_t classes = 5,
                                     const std::string& configuration = "3d_fullres") {
    stack::NnunetOptions options;
    options.classes = classes;
    options.configuration = configuration;
    const auto plan = readPlan(plans, options);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? *plan : stack::NnunetInference{};
}

/// A scan of columns x rows x slices.
inline volume::Geometry geometryOf(const std::array<std::int64_t, 3>& size,
                                   const std::array<double, 3>& spacing) {
    volume::Geometry geometry;
    geometry.size = size;
    geometry.spacing = spacing;
    return geometry;
}

}  // namespace highwater::cases::testing
