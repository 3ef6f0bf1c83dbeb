#include "tests/core/stack/json/schema_check.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Cases : public CliTest {
protected:
    void SetUp() override {
        Json plans = stack::testing::newerPlans();
        plans["configurations"]["3d_fullres"]["spacing"] = {1.0, 1.0, 1.0};
        write("nnUNetPlans.json", plans.dump());
        std::filesystem::create_directory(folder_.path() / "scans");
        scan("small", "64 64 64");
        scan("large", "400 400 400");
    }
    /// A scan whose voxels are a hole of a file.
    void scan(const std::string& name, const std::string& sizes) const {
        write("scans/" + name + ".nhdr", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: " + sizes +
                                             "\nspacings: 1 1 1\nencoding: raw\ndata file: " + name +
                                             ".raw\n");
        const auto voxels = write("scans/" + name + ".raw", "");
        const auto side = static_cast<std::uintmax_t>(std::stoll(sizes));
        std::filesystem::resize_file(voxels, side * side * side);
    }
    /// Without a store, and without asking cuDNN.
    Finished cases(std::vector<std::string> more, const std::string& gpu = "rtx3060") {
        std::vector<std::string> arguments = {"cases", path("nnUNetPlans.json"), path("scans"), "--gpu",
                                              gpu,     "--cudnn-library",        "off"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    static Json named(const Json& all, const std::string& name) {
        for (const Json& one : all["cases"]) {
            if (one["name"] == name) {
                return one;
            }
        }
        ADD_FAILURE() << "no case " << name;
        return {};
    }
};

TEST_F(Cases, SaysForEachWhetherItFits) {
    const Finished done = cases({"--classes", "40", "--host-memory", "64GiB", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("cases.json", json), "");
    const Json small = named(json, "small"), large = named(json, "large");
    EXPECT_EQ(small["padded_size"], Json({128, 128, 128}));
    EXPECT_EQ(small["windows"], 1);
    EXPECT_EQ(small["way"], "everything on the GPU");
    EXPECT_EQ(large["windows"], 6 * 6 * 6);
    EXPECT_EQ(large["way"], "starts again with the logits on the host");
    EXPECT_EQ(large["on_device"]["fits"], "no");
    EXPECT_EQ(large["fits"], true);
    EXPECT_EQ(large["host_peak_bytes"], large["on_host"]["host"]["peak_bytes"]);
}

TEST_F(Cases, TheTableNamesWhatHelps) {
    const Finished done = cases({"--classes", "40", "--host-memory", "6GiB"});
    EXPECT_EQ(done.exit, 3) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("1 of 2 cases fit."), HasSubstr("large: --not_on_device"),
                                HasSubstr("more than the host's memory"),
                                HasSubstr("note: sizes are those of the headers")));
    EXPECT_THAT(cases({"--classes", "40", "--host-memory", "64GiB", "--not-on-device"}).out,
                AllOf(HasSubstr("2 of 2 cases fit."), Not(HasSubstr("starts again"))));
}

TEST_F(Cases, AScanThatCannotBeReadKeepsItsRow) {
    write("scans/wrong.nrrd", "NRRD0004\ntype: nonsense\n\n");
    const Finished done = cases({"--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("cases.json", json), "");
    const Json wrong = named(json, "wrong");
    EXPECT_THAT(wrong["problem"].get<std::string>(), HasSubstr("wrong.nrrd"));
    EXPECT_TRUE(wrong["fits"].is_null());
    EXPECT_EQ(json["cases"].size(), 3U);
    EXPECT_THAT(cases({"--channels", "2"}).out, HasSubstr("has 1 channel; the network takes 2"));
}

TEST_F(Cases, ErrorsAreOneLine) {
    expectRefusal(cases({}, "rtx0"), "--gpu: ");
    expectRefusal(cases({"--host-memory", "much"}), "--host-memory: ");
    expectRefusal(cases({"--others", "100GiB"}), "--others: ");
    expectRefusal(cases({"--configuration", "2d"}), "there is no configuration \"2d\"");
    const auto of = [&](const std::string& plans, const std::string& folder) {
        return Program("highwater-cli", {"cases", plans, folder, "--gpu", "rtx3060"}, folder_.path()).wait();
    };
    expectRefusal(of(path("none.json"), path("scans")), "none.json");
    expectRefusal(of(path("scans"), path("scans")), "has no plans.json");
    expectRefusal(of(write("wrong.json", "{"), path("scans")), "wrong.json: not valid JSON");
    expectRefusal(of(path("nnUNetPlans.json"), path("none")), "none");
}

}  // namespace
}  // namespace highwater::e2e
