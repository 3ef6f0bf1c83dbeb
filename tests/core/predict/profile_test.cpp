#include "core/predict/tables/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/core/stack/json/schema_check.h"
#include "tests/core/temporary_folder.h"

namespace highwater::predict {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const std::filesystem::path kProfiles = std::filesystem::path(HIGHWATER_SOURCE_DIR) / "resources/profiles";

TEST(Profiles, AreThoseOfTheContractInItsOrder) {
    const auto profiles = loadProfiles();
    ASSERT_TRUE(profiles) << profiles.error().message;
    std::vector<std::string> ids;
    for (const auto& profile : *profiles) {
        ids.push_back(profile.id);
    }
    EXPECT_THAT(
        ids, ElementsAre("h100", "h200", "a100-40", "a100-80", "l40s", "rtx4090", "rtx3090", "rtx3060", "t4",
                         "v100", "b200", "l4", "a10", "a40", "p100", "a6000", "rtx5090", "rtx5080", "rtx4080",
                         "rtx4070", "rtx4060", "rtx4070-laptop", "rtx4060-laptop", "rtx3080", "rtx3070",
                         "rtx2080ti", "rtx6000-ada", "rtx-pro-6000", "a4000", "a5000", "rtx5070", "rtx5070ti",
                         "rtx3060-laptop", "rtx3080ti", "gtx1080ti", "titan-rtx", "quadro-rtx5000",
                         "quadro-rtx6000", "gb10"));
}

TEST(Profiles, FitTheSchema) {
    ::highwater::testing::SchemaCheck check;
    const auto profiles = loadProfiles();
    for (const auto& profile : *profiles) {
        std::ifstream in(kProfiles / (profile.id + ".json"));
        EXPECT_EQ(check.problem("profile.json", Json::parse(in)), "") << profile.id;
    }
}

TEST(Profiles, StateWhatEachGenerationHas) {
    const auto profiles = loadProfiles();
    for (const auto& profile : *profiles) {
        SCOPED_TRACE(profile.id);
        const bool measured = profile.id == "h200";  // tests/gpu/reference
        EXPECT_EQ(profile.memorySource,
                  measured ? DeviceProfile::Source::Measured : DeviceProfile::Source::Datasheet);
        EXPECT_EQ(profile.cublasWorkspace, profile.architecture >= 90 ? 33'554'432 : 8'519'680);
        EXPECT_EQ(profile.tf32 > 0, profile.architecture >= 80);
        EXPECT_EQ(profile.bf16 > 0, profile.architecture >= 80);
        EXPECT_GE(profile.fp16, profile.fp32);
        EXPECT_LT(profile.context.low, profile.context.high);
        for (const char* family : {"conv", "conv_1x1", "depthwise", "conv_transpose"}) {
            EXPECT_TRUE(profile.compute.contains(family)) << family;
            EXPECT_TRUE(profile.compute.contains(std::string(family) + "/tensor")) << family;
        }
        for (const char* family : {"elementwise", "norm", "pool", "upsample", "copy", "optimizer"}) {
            EXPECT_TRUE(profile.memoryEfficiency.contains(family)) << family;
        }
    }
}

TEST(Profiles, OfAnUnknownIdListsTheKnownOnes) {
    const auto profile = loadProfile("h1000");
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, AllOf(HasSubstr("\"h1000\""), HasSubstr("h100, h200, a100-40")));
}

/// A resources folder with one profile, changed by a test.
class ChangedProfile : public ::testing::Test {
protected:
    std::string loadWith(const std::function<void(Json&)>& change) {
        std::ifstream in(kProfiles / "t4.json");
        Json json = Json::parse(in);
        change(json);
        std::filesystem::create_directories(folder_.path() / "profiles");
        std::ofstream(folder_.path() / "profiles/t4.json") << json.dump();
        std::ofstream(folder_.path() / "profiles/index.json") << R"(["t4"])";
        ::setenv("HIGHWATER_RESOURCES", folder_.path().c_str(), 1);
        const auto profile = loadProfile("t4");
        ::unsetenv("HIGHWATER_RESOURCES");
        return profile ? "" : profile.error().message;
    }

private:
    highwater::test::TemporaryFolder folder_;
};

TEST_F(ChangedProfile, IsReadWhereNothingIsWrong) {
    EXPECT_EQ(loadWith([](Json&) {}), "");
}

