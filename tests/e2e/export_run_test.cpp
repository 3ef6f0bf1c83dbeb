#include <algorithm>
#include <cmath>

#include "core/engine/run/runner.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/stack/random_stack.h"
#include "tests/e2e/export_fixture.h"
#include "tests/e2e/python_programs.h"

/// The exported program is run with the PyTorch version of the engine's LibTorch, and must print the same
/// values as the engine.
namespace highwater::e2e {
namespace {

/// The output of one program over three steps.
struct Said {
    std::vector<double> losses;
    double peak = 0;
};

class ExportAndRun : public Export {
protected:
    void SetUp() override {
        if (const std::string missing = missingPrograms(); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
        static const std::unique_ptr<PythonPrograms> programs = findPython();
        programs_ = programs.get();
        if (programs_ == nullptr) {
            GTEST_SKIP() << "no python3 here has numpy and torch " << version()
                         << ", the engine's LibTorch (Debian: python3-torch)";
        }
    }

    /// The version of the engine's LibTorch: "1.13.0".
    std::string version() {
        const Finished said =
            Program(programPath("highwater-engine"), {"--environment"}, folder_.path()).wait();
        return parse(said.out).at("libtorch");
    }

    /// Python with the engine's LibTorch version: another version computes different bits.
    std::unique_ptr<PythonPrograms> findPython() {
        const std::string engines = version();
        const char* const named = std::getenv("HIGHWATER_PYTHON");
        for (const std::string& python : {std::string(named ? named : ""), std::string("/usr/bin/python3"),
                                          std::string("/usr/local/bin/python3")}) {
            if (auto programs = PythonPrograms::start(python, engines)) {
                return programs;
            }
        }
        return nullptr;
    }

    Said engine(const std::string& experiment, const std::string& steps = "3") {
        const Finished done = cli({"run", experiment, "--steps", steps, "--warmup", "0", "--events"});
        EXPECT_EQ(done.exit, 0) << done.err;
        Said said;
        std::istringstream lines(done.out);
        for (std::string line; std::getline(lines, line);) {
            const Json event = parse(line);
            if (event["event"] == "step") {
                said.losses.push_back(event["loss"]);
            }
            if (event["event"] == "finished") {
                said.peak = event["result"]["peak_allocated_bytes"];
            }
        }
        return said;
    }

    /// The engine in this process, for experiments without a scan: starting it takes longer than such a run.
    Said engineHere(const std::string& experiment) {
        const auto read = stack::loadExperiment(experiment);
        EXPECT_TRUE(read.ok()) << read.error().message;
        engine::RunRequest request;
        request.experiment = *read;
        request.steps = 3;
        request.warmup = 0;
        const std::atomic<bool> cancel{false};
        const auto result = engine::run(request, [](const wire::Event&) {}, cancel);
        EXPECT_TRUE(result.ok()) << result.error().message;
        return {result->losses, static_cast<double>(result->peakAllocated)};
    }

    Said pytorch(const std::string& experiment, const std::string& steps = "3") {
        const Finished made = exported({experiment, "--out", path("model.py")});
        EXPECT_EQ(made.exit, 0) << made.err;
        return saidBy(programs_->run({path("model.py"), "--steps", steps, "--device", "cpu", "--memory"},
                                     folder_.path()));
    }

    /// The program in a separate Python, as users start it.
    Said pytorchAlone(const std::string& experiment, const std::string& steps) {
        const Finished made = exported({experiment, "--out", path("model.py")});
        EXPECT_EQ(made.exit, 0) << made.err;
        return saidBy(Program(programs_->python(),
                              {path("model.py"), "--steps", steps, "--device", "cpu", "--memory"},
                              folder_.path())
                          .wait());
    }

    Said saidBy(const Finished& done) {
        EXPECT_EQ(done.exit, 0) << done.err << read("model.py");
        Said said;
        std::istringstream words(done.out);
        for (std::string word; words >> word;) {
            if (word == "peak") {
                words >> said.peak;
            } else {
                said.losses.push_back(std::stod(word));
            }
        }
        return said;
    }

    /// The largest relative difference of a step's loss; losses below a thousandth count as a thousandth.
    static double difference(const Said& a, const Said& b) {
        if (a.losses.size() != b.losses.size() || a.losses.empty()) {
            return 1;
        }
        double most = 0;
        for (std::size_t i = 0; i < a.losses.size(); ++i) {
            most =
                std::max(most, std::abs(a.losses[i] - b.losses[i]) / std::max(std::abs(a.losses[i]), 1e-3));
        }
        return most;
    }

    void expectEqualLosses(const std::string& experiment) {
        expectEqual(engineHere(experiment), pytorch(experiment));
    }
    void expectEqual(const Said& a, const Said& b) {
        const double apart = difference(a, b);
        EXPECT_LE(apart, 1e-5) << read("model.py");
        largest_ = std::max(largest_, apart);
    }
    void TearDown() override {
        if (largest_ > 0) {
            std::printf("largest relative difference of a loss: %.3g\n", largest_);
        }
    }

    bool hasPackage(const char* name) {
        return Program(programs_->python(), {"-c", std::string("import ") + name}, folder_.path())
                   .wait()
                   .exit == 0;
    }

    PythonPrograms* programs_ = nullptr;
    double largest_ = 0;
};

TEST_F(ExportAndRun, PresetsHaveTheSameLossesAndPeak) {
    const std::filesystem::path presets = std::filesystem::path(HIGHWATER_SOURCE_DIR) / "resources/presets";
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(presets)) {
        if (entry.path().filename() == "index.json") {
            continue;
        }
        SCOPED_TRACE(entry.path().filename().string());
        const Said a = engine(entry.path().string()), b = pytorch(entry.path().string());
        EXPECT_LE(difference(a, b), 1e-5);
        EXPECT_NEAR(b.peak, a.peak, a.peak / 100);
        std::printf("%-14s loss %.2g, peak %+.2g\n", entry.path().stem().c_str(), difference(a, b),
                    b.peak / a.peak - 1);
        ++seen;
    }
    EXPECT_GE(seen, 5);
}

TEST_F(ExportAndRun, RandomStacksHaveTheSameLosses) {
    stack::testing::RandomLimits limits;
    limits.elements = 1 << 14;
    int ran = 0;
    for (std::uint64_t seed = 1; ran < 30 && seed < 200; ++seed) {
        const stack::Experiment e = stack::testing::randomExperiment(seed, limits);
        if (!stack::checkSupported(e, *stack::inferShapes(e), false)) {
            continue;
        }
        SCOPED_TRACE(seed);
        expectEqualLosses(write("random.json", stack::toText(e)));
        ++ran;
    }
    EXPECT_EQ(ran, 30) << "random stacks that the engine runs";
}

/// Levers and layers that random stacks do not contain, each as a change of a small experiment.
class ExportOf : public ExportAndRun,
                 public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(ExportOf, HasTheSameLosses) {
    expectEqualLosses(experiment(Json::parse(GetParam().second)));
}

constexpr const char* kBlocks = R"([
    {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1, "id": "a"},
    {"type": "batch_norm"}, {"type": "relu", "inplace": true},
    {"type": "block", "name": "train", "checkpoint": true, "layers": [
      {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "batch_norm"},
      {"type": "head", "out_channels": 1, "weight": 0.5},
      {"type": "block", "checkpoint": true, "layers": [
        {"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "dropout", "p": 0.3}]}]},
    {"type": "block", "checkpoint": true, "layers": [
      {"type": "leaky_relu", "inplace": true}, {"type": "conv", "out_channels": 4, "kernel_size": 1}]},
    {"type": "add", "with": "a"}, {"type": "conv", "out_channels": 1, "kernel_size": 1}])";

INSTANTIATE_TEST_SUITE_P(
    Levers, ExportOf,
    ::testing::Values(
        std::pair("Segments", R"({"step": {"checkpoint": {"segments": 2}}})"),
        std::pair("MicroBatches", R"({"step": {"batch_size": 4, "micro_batches": 2},
            "optimizer": {"type": "adamw", "lr": 0.01, "betas": [0.8, 0.99], "amsgrad": true}})"),
        std::pair("Evaluation", R"({"step": {"train": false, "micro_batches": 2}})"),
        std::pair("Backend", R"({"backend": {"threads": 1, "onednn": false, "deterministic": true}})"),
        std::pair("WindowsTraining",
                  R"({"windows": {"size": [8, 6, 12], "overlap": 0.5}, "step": {"micro_batches": 2}})"),
        std::pair("WindowsBlended", R"({"windows": {"size": 8, "overlap": 0.5}, "step": {"train": false}})"),
        std::pair("AugmentedNoise", R"({"input": {"synthetic": [1, 12, 12, 8]},
            "data": {"augment": [{"type": "flip"}, {"type": "rotate90"}, {"type": "brightness"}]}})"),
        std::pair("Naive", R"({"stack": [{"type": "custom_conv", "transform_channels": 2, "out_channels": 4,
            "kernel_size": 3, "padding": 1, "implementation": "naive"}, {"type": "conv", "out_channels": 1, "kernel_size": 1}]})"),
        std::pair("Cached", R"({"stack": [{"type": "custom_conv", "transform_channels": 2, "out_channels": 4,
            "kernel_size": [3, 2, 3], "padding": "same", "kernel": "laplacian", "implementation": "cached"},
            {"type": "conv", "out_channels": 1, "kernel_size": 1}]})"),
        std::pair("Fused", R"({"stack": [{"type": "custom_conv", "transform_channels": 2, "out_channels": 4,
            "kernel_size": 3, "padding": 1, "kernel": "random", "implementation": "fused"}, {"type": "conv", "out_channels": 1, "kernel_size": 1}]})")),
    [](const auto& each) { return each.param.first; });

