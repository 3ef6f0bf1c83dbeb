#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "core/base/file.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/json/places.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::stack {
namespace {

using Json = nlohmann::ordered_json;

/// Replaces some values, so that the text stays JSON and reaches the later checks.
std::string struck(Json json, std::uint64_t seed) {
    static const std::vector<Json> values = {nullptr,
                                             true,
                                             0,
                                             1,
                                             -1,
                                             2.5,
                                             1e300,
                                             32,
                                             18446744073709551615U,
                                             1048576,
                                             "3d_fullres",
                                             "ResidualEncoderUNet",
                                             "",
                                             Json::array(),
                                             Json::object(),
                                             Json::array({1, 1}),
                                             Json::array({1048576, 1048576, 1048576}),
                                             Json::array({100, 100, 100, 100, 100, 100})};
    std::mt19937_64 random(seed);
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        std::vector<Json::json_pointer> all;
        testing::places(json, Json::json_pointer(), all);
        const auto at = all[random() % all.size()];
        if (random() % 4 == 0 && !at.empty() && json[at.parent_pointer()].is_object()) {
            json[at.parent_pointer()].erase(at.back());
        } else {
            json[at] = values[random() % values.size()];
        }
    }
    return json.dump();
}

TEST(NnunetFuzz, GivesAValidExperimentOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(3000);
    std::vector<std::pair<Json, std::vector<std::string>>> seeds = {
        {testing::newerPlans(), {"3d_fullres", "resenc", "chain"}}};
    const std::filesystem::path real =
        std::filesystem::path(HIGHWATER_SOURCE_DIR) / ".." / "shared" / "plans" / "nextou-nnUNetPlans.json";
    if (std::filesystem::exists(real)) {
        seeds.push_back(
            {Json::parse(*base::readFile(real)), {"2d", "3d_fullres_nextou", "3d_cascade_fullres"}});
    }
    std::uint64_t made = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto& [plans, names] = seeds[round % seeds.size()];
        const std::string text = round % 3 == 0 ? fuzz::mutate(plans.dump(), round) : struck(plans, round);
        NnunetOptions options;
        options.configuration = names[round % names.size()];
        const auto imported = importNnunet(text, "fuzz", options);
        if (const auto all = nnunetConfigurations(text, "fuzz"); !all) {
            fuzz::expectOneLine(all.error().message);
        }
        if (!imported) {
            fuzz::expectOneLine(imported.error().message);
            continue;
        }
        ++made;
        EXPECT_TRUE(inferShapes(imported->experiment));
    }
    EXPECT_GT(made, rounds / 20);
    EXPECT_LT(made, rounds);
}

}  // namespace
}  // namespace highwater::stack
