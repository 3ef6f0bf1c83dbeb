#include "core/report/prediction_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/plan/plan_choice.h"
#include "core/plan/prediction_json.h"
#include "core/plan/prediction_words.h"
#include "core/report/page.h"
#include "core/report/pdf.h"
#include "core/report/portable.h"
#include "core/report/sweep_report.h"
#include "core/stack/json/json.h"
#include "tests/core/report/markup.h"
#include "tests/core/report/pdf_tools.h"
#include "tests/core/report/sample.h"

namespace highwater::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecretFolder = "/home/someone/patients";

stack::Experiment trained() {
    auto experiment = stack::parseExperiment(R"({"schema": "highwater.experiment/1", "name": "of a head",
        "input": {"scan": ["/home/someone/patients/head.nii.gz"], "patch": [48, 48, 48]},
        "target": {"threshold": 0.5}, "loss": "cross_entropy",
        "stack": [{"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1}, {"type": "relu"},
                  {"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1}, {"type": "relu"},
                  {"type": "conv", "out_channels": 2, "kernel_size": 3, "padding": 1}],
        "step": {"batch_size": 2}})",
                                             "test");
    EXPECT_TRUE(experiment) << experiment.error().message;
    return *experiment;
}

predict::Target rtx3060(const stack::Experiment& experiment) {
    auto target = predict::gpuTarget("rtx3060", experiment);
    EXPECT_TRUE(target) << target.error().message;
    return *target;
}

PredictionInput predicted() {
    PredictionInput input;
    input.experiment = trained();
    input.info = *stack::inferShapes(input.experiment);
    input.target = rtx3060(input.experiment);
    input.prediction = *predict::predict(input.experiment, input.info, input.target, {.inPython = true});
    input.created = "2026-11-28T07:05:12.345Z";
    return input;
}

PlanInput planned() {
    stack::Experiment experiment = trained();
    const std::vector<stack::Layer> once(experiment.stack.begin() + 2, experiment.stack.begin() + 4);
    for (int i = 0; i < 8; ++i) {
        experiment.stack.insert(experiment.stack.begin() + 2, once.begin(), once.end());
    }
    PlanInput input;
    input.target = rtx3060(experiment);
    input.curve = *plan::planCurve(experiment, input.target, {.inplace = false, .microBatches = false});
    input.capacity = input.curve.asItIs.fit.capacity;
    input.chosen = 0;
    const plan::Plan& chosen = input.curve.plans.front();
    input.before = *predict::predict(experiment, *stack::inferShapes(experiment), input.target);
    input.after = *predict::predict(chosen.experiment, *stack::inferShapes(chosen.experiment), input.target);
    return input;
}

DevicesInput devices() {
    DevicesInput input;
    input.experiment = trained();
    const auto fit = plan::fitOn(input.experiment, rtx3060(input.experiment));
    input.devices = {{"NVIDIA GeForce RTX 3060 12 GB", "rtx3060", "2.4", "9.1", *fit},
                     {"=a GPU", "gpu", "", "", base::Error{"there is no profile of it"}}};
    input.changesOn = "RTX 3060";
    input.changes = {{"Checkpoint every block", "Recomputes it.", *fit}};
    return input;
}

SweepInput swept() {
    study::Sweep sweep;
    sweep.name = "batches";
    sweep.base = trained();
    sweep.axes = {{"batch_size", {"/step/batch_size"}, {"1", "2", "4"}, ""}};
    auto cells = *study::expand(sweep, false);
    std::vector<study::Measured> measured(cells.size());
    for (std::size_t c = 0; c < 2; ++c) {  // the last one was not run
        measured[c].name = cells[c].subject.name;
        measured[c].result.peakAllocated = static_cast<base::Bytes>(c + 1) * base::kGiB;
        wire::Environment& environment = measured[c].result.environment;
        environment.device = "cuda:0";
        environment.deviceName = "NVIDIA H200";
        environment.versions = {{"libtorch", "2.4.0"}};
        measured[c].repeatMs = {100.0 / static_cast<double>(c + 1), 101.0 / static_cast<double>(c + 1)};
        measured[c].stepMs = base::medianWithInterval(measured[c].repeatMs);
    }
    return {study::evaluate(std::move(sweep), std::move(cells), std::move(measured)), ""};
}

