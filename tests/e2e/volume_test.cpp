#include <array>
#include <cstring>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// An int16 .nii with the voxels 100, 101, ... at 1 x 1 x 2 mm; without `placed`, it has neither size nor
/// position.
std::string niftiOf(std::array<std::int16_t, 3> size, bool placed = true) {
    std::string bytes(352, '\0');
    const auto put = [&](std::size_t at, auto value) { std::memcpy(&bytes[at], &value, sizeof value); };
    put(0, std::int32_t{348});
    put(40, std::int16_t{3});
    for (std::size_t axis = 0; axis < 3; ++axis) {
        put(42 + 2 * axis, size[axis]);
        put(80 + 4 * axis, placed ? (axis == 2 ? 2.0F : 1.0F) : 0.0F);
        put(280 + 20 * axis, axis == 2 ? 2.0F : 1.0F);
    }
    put(70, std::int16_t{4});
    put(72, std::int16_t{16});
    put(108, 352.0F);
    bytes[123] = 2;
    put(254, static_cast<std::int16_t>(placed ? 1 : 0));
    std::memcpy(&bytes[344], "n+1", 4);
    for (int voxel = 0; voxel < size[0] * size[1] * size[2]; ++voxel) {
        const auto value = static_cast<std::int16_t>(100 + voxel);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
}

/// `volume` on generated folders; its JSON output conforms to its schema.
class Volumes : public CliTest {
protected:
    void SetUp() override {
        if (!fs::exists(programPath("highwater-scan"))) {
            GTEST_SKIP() << "highwater-scan is not built";
        }
    }
    void put(const std::string& name, const std::string& bytes) {
        fs::create_directories((folder_.path() / name).parent_path());
        write(name, bytes);
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    Finished volume(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "volume");
        return cli(arguments);
    }
    Json json(const std::string& schema, std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        const Finished done = volume(arguments);
        EXPECT_EQ(done.exit, 0) << done.err;
        EXPECT_EQ(done.err, "");
        const Json printed = parse(done.out);
        EXPECT_EQ(testing::SchemaCheck().problem(schema, printed), "") << done.out;
        return printed;
    }
    /// Three cases of two channels, one of them broken.
    void putCohort(const std::string& folder) {
        for (const char* name : {"a", "b", "c"}) {
            for (const char* channel : {"0000", "0001"}) {
                put(folder + "/imagesTr/" + name + "_" + channel + ".nii", niftiOf({40, 32, 24}));
            }
        }
        put(folder + "/labelsTr/a.nii", niftiOf({40, 32, 24}));
        put(folder + "/imagesTr/c_0001.nii", niftiOf({40, 32, 24}).substr(0, 1000));
        put(folder + "/imagesTr/d_0000.nii", niftiOf({40, 32, 24}));
    }
};

TEST_F(Volumes, ListsAFolderAndAFile) {
    put("f o'l\"der ü/b.nii", niftiOf({4, 3, 2}));
    put("f o'l\"der ü/a.nii", niftiOf({4, 3, 2}));
    put("f o'l\"der ü/notes.txt", "x");
    const std::string folder = path("f o'l\"der ü");
    const Json listed = json("volume-list.json", {"list", folder});
    EXPECT_EQ(listed["path"], folder);
    EXPECT_EQ(listed["scans"], Json({"a.nii", "b.nii"}));
    EXPECT_EQ(listed["ignored"], 1);
    EXPECT_THAT(volume({"list", folder}).out, AllOf(HasSubstr("scan     b.nii"), HasSubstr("1 other file")));
    const Json file = json("volume-list.json", {"list", folder + "/b.nii"});
    ASSERT_EQ(file["series"].size(), 1U);
    EXPECT_EQ(file["series"][0]["size"], Json({4, 3, 2}));
    EXPECT_EQ(file["series"][0]["spacing_mm"], Json({1, 1, 2}));
    EXPECT_THAT(volume({"list", folder + "/b.nii"}).out, HasSubstr("4 × 3 × 2"));
    expectRefusal(volume({"list", path("none")}), "none");
    expectRefusal(volume({"list", ""}), "empty");
}

TEST_F(Volumes, InfoOfWhatIsUnknown) {
    put("a.nii", niftiOf({4, 3, 2}, false));
    const Json info = json("volume-info.json", {"info", path("a.nii")});
    EXPECT_TRUE(info["spacing_mm"].is_null());
    EXPECT_FALSE(info["warnings"].empty());
    EXPECT_EQ(info["mean"], 111.5);
}

TEST_F(Volumes, ThePhantomIsSaidAndNeedsNoFile) {
    const Finished written = volume({"phantom", path("head.nii.gz")});
    EXPECT_EQ(written.exit, 0) << written.err;
    EXPECT_EQ(written.err, "");
    EXPECT_THAT(written.out,
                AllOf(HasSubstr(path("head.nii.gz") + ": 192 × 192 × 160 voxels, "), HasSubstr("MiB\n")));
    EXPECT_EQ(json("volume-info.json", {"info", "phantom:head"})["size"], Json({192, 192, 160}));
}

TEST_F(Volumes, ASeriesThatIsNotThere) {
    put("dicom/IM1", std::string(128, '\0') + "DICM and nothing more");
    expectRefusal(volume({"info", path("dicom"), "--series", "1.2.3"}), "dicom: ");
    expectRefusal(volume({"slice", path("dicom"), "--series", "1.2.3", "--out", path("a.pgm")}), "dicom: ");
    EXPECT_FALSE(fs::exists(path("a.pgm")));
}

TEST_F(Volumes, ACohortWithABrokenCase) {
    putCohort("set 1");
    const Json cohort = json("volume-cohort.json", {"cohort", path("set 1")});
    ASSERT_EQ(cohort["cases"].size(), 3U);
    const Json& good = cohort["cases"][0];
    EXPECT_EQ(good["name"], "a");
    EXPECT_TRUE(good["problem"].is_null());
    EXPECT_EQ(good["labels"], path("set 1/labelsTr/a.nii"));
    EXPECT_EQ(good["channels"].size(), 2U);
    EXPECT_EQ(good["channels"][1]["facts"]["size"], Json({40, 32, 24}));
    EXPECT_EQ(good["channels"][1]["facts"]["min"], 100);
    EXPECT_TRUE(cohort["cases"][1]["labels"].is_null());
    EXPECT_THAT(cohort["cases"][2]["problem"].get<std::string>(), HasSubstr("c_0001.nii: truncated"));
    EXPECT_TRUE(cohort["cases"][2]["channels"][0]["facts"].is_null());
    EXPECT_THAT(cohort["notes"].dump(), HasSubstr("d: has 1 channel where most cases have 2"));

    const Finished text = volume({"cohort", path("set 1"), "--headers-only"});
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("40 × 32 × 24"), HasSubstr("1 × 1 × 2"),
                                HasSubstr("problem: c_0001.nii: truncated"),
                                HasSubstr("3 cases, 1 of them cannot be read"), HasSubstr("note  d: ")));
    EXPECT_THAT(text.out, Not(HasSubstr("100 to"))) << "headers alone have no values";
    EXPECT_TRUE(json("volume-cohort.json",
                     {"cohort", path("set 1"), "--headers-only"})["cases"][0]["channels"][0]["facts"]["mean"]
                    .is_null());
    expectRefusal(volume({"cohort", path("none")}), "there is no such folder");
    fs::create_directories(path("empty"));
    expectRefusal(volume({"cohort", path("empty")}), "holds no scans");
}

