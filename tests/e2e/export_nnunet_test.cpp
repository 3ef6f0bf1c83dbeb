#include "tests/core/stack/json/schema_check.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ExportNnunet : public CliTest {
protected:
    /// Without a store and without cuDNN, which exporting does not need.
    Finished exported(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"export", "nnunet"});
        arguments.insert(arguments.end(), {"--cudnn-library", "off"});
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    std::string plans(const nlohmann::ordered_json& json = stack::testing::newerPlans()) const {
        return write("plans.json", json.dump());
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

TEST_F(ExportNnunet, WritesPlansAndTrainer) {
    const Finished done = exported(
        {plans(), "--configuration", "resenc", "--gpu", "rtx3060-laptop", "--out", path("a/trainers")});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_THAT(done.out,
                AllOf(HasSubstr("estimates · Dataset001_Test resenc · NVIDIA GeForce RTX 3060 Laptop"),
                      HasSubstr("export nnUNet_extTrainer=" + path("a/trainers") + "\n"),
                      HasSubstr("nnUNetv2_train Dataset001_Test resenc 0 -p nnUNetPlans_highwater "
                                "-tr nnUNetTrainer_highwater\n")));
    EXPECT_EQ(Json::parse(read("a/trainers/nnUNetPlans_highwater.json"))["plans_name"],
              "nnUNetPlans_highwater");
    EXPECT_THAT(read("a/trainers/nnUNetTrainer_highwater.py"), HasSubstr("class nnUNetTrainer_highwater("));
    expectRefusal(exported({plans(), "--configuration", "resenc", "--gpu", "rtx3060-laptop", "--out",
                            path("a/trainers")}),
                  "nnUNetPlans_highwater.json: already exists; remove it, or choose another name (--name)");
    EXPECT_EQ(exported({plans(), "--configuration", "resenc", "--gpu", "rtx3060-laptop", "--out",
                        path("a/trainers"), "--name", "other"})
                  .exit,
              0);
}

TEST_F(ExportNnunet, PrintsWhatItsSchemaPromises) {
    const std::vector<std::string> always = {plans(),   "--configuration", "3d_fullres", "--gpu",
                                             "rtx3090", "--out",           path("out"),  "--json"};
    const Finished plain = exported(always);
    ASSERT_EQ(plain.exit, 0) << plain.err;
    EXPECT_EQ(testing::SchemaCheck().problem("export-nnunet.json", parse(plain.out)), "");
    EXPECT_FALSE(std::filesystem::exists(path("out"))) << "nnU-Net's own trainer fits";
    const auto needs = parse(plain.out)["peak_bytes"]["expected"].get<std::int64_t>();
    std::vector<std::string> tight = always;
    tight.insert(tight.end(), {"--budget", std::to_string(needs * 3 / 4), "--no-micro-batches"});
    const Finished done = exported(tight);
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("export-nnunet.json", json), "");
    EXPECT_LE(json["peak_bytes"]["expected"], needs * 3 / 4);
    EXPECT_EQ(json["micro_batches"], 1);
    EXPECT_FALSE(json["recomputed"].empty());
    EXPECT_TRUE(std::filesystem::exists(json["trainer"].get<std::string>()));
}

TEST_F(ExportNnunet, SaysWhatIsPossibleWhereNothingFits) {
    const Finished done = exported({plans(), "--configuration", "3d_fullres", "--gpu", "a5000", "--out",
                                    path("out"), "--budget", "100MiB"});
    EXPECT_EQ(done.exit, 3);
    EXPECT_THAT(done.err, AllOf(HasSubstr("no plan is within 100 MiB; the least possible is"),
                                HasSubstr("2 micro-batches, recompute ")));
    auto whole = stack::testing::newerPlans();
    whole["configurations"]["3d_fullres"]["batch_dice"] = true;
    EXPECT_THAT(exported({plans(whole), "--configuration", "3d_fullres", "--gpu", "a5000", "--out",
                          path("out"), "--budget", "100MiB"})
                    .err,
                HasSubstr("micro-batches would change the loss of these plans"));
    EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(ExportNnunet, RefusesWrongInput) {
    const auto refused = [&](std::vector<std::string> more, const std::string& why) {
        more.insert(more.end(), {"--out", path("out")});
        expectRefusal(exported(std::move(more)), why);
    };
    refused({path("none.json"), "--gpu", "rtx3060"}, "no such file");
    refused({write("a.json", "{}"), "--gpu", "rtx3060"}, "is it a plans file of nnU-Net?");
    refused({plans(), "--gpu", "rtx3060", "--configuration", "2d"}, "there is no configuration \"2d\"");
    refused({plans(), "--gpu", "rtx3060"}, "--configuration: ");
    refused({plans(), "--configuration", "pair"}, "--gpu");
    refused({plans(), "--configuration", "pair", "--gpu", "rtx1"}, "--gpu: \"rtx1\" is not a GPU profile");
    refused({plans(), "--configuration", "pair", "--gpu", "cpu"}, "--gpu: cpu is no GPU");
    refused({plans(), "--configuration", "pair", "--gpu", "rtx3060", "--budget", "much"}, "--budget: ");
    refused({plans(), "--configuration", "pair", "--gpu", "rtx3060", "--name", "a b"}, "--name: ");
    expectRefusal(exported({plans(), "--configuration", "resenc", "--gpu", "rtx3060-laptop", "--out",
                            write("file", "") + "/out"}),
                  path("file"));
    EXPECT_FALSE(std::filesystem::exists(path("out")));
}

}  // namespace
}  // namespace highwater::e2e
