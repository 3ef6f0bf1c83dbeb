#include "core/base/file.h"
#include "core/stack/json/json.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Report : public CliTest {
protected:
    std::string out(const std::string& name) const { return (folder_.path() / name).string(); }
    /// The file that the command writes; without a store, which a prediction does not need.
    std::string written(std::vector<std::string> arguments, const std::string& name) {
        arguments.insert(arguments.begin(), "report");
        arguments.insert(arguments.end(), {"--cudnn-library", "off", "--out", out(name)});
        const Finished done = Program("highwater-cli", arguments, folder_.path()).wait();
        EXPECT_EQ(done.exit, 0) << done.err;
        EXPECT_EQ(done.out, out(name) + "\n");
        const auto text = base::readFile(out(name));
        EXPECT_TRUE(text) << text.error().message;
        return text ? *text : "";
    }
};

TEST_F(Report, OfAPredictionHasThePredictionsFigures) {
    const std::vector<std::string> predict = {"--predict", experiment(), "--target", "rtx3060"};
    const Json report = parse(written(predict, "a.json"));
    EXPECT_EQ(testing::SchemaCheck().problem("report.json", report), "");
    EXPECT_EQ(testing::SchemaCheck().problem("predict.json", report["prediction"]), "");
    const Finished printed =
        Program("highwater-cli",
                {"predict", experiment(), "--target", "rtx3060", "--cudnn-library", "off", "--json"},
                folder_.path())
            .wait();
    EXPECT_EQ(report["prediction"], parse(printed.out));
    EXPECT_EQ(report["experiment"]["name"], "small");
    const std::string html = written(predict, "a.html");
    EXPECT_THAT(html, HasSubstr("rtx3060"));
    EXPECT_THAT(html, HasSubstr(">Fits<"));
    EXPECT_THAT(html, Not(HasSubstr(folder_.path().string())));
    EXPECT_THAT(written(predict, "a.pdf"), StartsWith("%PDF-"));
    const std::string csv = written(predict, "a.csv");
    EXPECT_THAT(csv, HasSubstr("\nrtx3060,"));
    EXPECT_THAT(
        csv, HasSubstr(std::to_string(report["prediction"]["peak_reserved_bytes"]["expected"].get<long>())));
}

TEST_F(Report, OfAPlanAndOfAllDevices) {
    const Json plan = parse(written({"--plan", experiment(), "--target", "rtx3060"}, "plan.json"));
    EXPECT_EQ(testing::SchemaCheck().problem("report.json", plan), "");
    EXPECT_GE(plan["plans"]["curve"].size(), 1U);
    EXPECT_TRUE(stack::parseExperiment(plan["experiment"].dump(), "the report"));
    const Json devices = parse(written({"--everywhere", experiment()}, "devices.json"));
    EXPECT_EQ(testing::SchemaCheck().problem("report.json", devices), "");
    EXPECT_GT(devices["devices"].size(), 20U);
    EXPECT_EQ(devices["devices"][0]["target"], "cpu");
}

TEST_F(Report, IsOfOneThing) {
    const auto refused = [this](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "report");
        return Program("highwater-cli", arguments, folder_.path()).wait();
    };
    expectRefusal(refused({"--out", "a.html"}), "name runs, or give --predict");
    expectRefusal(refused({"1", "--predict", experiment(), "--out", "a.html"}), "give only one of");
    expectRefusal(refused({"--predict", experiment(), "--out", "a.txt"}), ".html, .pdf, .csv or .json");
    expectRefusal(refused({"--predict", "none.json", "--out", "a.html"}), "none.json");
    expectRefusal(refused({"--sweep", experiment(), "--out", "a.html"}), "experiment.json");
    expectRefusal(refused({"--predict", experiment(), "--target", "rtx1", "--out", "a.html"}), "--target");
    EXPECT_FALSE(std::filesystem::exists(out("a.html")));
}

}  // namespace
}  // namespace highwater::e2e