TEST_F(Volumes, AnInterruptEndsASurvey) {
    put("many/c0.nii", niftiOf({4, 3, 2}));
    for (int i = 1; i < 2000; ++i) {
        fs::create_hard_link(path("many/c0.nii"), path("many/c" + std::to_string(i) + ".nii"));
    }
    Program program("highwater-cli", {"volume", "cohort", path("many")}, folder_.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.signal(SIGINT);
    const Finished done = program.wait();
    EXPECT_EQ(done.exit, 130) << done.err;
    EXPECT_EQ(done.out, "");
}

TEST_F(Volumes, ProposesPatchAndBatchAndWritesTheExperiment) {
    putCohort("set 1");
    const std::string net = experiment(Json::parse(R"({"loss": "mean", "stack": [
        {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1, "stride": [1, 2, 2]},
        {"type": "relu"}, {"type": "upsample", "scale_factor": [1, 2, 2]},
        {"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}]})"));
    const Json all = json("volume-propose.json",
                          {"propose", path("set 1"), net, "--target", "t4", "--out", path("run.json")});
    EXPECT_EQ(all["target"], "t4");
    EXPECT_EQ(all["cases"], 2);
    EXPECT_THAT(all["left_out"].dump(), HasSubstr("c_0001.nii: truncated"));
    EXPECT_EQ(all["median_size"], Json({40, 32, 24}));
    EXPECT_EQ(all["stride"], Json({1, 2, 2}));
    EXPECT_EQ(all["patch"], Json({24, 32, 40})) << "the whole median fits";
    EXPECT_EQ(all["batch_size"], 2);
    EXPECT_LE(all["estimated_peak_bytes"], all["capacity_bytes"]);
    EXPECT_EQ(all["covered_share"], 1);

    std::ifstream file(path("run.json"));
    const Json written = Json::parse(file);
    EXPECT_EQ(testing::SchemaCheck().problem("experiment.json", written), "");
    EXPECT_EQ(written["input"]["cohort"], "set 1");
    EXPECT_EQ(written["input"]["channels"], 2);
    EXPECT_EQ(written["input"]["patch"], all["patch"]);
    EXPECT_EQ(written["step"]["batch_size"], 2);
    const Finished again =
        Program("highwater-cli", {"predict", path("run.json"), "--target", "t4"}, folder_.path()).wait();
    EXPECT_EQ(again.exit, 0) << again.err;

    const Json small =
        json("volume-propose.json", {"propose", path("set 1"), net, "--target", "t4", "--budget", "500MiB"});
    EXPECT_EQ(small["capacity_bytes"], 500 << 20);
    const Finished text = volume({"propose", path("set 1"), net, "--target", "t4"});
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("estimated peak"), HasSubstr("24 × 32 × 40 (D × H × W)"),
                                HasSubstr("The whole median volume fits"), HasSubstr("cannot be read")));
    EXPECT_THAT(json("volume-propose.json", {"propose", path("set 1"), net})["target"], "cpu");
}

