#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

/// The command line's JSON output checked against its schema.
class JsonOutput : public EngineCliTest {
protected:
    void expectFits(const std::string& schema, const std::vector<std::string>& arguments) {
        const Finished done = cli(arguments);
        ASSERT_EQ(done.exit, 0) << done.err;
        EXPECT_EQ(done.err, "");
        EXPECT_EQ(check_.problem(schema, parse(done.out)), "") << schema << ": " << done.out.substr(0, 600);
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    testing::SchemaCheck check_;
};

TEST_F(JsonOutput, OfRuns) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3"}).exit, 0);
    ASSERT_EQ(cli({"run", experiment(), "--steps", "3", "--budget", "1KiB"}).exit, 3);  // no step, no peak
    expectFits("runs.json", {"runs", "list", "--json"});
    expectFits("run.json", {"runs", "show", "1", "--json"});
    expectFits("run.json", {"runs", "show", "2", "--json"});
    expectFits("comparison.json", {"compare", "1", "1", "2", "--json"});
    expectFits("comparison.json", {"compare", "2", "1", "--json"});
    ASSERT_EQ(cli({"report", "1", "2", "--out", path("report.json")}).exit, 0);
    std::ifstream report(path("report.json"));
    EXPECT_EQ(check_.problem("report.json", Json::parse(report)), "");
    expectFits("runs-deleted.json", {"runs", "delete", "1", "2", "--json"});
}

TEST_F(JsonOutput, OfVolumesAndDevices) {
    expectFits("volume-phantom.json", {"volume", "phantom", path("head.nii.gz"), "--json"});
    expectFits("volume-info.json", {"volume", "info", path("head.nii.gz"), "--json"});
    expectFits("volume-info.json",
               {"volume", "read", path("head.nii.gz"), "--out", path("head.hwvol"), "--json"});
    for (const char* axis : {"axial", "coronal", "sagittal"}) {
        expectFits("volume-slice.json", {"volume", "slice", path("head.nii.gz"), "--axis", axis, "--out",
                                         path("a.pgm"), "--json"});
    }
    expectFits("devices.json", {"devices", "--json"});
}

}  // namespace
}  // namespace highwater::e2e
