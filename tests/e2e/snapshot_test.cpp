#include <fstream>

#include "core/capture/capture.h"
#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/core/temporary_folder.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// compare EXPERIMENT SNAPSHOT.
class Snapshot : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);  // where tables are stored
    }
    Finished program(const std::vector<std::string>& arguments) {
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    /// A snapshot of what is predicted for the RTX 4090, with workspaces as guessed.
    std::string snapshotOf(const std::string& experimentFile) {
        const auto experiment = stack::loadExperiment(experimentFile);
        EXPECT_TRUE(experiment) << experiment.error().message;
        const auto info = stack::inferShapes(*experiment);
        const auto target = predict::gpuTarget("rtx4090", *experiment, memory::TorchVersion{2, 6});
        memory::Trace trace;
        predict::PredictOptions options;
        options.trace = &trace;
        EXPECT_TRUE(predict::predict(*experiment, *info, *target, options));
        const auto file = folder_.path() / "recorded.pickle";
        EXPECT_TRUE(capture::write(trace, capture::Format::Snapshot, file));
        return file.string();
    }
};

TEST_F(Snapshot, IsHeldAgainstThePredictionAndLearned) {
    const std::string file = experiment(), snapshot = snapshotOf(file);
    const std::vector<std::string> on{"--target", "rtx4090", "--libtorch", "2.6"};
    std::vector<std::string> arguments{"compare", file, snapshot};
    arguments.insert(arguments.end(), on.begin(), on.end());
    const Finished text = program(arguments);
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("found in the snapshot"), HasSubstr("the same to the byte"),
                                HasSubstr("at the peak"), HasSubstr("workspace of")));

    std::vector<std::string> predicted{"predict", file, "--json"};
    predicted.insert(predicted.end(), on.begin(), on.end());
    EXPECT_GT(parse(program(predicted).out)["convolutions_without_row"], 0);
    arguments.insert(arguments.end(), {"--learn", "--json"});
    const Finished learned = program(arguments);
    ASSERT_EQ(learned.exit, 0) << learned.err;
    const Json json = parse(learned.out);
    EXPECT_EQ(testing::SchemaCheck().problem("snapshot-comparison.json", json), "");
    EXPECT_GT(json["learned"], 0);
    EXPECT_TRUE(std::filesystem::exists(json["table"].get<std::string>()));
    const Json after = parse(program(predicted).out);
    EXPECT_EQ(after["convolutions_without_row"], 0);
    EXPECT_EQ(after["workspaces"][0]["source"], "measured");
}

TEST_F(Snapshot, BadInputIsOneLine) {
    const std::string file = experiment(), snapshot = snapshotOf(file);
    const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
        arguments.insert(arguments.begin(), "compare");
        const Finished done = program(arguments);
        EXPECT_EQ(done.exit, 2);
        EXPECT_THAT(done.err, HasSubstr(why));
        EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    };
    refused({file, snapshot}, "--target: a snapshot is of a GPU");
    refused({file, snapshot, "--target", "nothing"}, "--target: ");
    refused({file, test::nowhere() + ".pickle", "--target", "t4"}, test::nowhere() + ".pickle");
    refused({test::nowhere() + ".json", snapshot, "--target", "t4"}, test::nowhere() + ".json");
    refused({snapshot, snapshot, "--target", "t4"}, "recorded.pickle");
    const std::string other = experiment(Json::parse(R"({"input": {"synthetic": [1, 13, 13, 13]}})"));
    refused({other, snapshot, "--target", "t4"}, "does not show this experiment");
    refused({"1", "2", "--learn"}, "--learn and --target need an experiment and a snapshot");
}

}  // namespace
}  // namespace highwater::e2e
