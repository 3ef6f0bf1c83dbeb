#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/base/file.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/study/sample_claim.h"

/// The claims shipped with the program.
namespace highwater::study::testing {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(HIGHWATER_SOURCE_DIR) / "resources" / "claims";

std::vector<Claim> shipped() {
    auto claims = loadClaims(kFolder);
    EXPECT_TRUE(claims) << claims.error().message;
    return claims ? *claims : std::vector<Claim>();
}

TEST(ClaimsBook, CoversEveryRowOfTheSources) {
    std::set<std::string> rows, ids;
    for (const Claim& claim : shipped()) {
        rows.insert(claim.row);
        EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
        EXPECT_TRUE(claim.id.starts_with(claim.row + ".")) << claim.id;
        EXPECT_TRUE(std::filesystem::exists(kFolder / (claim.id + ".json"))) << claim.id;
        EXPECT_TRUE(claim.statement.ends_with(".")) << claim.id;
        EXPECT_FALSE(claim.about.empty()) << claim.id;
        EXPECT_TRUE(claim.expected) << claim.id;
        EXPECT_EQ(claim.expected == Verdict::NotTestable, claim.needsCuda) << claim.id;
        EXPECT_EQ(claim.needsCuda || claim.needsCpu, !claim.needsBecause.empty()) << claim.id;
    }
    for (int row = 1; row <= 12; ++row) {
        EXPECT_TRUE(rows.contains("S" + std::to_string(row))) << "S" << row;
    }
    EXPECT_EQ(rows.size(), 12U);
    EXPECT_GE(ids.size(), 25U);
}

TEST(ClaimsBook, FitsItsSchema) {
    highwater::testing::SchemaCheck check;
    for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
        std::ifstream in(file.path());
        EXPECT_EQ(check.problem("claim.json", nlohmann::json::parse(in)), "") << file.path();
    }
}

void expectSupported(const Claim& claim, const Subject& subject, bool cuda) {
    const auto info = stack::inferShapes(subject.experiment);
    ASSERT_TRUE(info) << claim.id << ": " << subject.name << ": " << info.error().message;
    const auto status = stack::checkSupported(subject.experiment, *info, cuda);
    EXPECT_TRUE(status) << claim.id << ": " << subject.name << ": " << status.error().message;
}

TEST(ClaimsBook, RunsOnTheDevicesItNames) {
    for (const Claim& claim : shipped()) {
        for (const bool cuda : {false, true}) {
            if ((claim.needsCuda && !cuda) || (claim.needsCpu && cuda)) {
                continue;
            }
            for (const Subject& subject : claim.experiments) {
                expectSupported(claim, subject, cuda);
            }
            for (const Claim::Fit& fit : claim.fits) {
                for (const Subject& subject : fit.subjects) {
                    expectSupported(claim, subject, cuda);
                }
            }
            if (claim.along) {
                for (const auto& variant : claim.along->variants) {
                    for (const Subject& subject : variant) {
                        expectSupported(claim, subject, cuda);
                    }
                }
            }
        }
    }
}

/// Bytes are the same in every run, so one run is enough; times need pairs.
TEST(ClaimsBook, RepeatsWhatIsTimed) {
    for (const Claim& claim : shipped()) {
        for (const Condition& condition : claim.conditions) {
            const auto kind = condition.quantity.kind;
            const bool timed = kind == Quantity::Kind::StepMs || kind == Quantity::Kind::Throughput ||
                               kind == Quantity::Kind::PhaseMs || kind == Quantity::Kind::PhaseShare;
            if (timed) {
                EXPECT_GE(claim.trial.repeatsLeast, 3) << claim.id;
                EXPECT_TRUE(claim.trial.interleave) << claim.id;
            }
        }
    }
}

}  // namespace
}  // namespace highwater::study::testing