TEST_F(ChangedProfile, IsRefusedNamingFileAndKey) {
    const auto refused = [&](const char* key, const std::function<void(Json&)>& change) {
        EXPECT_THAT(loadWith(change), AllOf(HasSubstr("profiles/t4.json"), HasSubstr(key)));
    };
    refused("/memory/bytes", [](Json& j) { j["memory"]["bytes"] = -5; });
    refused("/memory/bytes", [](Json& j) { j["memory"]["bytes"] = std::int64_t{1} << 60; });
    refused("/memory/source", [](Json& j) { j["memory"]["source"] = "hearsay"; });
    refused("/context", [](Json& j) { j["context"]["low"] = j["context"]["high"].get<std::int64_t>() + 1; });
    refused("/context", [](Json& j) { j["context"]["high"] = j["memory"]["bytes"]; });
    refused("/context", [](Json& j) { j.erase("context"); });
    refused("/speed/fp32", [](Json& j) { j["speed"]["fp32"] = 0; });
    refused("fp64", [](Json& j) { j["speed"]["fp64"] = 1; });
    refused("/compute/conv", [](Json& j) { j["compute"]["conv"] = {0.5, 0.4, 0.6}; });
    refused("/compute/conv", [](Json& j) { j["compute"]["conv"] = {0.5, 0.6, 1.1}; });
    refused("/compute/conv", [](Json& j) { j["compute"]["conv"] = {0.5, "0.6", 0.7}; });
    refused("/memory_efficiency", [](Json& j) { j["memory_efficiency"] = 1; });
    refused("/notes", [](Json& j) { j["notes"] = {1}; });
    refused("/id", [](Json& j) { j["id"] = "t5"; });
}

TEST(Versions, AreReadAsPeopleWriteThem) {
    EXPECT_EQ(*parseTorchVersion("2.4"), (memory::TorchVersion{2, 4}));
    EXPECT_EQ(*parseTorchVersion("2.10.1"), (memory::TorchVersion{2, 10}));
    EXPECT_EQ(*parseTorchVersion("2.9.1+cu128"), (memory::TorchVersion{2, 9}));
    EXPECT_EQ(*parseCudnnVersion("9"), (CudnnVersion{9, 0, 0}));
    EXPECT_EQ(*parseCudnnVersion("8.9"), (CudnnVersion{8, 9, 0}));
    EXPECT_EQ(*parseCudnnVersion("9.10.2"), (CudnnVersion{9, 10, 2}));
    EXPECT_EQ(toText(CudnnVersion{9, 10, 2}), "9.10.2");
    EXPECT_EQ(toText(memory::TorchVersion{2, 11}), "2.11");
}

TEST(Versions, ThatAreNoneAreRefusedSayingWhatWouldBeRight) {
    for (const char* text :
         {"", "2", "two", "2.", "2.4.", "2.4.1.0", "-2.4", "2.4a", " 2.4", "2.40000000000"}) {
        EXPECT_THAT(parseTorchVersion(text).error().message, HasSubstr("2.4.1")) << text;
    }
    EXPECT_THAT(parseTorchVersion("1.12").error().message, HasSubstr("1.13"));
    for (const char* text : {"", "nine", "9.", "9..1", "9.1.2.3", "+9", "9.-1", "9.1 "}) {
        EXPECT_THAT(parseCudnnVersion(text).error().message, HasSubstr("9.10.2")) << text;
    }
    EXPECT_THAT(parseCudnnVersion("7.6.5").error().message, HasSubstr("8.0"));
}

TEST(Versions, OrderAsNumbersNotAsText) {
    EXPECT_LT(*parseCudnnVersion("9.9"), *parseCudnnVersion("9.10"));
    EXPECT_LT(*parseTorchVersion("2.9"), *parseTorchVersion("2.10"));
}

TEST(Versions, BundledCudnnFollowsTheWheels) {
    EXPECT_EQ(toText(bundledCudnn({1, 13})), "8.5.0");
    EXPECT_EQ(toText(bundledCudnn({2, 3})), "8.9.2");
    EXPECT_EQ(toText(bundledCudnn({2, 6})), "9.1.0");
    EXPECT_EQ(toText(bundledCudnn({2, 9})), "9.10.2");
    EXPECT_EQ(toText(bundledCudnn(kDefaultTorch)), "9.19.0");
    EXPECT_EQ(toText(bundledCudnn({2, 13})), "9.20.0");
    EXPECT_EQ(toText(bundledCudnn({2, 14})), "9.24.0");
    EXPECT_EQ(toText(bundledCudnn({2, 15})), "9.26.0");
    EXPECT_EQ(bundledCudnn({3, 0}), bundledCudnn({2, 15}));
    for (int minor = 1; minor <= 15; ++minor) {
        EXPECT_LE(bundledCudnn({2, minor - 1}), bundledCudnn({2, minor})) << minor;
    }
}

}  // namespace
}  // namespace highwater::predict