TEST_F(ExportAndRun, NestedBlocksAndHeadsHaveTheSameLosses) {
    expectEqualLosses(experiment({{"stack", Json::parse(kBlocks)}}));
    expectEqualLosses(experiment({{"stack", Json::parse(kBlocks)}, {"step", {{"checkpoint", "sqrt"}}}}));
    const Json plan = {{"plan", Json::parse("[[1, 5, [[2, 4]]], [5, 8]]")}};
    expectEqualLosses(experiment({{"stack", Json::parse(kBlocks)}, {"step", {{"checkpoint", plan}}}}));
}

/// Debian's python3-nibabel, or SimpleITK.
class ExportOfScans : public ExportAndRun {
protected:
    void SetUp() override {
        ExportAndRun::SetUp();
        if (!IsSkipped() && !hasPackage("nibabel") && !hasPackage("SimpleITK")) {
            GTEST_SKIP() << "this python has neither nibabel nor SimpleITK to read scans with";
        }
    }
};

TEST_F(ExportOfScans, TheSampleRunsAsItStands) {
    const Said a = engine(kSample, "2"), b = pytorchAlone(kSample, "2");
    EXPECT_LE(difference(a, b), 1e-5);
}

TEST_F(ExportOfScans, PatchesHaveTheSameLosses) {
    ASSERT_EQ(cli({"volume", "phantom", path("head.nii.gz")}).exit, 0);
    for (const char* change :
         {R"({"input": {"synthetic": null, "scan": "head.nii.gz", "patch": [16, 12, 20]}})",
          R"({"input": {"synthetic": null, "scan": "head.nii.gz", "patch": 16, "sampling": "foreground",
              "normalize": {"window": [-100, 300]}}, "target": {"threshold": 100},
              "data": {"workers": 2, "augment": [{"type": "flip"}, {"type": "rotate90"}, {"type": "rotate"},
                                                 {"type": "scale"}, {"type": "blur"}, {"type": "gamma"}]}})"}) {
        SCOPED_TRACE(change);
        const std::string file = experiment(Json::parse(change));
        const Said a = engine(file), b = pytorch(file);
        EXPECT_LE(difference(a, b), std::string(change).find("augment") == std::string::npos ? 1e-5 : 1e-4);
    }
}