std::string pageOf(const Content& content) {
    return page(content.document());
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

void expectWhole(const Content& content) {
    const std::string html = pageOf(content);
    EXPECT_EQ(count(html, "<svg"), count(html, "</svg>"));
    for (const std::string& text : {html, content.csv(), content.json()}) {
        EXPECT_THAT(text, Not(HasSubstr(kSecretFolder)));
    }
    if (hasPdfTools()) {
        EXPECT_THAT(textOf(pdf(content.document())), Not(HasSubstr(kSecretFolder)));
    }
}

TEST(PredictionReport, TheFirstPageSaysWhatIsPredictedForWhat) {
    if (!hasPdfTools()) {
        GTEST_SKIP() << "pdftotext is not there; install poppler-utils";
    }
    const PredictionInput input = predicted();
    std::string first;
    for (const PdfWord& word : wordsOf(pdf(contentOf(input).document()))) {
        first += word.page == 0 ? word.text + ' ' : "";
    }
    const predict::Prediction& p = input.prediction;
    for (const std::string& said :
         {std::string("of a head"), input.target.gpu->name,
          "LibTorch " + predict::toText(input.target.versions.libtorch),
          "cuDNN " + predict::toText(input.target.versions.cudnn), std::string("Fits"),
          "odds of running out " + plan::oddsText(p), base::formatBytes(p.peakReserved.expected),
          plan::rangeText(p.peakReserved), std::string("Batch and patch"), std::string("2 of 48³"),
          std::string("Assumptions")}) {
        EXPECT_THAT(first, HasSubstr(said));
    }
}

TEST(PredictionReport, HasTheOwnersOfThePeakAndTheStep) {
    const PredictionInput input = predicted();
    const std::string html = pageOf(contentOf(input));
    const std::string seen = visibleText(html);
    for (const memory::Category c : memory::kCategories) {
        if (input.prediction.peakByCategory[c] > 0) {
            EXPECT_THAT(seen, HasSubstr(base::formatBytes(input.prediction.peakByCategory[c])));
        }
    }
    for (std::size_t i = 0; i < input.info.layers.size(); ++i) {
        EXPECT_THAT(seen, HasSubstr(input.info.layers[i].name));
        EXPECT_THAT(seen, HasSubstr(base::formatBytes(input.prediction.layers[i].atPeak)));
    }
    EXPECT_EQ(count(html, "<svg"), 2) << "the step and the layers";
    EXPECT_THAT(html, HasSubstr("Report made 2026-11-28 07:05 UTC."));
}

TEST(PredictionReport, TheFiguresAreThePredictions) {
    const PredictionInput input = predicted();
    const Content content = contentOf(input);
    const auto document = nlohmann::ordered_json::parse(content.json());
    EXPECT_EQ(document["schema"], "highwater.report/1");
    EXPECT_EQ(document["prediction"],
              plan::predictionJson({input.info, input.target, input.prediction, 2, nullptr, nullptr, {}}));
    const auto lines = linesOf(content.csv());
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_THAT(lines[0], HasSubstr("target,device_name,libtorch,cudnn,name,batch_size,patch"));
    EXPECT_THAT(lines[1],
                HasSubstr(fmt::format("of a head,2,48x48x48,fp32,yes,fits,{},{},{},{},,{}",
                                      input.prediction.oomProbability, input.prediction.peakReserved.low,
                                      input.prediction.peakReserved.expected,
                                      input.prediction.peakReserved.high, input.prediction.capacity)));
}

TEST(PredictionReport, TheExperimentInsideOpensAgain) {
    const PredictionInput input = predicted();
    const auto document = nlohmann::ordered_json::parse(contentOf(input).json());
    const auto experiment = stack::parseExperiment(document["experiment"].dump(), "the report");
    ASSERT_TRUE(experiment) << experiment.error().message;
    EXPECT_EQ(*experiment, portable(input.experiment));
    EXPECT_EQ(std::get<stack::ScanInput>(experiment->input).scans.front().path, "head.nii.gz");
}

TEST(PredictionReport, NoReportHasAFolder) {
    const PredictionInput prediction = predicted();
    expectWhole(contentOf(prediction));
    const PlanInput plan = planned();
    expectWhole(contentOf(plan));
    const DevicesInput everywhere = devices();
    expectWhole(contentOf(everywhere));
    const SweepInput sweep = swept();
    expectWhole(contentOf(sweep));
    ReportInput run = reportOf({sampleRun()});
    run.runs.front().experiment = trained();
    run.scanNote = std::string("cannot read ") + kSecretFolder + "/head.nii.gz: no such file";
    expectWhole(contentOf(run));
    EXPECT_THAT(html(run), HasSubstr("cannot read head.nii.gz: no such file"));
}

TEST(PredictionReport, SaysThatItDoesNotFitOrMayNot) {
    PredictionInput input = predicted();
    input.prediction.fits = predict::Fits::No;
    input.prediction.oomProbability = 1;
    EXPECT_THAT(pageOf(contentOf(input)), HasSubstr("<div class=\"value\">Does not fit</div>"));
    input.prediction.fits = predict::Fits::Uncertain;
    input.prediction.oomProbability = 0.123;
    const std::string html = pageOf(contentOf(input));
    EXPECT_THAT(html, HasSubstr("<div class=\"value\">Uncertain: 12 % likely to run out</div>"));
    EXPECT_THAT(html, HasSubstr("odds of running out about 12 %"));
}

TEST(PlanReport, HasThePlanTheCurveAndTheStepAsItIs) {
    const PlanInput input = planned();
    const plan::Plan& chosen = input.curve.plans.front();
    ASSERT_FALSE(chosen.changes.empty());
    const std::string html = pageOf(contentOf(input));
    const std::string seen = visibleText(html);
    for (const std::string& change : chosen.changes) {
        EXPECT_THAT(seen, HasSubstr(change));
    }
    EXPECT_THAT(seen, HasSubstr(base::formatBytes(chosen.fit.peak.expected)));
    EXPECT_THAT(seen, HasSubstr("instead of " + base::formatBytes(input.curve.asItIs.fit.peak.expected)));
    EXPECT_THAT(seen, HasSubstr("The unchanged step"));
    EXPECT_THAT(seen, HasSubstr("recomputed"));
    EXPECT_EQ(count(html, "<svg"), 3) << "the curve, and a step before and after";
    const auto document = nlohmann::ordered_json::parse(contentOf(input).json());
    EXPECT_EQ(document["plans"]["curve"].size(), input.curve.plans.size());
    EXPECT_EQ(document["plans"]["as_it_is"], plan::planJson(input.curve.asItIs));
    EXPECT_EQ(*stack::parseExperiment(document["experiment"].dump(), "the report"),
              portable(chosen.experiment));
}

TEST(DevicesReport, HasARowForEachDevice) {
    const DevicesInput input = devices();
    const std::string seen = visibleText(pageOf(contentOf(input)));
    EXPECT_THAT(seen, HasSubstr("1 of 2"));
    EXPECT_THAT(seen, HasSubstr("there is no profile of it"));
    EXPECT_THAT(seen, HasSubstr("Checkpoint every block"));
    const auto lines = linesOf(contentOf(input).csv());
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_TRUE(lines[1].starts_with("rtx3060,NVIDIA GeForce RTX 3060 12 GB,2.4,9.1,of a head,2,"))
        << lines[1];
    EXPECT_TRUE(lines[2].starts_with("gpu,'=a GPU,,,of a head,2,")) << "no formula: " << lines[2];
    EXPECT_TRUE(lines[2].ends_with("there is no profile of it")) << lines[2];
}

TEST(SweepReport, HasTheCellsAndOpensAgain) {
    const SweepInput input = swept();
    const std::string seen = visibleText(pageOf(contentOf(input)));
    for (const char* said :
         {"2 of 3", "cuda:0, NVIDIA H200, LibTorch 2.4.0", "1.00 GiB", "not run", "best"}) {
        EXPECT_THAT(seen, HasSubstr(said));
    }
    const auto read = study::parseSweepResult(contentOf(input).json(), "the report");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->cells.size(), 3U);
    EXPECT_EQ(read->measured[1].result.peakAllocated, 2 * base::kGiB);
}

TEST(Formats, AReportOfAPredictionIsWrittenInEachOfThem) {
    const PredictionInput input = predicted();
    const auto folder = std::filesystem::temp_directory_path();
    for (const Format& format : formats()) {
        const auto file = folder / fmt::format("highwater-prediction-{}{}", getpid(), format.ending);
        const auto written = write(contentOf(input), file);
        EXPECT_TRUE(written) << written.error().message;
        EXPECT_GT(std::filesystem::file_size(file), 100U) << format.ending;
        std::filesystem::remove(file);
    }
    EXPECT_THAT(write(contentOf(input), folder / "a.txt").error().message, HasSubstr(".html, .pdf"));
}

}  // namespace
}  // namespace highwater::report