TEST_F(Volumes, ProposalRefusals) {
    putCohort("set");
    expectRefusal(volume({"propose", path("set"), experiment()}), "the target is the input with 2 channels");
    const std::string net = experiment(Json{{"loss", "mean"}});
    expectRefusal(volume({"propose", path("set"), path("none.json")}), "none.json");
    expectRefusal(volume({"propose", path("none"), net}), "there is no such folder");
    expectRefusal(volume({"propose", path("set"), net, "--target", "gtx9"}), "--target: ");
    expectRefusal(volume({"propose", path("set"), net, "--libtorch", "2.4"}), "--libtorch: is for a GPU");
    expectRefusal(volume({"propose", path("set"), net, "--budget", "lots"}), "--budget: ");
    expectRefusal(volume({"propose", path("set"), net, "--budget", "0"}), "--budget: ");
    expectRefusal(volume({"propose", path("set"), net, "--least-batch", "0"}), "--least-batch");
    expectRefusal(volume({"propose", path("set"), net, "--budget", "1KiB"}), "nothing fits");
    expectRefusal(volume({"propose", path("set"), net, "--out", test::nowhere() + "/a.json"}),
                  test::nowhere());
    put("bad/a.nii", "x");
    put("bad/b.nii", "y");
    expectRefusal(volume({"propose", path("bad"), net}), "no case can be read");
}

