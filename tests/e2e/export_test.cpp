#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/export_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

TEST_F(Export, WritesAProgram) {
    const Finished done = exported({experiment(), "--out", path("model.py")});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.out + done.err, "");
    EXPECT_THAT(read("model.py"), HasSubstr("class Network(nn.Module):"));
    const Finished again = exported({experiment({{"name", "other"}}), "--out", path("model.py"), "--json"});
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(testing::SchemaCheck().problem("export.json", parse(again.out)), "");
    EXPECT_EQ(parse(again.out)["file"], path("model.py"));
    EXPECT_THAT(read("model.py"), HasSubstr("other in PyTorch"));
    const Finished printed = exported({experiment({{"name", "other"}}), "--out", "-"});
    EXPECT_EQ(printed.exit, 0);
    EXPECT_EQ(printed.out, read("model.py"));
}

TEST_F(Export, RefusesWhatItCannotReadOrWrite) {
    expectRefusal(exported({path("none.json"), "--out", path("m.py")}), "none.json");
    expectRefusal(exported({experiment(), "--out", path("no/m.py")}), "no/m.py");
    expectRefusal(exported({experiment()}), "--out");
    expectRefusal(exported({experiment(), "--out", "-", "--json"}), "stdout");
    const Json stack = Json::parse(R"([{"type": "conv", "out_channels": 4, "kernel_size": 99}])");
    expectRefusal(exported({experiment({{"stack", stack}}), "--out", path("m.py")}), "layer 1 `conv`");
    const Json input = Json::parse(R"({"synthetic": null, "cohort": "cases", "patch": 16})");
    expectRefusal(exported({experiment({{"input", input}}), "--out", path("m.py")}), "cohort");
    EXPECT_FALSE(std::filesystem::exists(path("m.py")));
}

TEST_F(Export, WritesThePhantomBesideTheProgram) {
    if (!std::filesystem::exists(programPath("highwater-scan"))) {
        GTEST_SKIP() << "highwater-scan is not built";
    }
    std::filesystem::create_directory(path("there"));
    const std::string scan = path("there/head-phantom.nii.gz");
    const Finished done = exported({kSample, "--out", path("there/model.py")});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr(scan + ": 192 × 192 × 160 voxels"));
    EXPECT_TRUE(std::filesystem::remove(scan));
    const Finished again = exported({kSample, "--out", path("there/model.py"), "--json"});
    EXPECT_EQ(testing::SchemaCheck().problem("export.json", parse(again.out)), "");
    EXPECT_EQ(parse(again.out)["scan"], scan);
    EXPECT_TRUE(std::filesystem::exists(scan));
    const Finished printed = exported({kSample, "--out", "-"});
    EXPECT_EQ(printed.out, read("there/model.py"));
    EXPECT_THAT(printed.err, HasSubstr("highwater-cli volume phantom head-phantom.nii.gz"));
}

}  // namespace
}  // namespace highwater::e2e