/// Five voxels of 60,000, one of them at the edge: a voxel drawn at random is hardly ever one of them.
TEST_F(ExportAndRun, PatchesOfRareForegroundHaveTheSameLosses) {
    if (!hasPackage("nibabel") && !hasPackage("SimpleITK")) {
        GTEST_SKIP() << "this python has neither nibabel nor SimpleITK to read scans with";
    }
    test::Nifti file;
    file.dim = {3, 50, 40, 30, 1, 1, 1, 1};
    std::vector<std::int16_t> voxels(50 * 40 * 30), labels(voxels.size());
    for (std::size_t i = 0; i < voxels.size(); ++i) {
        voxels[i] = static_cast<std::int16_t>(i % 31);
    }
    for (const std::size_t i :
         {std::size_t{0}, std::size_t{20'321}, std::size_t{20'322}, std::size_t{44'444}, voxels.size() - 7}) {
        voxels[i] = 3000;
        labels[i] = 1;
    }
    write("scan.nii", test::niftiFile(file, voxels));
    write("labels.nii", test::niftiFile(file, labels));
    for (const char* target : {R"({"threshold": 100})", R"({"labels": "labels.nii"})"}) {
        SCOPED_TRACE(target);
        const std::string file = experiment({{"input",
                                              {{"synthetic", nullptr},
                                               {"scan", "scan.nii"},
                                               {"patch", {6, 7, 8}},
                                               {"sampling", "foreground"}}},
                                             {"target", Json::parse(target)}});
        expectEqual(engine(file), pytorch(file));
    }
}

}  // namespace
}  // namespace highwater::e2e