TEST_F(Volumes, HelpNamesTheParts) {
    for (const auto& [command, word] :
         std::vector<std::pair<const char*, const char*>>{{"list", "DICOM series"},
                                                          {"info", "--series"},
                                                          {"cohort", "--headers-only"},
                                                          {"propose", "--budget"}}) {
        const Finished help = volume({command, "--help"});
        EXPECT_EQ(help.exit, 0);
        EXPECT_THAT(help.out, HasSubstr(word)) << command;
    }
    EXPECT_THAT(volume({}).err, HasSubstr("list, header, info, read, slice, phantom, cohort, propose"));
}

/// Two series in one folder, one of them with a slice missing.
TEST_F(Volumes, AChoiceOfSeries) {
    const fs::path sag = scansFolder() / "sag-anon-dicom", mosaics = scansFolder() / "dcm-qa-ts";
    if (!fs::is_directory(sag) || !fs::is_directory(mosaics)) {
        GTEST_SKIP() << "no scans/sag-anon-dicom and dcm-qa-ts; set HIGHWATER_SCANS";
    }
    const fs::path mixed = path("mixed up");
    fs::create_directories(mixed);
    for (const auto& entry : fs::directory_iterator(sag)) {
        if (const auto name = entry.path().filename(); name != "0070.dcm" && name < fs::path("0081.dcm")) {
            fs::copy_file(entry.path(), mixed / name);
        }
    }
    for (const auto& entry : fs::directory_iterator(mosaics)) {
        if (entry.path().extension() == ".dcm") {
            fs::copy_file(entry.path(), mixed / "mosaic");
            break;
        }
    }
    ASSERT_TRUE(fs::exists(mixed / "mosaic"));
    const Json listed = json("volume-list.json", {"list", mixed.string()});
    ASSERT_EQ(listed["series"].size(), 2U);
    expectRefusal(volume({"info", mixed.string()}), "holds 2 series; choose one of");
    for (const Json& series : listed["series"]) {
        const std::string id = series["id"];
        expectRefusal(volume({"info", mixed.string(), "--series", id + "9"}), id);
        const Json info = json("volume-info.json", {"info", mixed.string(), "--series", id});
        EXPECT_EQ(info["size"], series["size"]);
        const bool gap = info["warnings"].dump().find("0069.dcm and 0071.dcm") != std::string::npos;
        EXPECT_EQ(gap, series["files"] != 1) << info["warnings"];
        if (gap) {
            EXPECT_EQ(info["size"][2], 16) << "0065 to 0080, of which one is missing";
            EXPECT_NEAR(info["spacing_mm"][2].get<double>(), 0.9, 1e-6);
        }
        EXPECT_EQ(volume({"slice", mixed.string(), "--series", id, "--out", path("a.pgm")}).exit, 0);
    }
}

TEST_F(Volumes, ARealSeries) {
    const fs::path series = scansFolder() / "sag-anon-dicom";
    if (!fs::is_directory(series)) {
        GTEST_SKIP() << "no scans/sag-anon-dicom; set HIGHWATER_SCANS";
    }
    const Json listed = json("volume-list.json", {"list", series.string()});
    const Json header = json("volume-header.json", {"header", series.string(), "--slice", "1"});
    EXPECT_GT(header["rows"].size(), 20U);
    ASSERT_EQ(listed["series"].size(), 1U);
    EXPECT_EQ(listed["series"][0]["files"], 64);
    EXPECT_EQ(listed["series"][0]["problem"], "");
    EXPECT_EQ(listed["unread"].size(), 0U);
    const Json info = json("volume-info.json", {"info", series.string(), "--series",
                                                listed["series"][0]["id"].get<std::string>()});
    EXPECT_EQ(info["size"], Json({256, 256, 64}));
    EXPECT_NEAR(info["spacing_mm"][2].get<double>(), 0.9, 1e-6);
    expectRefusal(volume({"info", series.string(), "--series", "1.2.3"}), "1.2.3");
}

}  // namespace
}  // namespace highwater::e2e
