#include <cstring>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A NIfTI-1 file of uint8, 1 mm voxels; voxel i of row j of slice k is (7 i + 5 j + 3 k) % `values`.
std::string nifti(const std::array<std::int16_t, 3>& size, int values) {
    std::string file(352, '\0');
    const auto put = [&file](std::size_t at, auto value) {
        std::memcpy(file.data() + at, &value, sizeof value);
    };
    put(0, std::int32_t{348});
    put(40, std::int16_t{3});
    for (std::size_t axis = 0; axis < 3; ++axis) {
        put(42 + 2 * axis, size[axis]);
        put(80 + 4 * axis, 1.0F);
        put(280 + 16 * axis + 4 * axis, 1.0F);  // the sform
    }
    for (std::size_t axis = 3; axis < 7; ++axis) {
        put(42 + 2 * axis, std::int16_t{1});
    }
    put(70, std::int16_t{2});
    put(72, std::int16_t{8});
    put(76, 1.0F);
    put(108, 352.0F);
    put(112, 1.0F);
    put(123, std::uint8_t{2});
    put(254, std::int16_t{1});
    std::memcpy(file.data() + 344, "n+1", 4);
    for (int k = 0; k < size[2]; ++k) {
        for (int j = 0; j < size[1]; ++j) {
            for (int i = 0; i < size[0]; ++i) {
                file += static_cast<char>((7 * i + 5 * j + 3 * k) % values);
            }
        }
    }
    return file;
}

class CohortRun : public EngineCliTest {
protected:
    void SetUp() override {
        EngineCliTest::SetUp();
        std::filesystem::create_directory(folder_.path() / "two heads");
        add("a", {20, 18, 16});
        add("b", {11, 30, 9});
    }
    void add(const std::string& name, const std::array<std::int16_t, 3>& size) const {
        write("two heads/" + name + ".nii", nifti(size, 200));
        write("two heads/" + name + "_seg.nii", nifti(size, 2));
    }
    std::string cohort(const Json& change = Json::object()) const {
        Json json = Json::parse(R"({"input": {"synthetic": null, "cohort": "two heads", "patch": [6, 7, 8]},
            "target": "labels", "loss": "cross_entropy",
            "stack": [{"type": "conv", "out_channels": 2, "kernel_size": 3, "padding": 1}],
            "step": {"batch_size": 3, "seed": 1}})");
        json.merge_patch(change);
        return experiment(json);
    }
};

TEST_F(CohortRun, TrainsOnAllCasesAndSaysSo) {
    const Finished done = cli({"run", cohort(), "--steps", "4", "--warmup", "1", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(done.err, "");
    const Json result = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("result.json", result), "");
    EXPECT_EQ(result.at("status"), "done");
    EXPECT_EQ(result.at("cases"), 2);
    const Json& predicted = result.at("predicted").at("peak_allocated_bytes");
    EXPECT_LE(predicted.at("low"), result.at("peak_allocated_bytes"));
    EXPECT_GE(predicted.at("high"), result.at("peak_allocated_bytes"));
    ASSERT_EQ(cli({"report", "1", "--out", (folder_.path() / "r.html").string()}).exit, 0);
    std::ifstream file(folder_.path() / "r.html");
    const std::string html{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(html, HasSubstr("the cohort two heads, 2 cases"));
}

TEST_F(CohortRun, TheSameSeedIsTheSameRunWhateverTheWorkers) {
    const auto losses = [&](const char* change) {
        const Finished done = cli({"run", cohort(Json::parse(change)), "--steps", "5", "--json"});
        EXPECT_EQ(done.exit, 0) << done.err;
        return parse(done.out).at("losses");
    };
    const Json first = losses("{}");
    EXPECT_EQ(losses(R"({"data": {"workers": 2}})"), first);
    EXPECT_NE(losses(R"({"step": {"seed": 2}})"), first);
}

TEST_F(CohortRun, PatchesNameTheirSampleAndCase) {
    const Finished done = cli({"run", cohort(), "--steps", "4", "--events"});
    ASSERT_EQ(done.exit, 0) << done.err;
    testing::SchemaCheck check;
    std::istringstream lines(done.out);
    int patches = 0;
    for (std::string line; std::getline(lines, line);) {
        const Json event = parse(line);
        EXPECT_EQ(check.problem("event.json", event), "") << line.substr(0, 300);
        if (event.at("event") != "patch") {
            continue;
        }
        ++patches;
        EXPECT_EQ(event.at("sample"), 3 * event.at("step").get<int>());
        EXPECT_LT(event.at("case"), 2);
    }
    EXPECT_GT(patches, 0);
}

TEST_F(CohortRun, SweepsReadItOnce) {
    cohort();
    const std::string sweep =
        write("sweep.json", R"({"schema": "highwater.sweep/1", "base": "experiment.json",
        "axes": [{"path": "/step/batch_size", "values": [1, 2]}], "repeats": 1})");
    const Finished done = cli({"sweep", sweep, "--steps", "2", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(runs().size(), 2U);
}

TEST_F(CohortRun, WhatIsLeftOutIsSaid) {
    write("two heads/c.nii", nifti({9, 9, 9}, 200));
    const Finished done =
        cli({"run", cohort(Json::parse(R"({"target": "input", "loss": "mean"})")), "--steps", "1", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(parse(done.out).at("cases"), 3);
    EXPECT_THAT(done.err, HasSubstr("the cohort: c: has no label map"));
}

TEST_F(CohortRun, WhatIsAmissNamesTheCase) {
    const auto refused = [&](const Json& change, const auto& what) {
        const Finished finished = cli({"run", cohort(change), "--json"});
        EXPECT_EQ(finished.exit, 2) << finished.err;
        EXPECT_EQ(finished.out, "");
        EXPECT_THAT(finished.err, what);
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    };
    refused(Json::parse(R"({"input": {"channels": 2}})"),
            HasSubstr("two heads: case a has 1 channel, /input/channels says 2"));
    std::filesystem::remove(folder_.path() / "two heads" / "b_seg.nii");
    refused(Json::object(), HasSubstr("case b has no label map"));
    write("two heads/b_seg.nii", nifti({11, 30, 8}, 2));
    refused(Json::object(), AllOf(HasSubstr("case b"), HasSubstr("b_seg.nii")));
    write("two heads/b_seg.nii", nifti({11, 30, 9}, 2));
    write("two heads/b.nii", nifti({11, 30, 9}, 200).substr(0, 2000));
    refused(Json::object(), AllOf(HasSubstr("case b"), HasSubstr("b.nii")));
    refused(Json::parse(R"({"input": {"cohort": "none"}})"), HasSubstr("none"));
    EXPECT_FALSE(std::filesystem::exists(store() / "runs"));
}

}  // namespace
}  // namespace highwater::e2e
