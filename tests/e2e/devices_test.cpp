#include "core/base/units.h"
#include "core/predict/predict.h"
#include "tests/core/nvml/environment.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using nvml::Environment;
using ::testing::HasSubstr;
using ::testing::Not;

/// `devices` with a fake driver library that has two GPUs.
class Devices : public CliTest {
protected:
    std::string printed() {
        const Finished done = cli({"devices"});
        EXPECT_EQ(done.exit, 0) << done.err;
        EXPECT_EQ(done.err, "");
        return done.out;
    }
    Json list() {
        const Finished done = cli({"devices", "--json"});
        EXPECT_EQ(done.exit, 0) << done.err;
        const Json json = parse(done.out);
        EXPECT_EQ(testing::SchemaCheck().problem("devices.json", json), "");
        return json;
    }
};

TEST_F(Devices, NamesTheGpus) {
    const Environment environment({{"FAKE_NVML_OTHERS", "3"}});
    const Json json = list();
    ASSERT_EQ(json.at("devices").size(), 3U);
    const Json gpu = json.at("devices").at(2);
    EXPECT_EQ(gpu.at("id"), "cuda:1");
    EXPECT_EQ(gpu.at("name"), "NVIDIA GeForce RTX 4090");
    EXPECT_EQ(gpu.at("uuid"), nvml::kSecond);
    EXPECT_EQ(gpu.at("memory_bytes"), 24564 * base::kMiB);
    EXPECT_EQ(gpu.at("used_bytes"), base::kGiB);
    EXPECT_EQ(gpu.at("used_bytes").get<base::Bytes>() + gpu.at("available_bytes").get<base::Bytes>() +
                  gpu.at("reserved_by_driver_bytes").get<base::Bytes>(),
              gpu.at("memory_bytes"));
    EXPECT_EQ(gpu.at("processes"), 3);
    EXPECT_EQ(gpu.at("architecture"), 89);
    EXPECT_EQ(gpu.at("profile"), "rtx4090");
    EXPECT_EQ(json.at("devices").at(1).at("profile"), "h200");
    EXPECT_EQ(json.at("cuda").at("driver"), "580.159.03");
    EXPECT_EQ(json.at("cuda").at("driver_cuda"), "13.0");
    EXPECT_FALSE(json.at("cuda").contains("no_gpu"));
    const std::string text = printed();
    EXPECT_THAT(text, HasSubstr("cuda:1  NVIDIA GeForce RTX 4090, 24.0 GiB of memory (1.00 GiB in use by 3 "
                                "processes), compute capability 8.9\n"));
    EXPECT_THAT(text, HasSubstr("predicted as h200\n"));
    EXPECT_THAT(text, HasSubstr("driver  NVIDIA 580.159.03, for CUDA up to 13.0\n"));
}

TEST_F(Devices, SayWhetherTheEngineCanUseThem) {
    const Environment environment({});
    const auto engine = predict::engineVersions();
    const Json json = list();
    const Json gpu = json.at("devices").at(1);
    if (engine && !engine->cuda.empty()) {
        EXPECT_EQ(json.at("cuda").at("engine_cuda"), engine->cuda);
        EXPECT_TRUE(gpu.at("runs"));
        EXPECT_THAT(printed(), HasSubstr("runs: --device cuda:0\n"));
    } else {
        EXPECT_EQ(json.at("cuda").at("engine_cuda"), "");
        EXPECT_FALSE(gpu.at("runs"));
        EXPECT_THAT(gpu.at("why_not").get<std::string>(),
                    HasSubstr(engine ? "built for the CPU only" : engine.error().message));
        EXPECT_THAT(printed(), HasSubstr("no runs: "));
    }
}

TEST_F(Devices, AGpuWithoutProfileOrLostIsSaid) {
    const Environment environment(
        {{"FAKE_NVML_FAIL", "nvmlDeviceGetHandleByIndex/0=15,nvmlDeviceGetName=3"}});
    const Json json = list();
    EXPECT_EQ(json.at("devices").at(1).at("id"), "gpu:0");
    EXPECT_THAT(json.at("devices").at(1).at("why_not").get<std::string>(), HasSubstr("fallen off the bus"));
    EXPECT_EQ(json.at("devices").at(2).at("id"), "cuda:0");
    EXPECT_FALSE(json.at("devices").at(2).contains("profile"));
    const std::string text = printed();
    EXPECT_THAT(text, HasSubstr("gpu:0   a GPU\n        no runs: it has fallen off the bus"));
    EXPECT_THAT(text, HasSubstr("no profile to predict with\n"));
}

TEST_F(Devices, WithoutADriverOneLineSaysSo) {
    const Environment environment({}, "libhighwater-none.so.1");
    const Json json = list();
    EXPECT_EQ(json.at("devices").size(), 1U);
    const std::string why =
        "no NVIDIA driver here: libhighwater-none.so.1, which NVIDIA's driver brings, is not installed";
    EXPECT_EQ(json.at("cuda").at("no_gpu"), why);
    EXPECT_EQ(json.at("cuda").at("driver"), "");
    EXPECT_THAT(printed(), HasSubstr("\ngpu     " + why + "\n"));
    EXPECT_THAT(printed(), Not(HasSubstr("driver  ")));
}

}  // namespace
}  // namespace highwater::e2e
