#include "core/predict/predict.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

class CalibrateTest : public CliTest {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(programPath("highwater-engine"))) {
            GTEST_SKIP() << "highwater-engine is not built";
        }
    }
    std::string table() const { return (folder_.path() / "table.txt").string(); }
    predict::Calibration read(const std::string& path) const {
        std::ifstream in(path);
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        auto parsed = predict::parseCalibration(text, path);
        EXPECT_TRUE(parsed) << parsed.error().message;
        return parsed ? *parsed : predict::Calibration();
    }
};

TEST_F(CalibrateTest, MeasuresAnExperimentsConvolutions) {
    const std::string path = experiment(Json{{"backend", {{"threads", 1}}}});
    const Finished done = cli({"devices", "--calibrate", path, "--only", "--out", table(), "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json said = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("devices.json", said), "") << done.out;
    ASSERT_EQ(said.at("calibrations").size(), 1U);
    const Json& one = said["calibrations"][0];
    EXPECT_EQ(one["measured"], 4);  // two convolutions, forward and backward
    EXPECT_EQ(one["skipped"], Json::array());
    EXPECT_EQ(one["threads"], 1);
    const predict::Calibration made = read(table());
    EXPECT_EQ(made.size(), 4U);
    EXPECT_EQ(made.key().libtorch, one["libtorch"].get<std::string>());
    EXPECT_EQ(made.key().isa, said["devices"][0]["isa"].get<std::string>());

    // Rows of another experiment are added to the table; a table for another number of threads is not
    // changed.
    const std::string other =
        experiment(Json::parse(R"({"backend": {"threads": 1}, "input": {"synthetic": [1, 10, 10, 10]}})"));
    ASSERT_EQ(cli({"devices", "--calibrate", other, "--only", "--out", table()}).exit, 0);
    EXPECT_EQ(read(table()).size(), 8U);
    const Finished refused =
        cli({"devices", "--calibrate", other, "--only", "--threads", "2", "--out", table()});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("is a table of another kind of machine"));
    EXPECT_EQ(read(table()).size(), 8U);
}

TEST_F(CalibrateTest, OneInterruptKeepsWhatWasMeasured) {
    Program program("highwater-cli", {"devices", "--calibrate", "--threads", "1", "--out", table(), "--json"},
                    folder_.path());
    ASSERT_TRUE(eventually([&] { return program.err().find("convolution 1 of ") != std::string::npos; }));
    // Some convolutions are measured by then, but far from all.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    program.signal(SIGINT);
    const Finished done = program.wait();
    ASSERT_EQ(done.exit, 130) << done.err;
    const Json said = parse(done.out);
    EXPECT_EQ(said["calibrations"][0]["cancelled"], true);
    const auto rows = read(table()).size();
    EXPECT_EQ(said["calibrations"][0]["rows"], rows);
    EXPECT_LT(rows, 1000U);
}

TEST_F(CalibrateTest, RefusesWhatMakesNoSense) {
    expectRefusal(cli({"devices", "--only"}), "--only requires --calibrate");
    expectRefusal(cli({"devices", "--calibrate", "--only"}), "--only needs an experiment");
    expectRefusal(cli({"devices", "--calibrate", "--threads", "0"}), "--threads");
    expectRefusal(cli({"devices", "--calibrate", "nowhere.json"}), "nowhere.json");
    const std::string list = write("list.txt", "conv1d/f/n1/c1,1/i4/k1/s1/p0/d1/g1\nconv9d\n");
    expectRefusal(cli({"devices", "--calibrate", "--only", "--convolutions", list}), "line 2: \"conv9d\"");
    const std::string one = experiment(Json{{"backend", {{"threads", 1}}}});
    expectRefusal(cli({"devices", "--calibrate", one, "--threads", "3", "--out",
                       (folder_.path() / "no" / "such" / "folder.txt").string(), "--only"}),
                  "folder.txt");
    const std::string broken = write("table.txt", "nonsense\n");
    expectRefusal(cli({"devices", "--calibrate", one, "--only", "--out", broken}), "table.txt");
}

TEST_F(CalibrateTest, ThePredictorKnowsTheEngineWithoutStartingIt) {
    ASSERT_EQ(
        cli({"devices", "--calibrate", experiment(), "--only", "--threads", "1", "--out", table()}).exit, 0);
    stack::Backend backend;
    backend.threads = 1;
    const auto key = predict::cpuKey(backend);
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_EQ(*key, read(table()).key());
}

}  // namespace
}  // namespace highwater::e2e
