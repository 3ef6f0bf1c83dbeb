#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/escape.h"
#include "core/report/portable.h"
#include "core/report/report.h"
#include "core/report/slices.h"
#include "core/report/words.h"
#include "core/stack/json/json.h"
#include "core/volume/slice.h"
#include "tests/core/report/markup.h"
#include "tests/core/report/sample.h"

namespace highwater::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A box of values whose axes point to the patient's left, anterior and superior, longer along each axis.
volume::Volume scan() {
    volume::Header header;
    header.geometry.size = {24, 32, 20};
    header.geometry.direction = {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    header.type = volume::VoxelType::U8;
    header.max = 255;
    header.warnings = {"no <spacing> is given"};
    const auto voxels = static_cast<std::size_t>(header.geometry.voxels());
    std::shared_ptr<std::byte[]> data(new std::byte[voxels]);
    for (std::size_t i = 0; i < voxels; ++i) {
        data[i] = static_cast<std::byte>(i * 7 % 251);
    }
    return {header, std::shared_ptr<const std::byte>(data, data.get())};
}

TEST(Html, NeedsNothingFromOutside) {
    ReportInput input = reportOf({sampleRun(), failedRun()});
    input.scan = scan();
    const std::string text = html(input);
    EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
    for (const char* attribute : {"src", "href", "xlink:href"}) {
        for (const std::string& value : attributeValues(text, attribute)) {
            EXPECT_TRUE(value.rfind("#", 0) == 0 || value.rfind("data:image/png;base64,", 0) == 0) << value;
        }
    }
    for (const char* outside :
         {"http:", "https:", "@import", "url(h", "<script", "<link", "<iframe", "file:"}) {
        EXPECT_THAT(text, Not(HasSubstr(outside)));
    }
}

TEST(Html, NestsAndItsIdsAreUnique) {
    const std::string text = html(reportOf({sampleRun(), sampleRun(30, 14), failedRun()}));
    const auto ids = attributeValues(text, "id");
    EXPECT_EQ(ids.size(), std::set<std::string>(ids.begin(), ids.end()).size());
    for (const char* tag :
         {"table", "tr", "td", "figure", "div", "svg", "section", "article", "p", "pre", "details"}) {
        EXPECT_EQ(count(text, std::string("<") + tag + ">") + count(text, std::string("<") + tag + " "),
                  count(text, std::string("</") + tag + ">"))
            << tag;
    }
}

TEST(Html, EscapesWhateverARunBringsAlong) {
    runs::RunRecord run = failedRun();
    const std::string evil = "<script>alert(1)</script>&\"'";
    run.summary.name = run.experiment.name = evil;
    run.result.failure->why = run.result.failure->layer = evil;
    run.result.layers[0].name = evil;
    run.result.environment.deviceName = evil;
    run.result.environment.versions["libtorch"] = evil;
    std::get<stack::ScanInput>(run.experiment.input).scans = {{"/data/" + std::string("<img src=x>"), {}, 0}};
    run.events.push_back(wire::Warning{evil});
    ReportInput input = reportOf({run, run});
    input.scanNote = evil;
    const std::string text = html(input);
    EXPECT_THAT(text, Not(HasSubstr("<script")));
    EXPECT_THAT(text, Not(HasSubstr("<img")));
    EXPECT_THAT(text, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;"));
}

TEST(Html, SaysThePeakOfTheRecord) {
    const runs::RunRecord run = sampleRun();
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(text,
                HasSubstr("<div class=\"value\">" + base::formatBytes(run.result.peakAllocated) + "</div>"));
    for (const memory::Category c : memory::kCategories) {
        EXPECT_THAT(text, HasSubstr(categoryText(c) + " " + base::formatBytes(run.result.peakByCategory[c])));
    }
    EXPECT_THAT(text, HasSubstr(base::formatMillis(run.result.stepMs.median)));
    EXPECT_THAT(text, HasSubstr(base::formatMillis(run.result.stepMs.low)));
    EXPECT_THAT(text, HasSubstr("27 measured steps, 3 warm-up"));
}

TEST(Html, SaysThatAPretendedRunWasNotMeasured) {
    const std::string text = html(reportOf({pretendedRun()}));
    EXPECT_THAT(text, HasSubstr("Peak memory, pretended"));
    EXPECT_THAT(text, HasSubstr("3 pretended steps"));
    EXPECT_THAT(text, HasSubstr("Pretended run #14"));
    EXPECT_THAT(text, HasSubstr("highwater-cli script --pretend rtx3060 train.py --batch 8"));
    EXPECT_THAT(text, Not(HasSubstr("experiment.json"))) << "there is none";
    EXPECT_THAT(text, HasSubstr("All figures are of a pretended GPU; none was measured."));
    EXPECT_EQ(count(text, "measured"), 1);
    EXPECT_THAT(text, Not(HasSubstr("Throughput")));

    const std::string both = html(reportOf({sampleRun(), pretendedRun()}));
    EXPECT_THAT(both, HasSubstr("Figures of pretended runs were not measured. All others were measured; "));
    runs::RunRecord nothing = pretendedRun(0);
    nothing.summary.status = wire::RunStatus::Running;
    nothing.result = {};
    EXPECT_EQ(count(html(reportOf({nothing})), "measured"), 1);
}

TEST(Html, HoldsTheExperimentToRunAgain) {
    const runs::RunRecord run = sampleRun();
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(text, HasSubstr(escape(stack::toText(portable(run.experiment)))));
    EXPECT_THAT(text,
                HasSubstr("highwater-cli run experiment.json --device cpu --steps 27 --warmup 3 --budget "
                          "2147483648"));
}

TEST(Html, ShowsAFailurePlainly) {
    const runs::RunRecord run = failedRun();
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(text, HasSubstr("<b>Out of memory</b>"));
    EXPECT_THAT(text, HasSubstr("Requested 480 MiB"));
    EXPECT_THAT(text, HasSubstr("measured step 1, backward, layer 6 concat"));
    EXPECT_THAT(text, HasSubstr(base::formatBytes(run.result.failure->ledger.total())));
    EXPECT_THAT(text, HasSubstr("when it failed"));
}

TEST(Html, SaysOnceHowMemoryRanOut) {
    runs::RunRecord run = failedRun();
    run.result.failure->why =
        "out of memory: backward of layer 6 concat asked for 480 MiB with 1.82 GiB in use, over the budget "
        "of "
        "2.00 GiB";
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(
        text,
        HasSubstr("<p>In measured step 1: backward of layer 6 concat asked for 480 MiB with 1.82 GiB in use, "
                  "over the budget of 2.00 GiB.</p>"));
    EXPECT_THAT(text, Not(HasSubstr("Requested")));
    EXPECT_THAT(text, HasSubstr("In use at that moment: "));
}

TEST(Html, TellsEveryLayerWithItsOptions) {
    const std::string text = html(reportOf({sampleRun()}));
    for (const char* word :
         {"64 channels, kernel 3, stride 2, padding 1", "checkpointed, 4 layers", "with enc1",
          "× 2, trilinear", "slope 0.01, in place", "240 MiB", "enc2 · 4 conv"}) {
        EXPECT_THAT(text, HasSubstr(word));
    }
    runs::RunRecord planned = sampleRun();
    planned.experiment.step.checkpoint.kind = stack::Checkpointing::Kind::None;
    EXPECT_THAT(html(reportOf({planned})), Not(HasSubstr("checkpointed, ")))
        << "the block's mark is not in use";
}

TEST(Html, ComparesSeveralRunsWithTheFirst) {
    runs::RunRecord other = sampleRun(30, 14);
    other.experiment.step.batchSize = 4;
    const std::string text = html(reportOf({sampleRun(), other}));
    EXPECT_THAT(text, HasSubstr("2 runs compared"));
    EXPECT_THAT(text, HasSubstr("batch 2 → 4"));
    EXPECT_THAT(html(reportOf({sampleRun()})), Not(HasSubstr("against #")));
}

TEST(Html, CopesWithRunsThatMeasuredLittle) {
    runs::RunRecord bare;
    bare.summary.status = wire::RunStatus::Failed;
    bare.summary.message = "the engine died: signal 9";
    EXPECT_THAT(html(reportOf({bare})), HasSubstr("the engine died: signal 9"));
    EXPECT_THAT(html(reportOf({sampleRun(0)})), HasSubstr("No step was completed"));
    EXPECT_THAT(html(reportOf({sampleRun(1)})), HasSubstr("0 measured steps, 1 warm-up"));
    EXPECT_THAT(html(reportOf({})), StartsWith("<!DOCTYPE html>"));
}

TEST(Html, StaysSmallWithManySteps) {
    EXPECT_LT(html(reportOf({sampleRun(10'000)})).size(), 1'000'000u);
}

TEST(Html, ShowsTheScanOrSaysWhyNot) {
    ReportInput input = reportOf({sampleRun()});
    input.scan = scan();
    const std::string text = html(input);
    EXPECT_EQ(count(text, "src=\"data:image/png;base64,iVBOR"), 3);
    EXPECT_THAT(text, HasSubstr("24 × 32 × 20 voxels"));
    EXPECT_THAT(text, HasSubstr("The box is the patch of measured step 2."));
    EXPECT_THAT(text, HasSubstr("no &lt;spacing&gt; is given"));
    input.scan.reset();
    input.scanNote = "The scan head.nii.gz is no longer there.";
    EXPECT_THAT(html(input), HasSubstr("The scan head.nii.gz is no longer there."));
}

/// The sample and its prediction: all layers except one are exact to the byte.
runs::RunRecord predictedRun() {
    runs::RunRecord run = sampleRun();
    wire::Predicted predicted;
    predicted.target = "cpu";
    predicted.peakByCategory = run.result.peakByCategory;
    predicted.peakByCategory[memory::Category::Temporaries] += 3 * base::kMiB;
    predicted.expected = run.result.peakAllocated * 11 / 10;
    predicted.low = run.result.peakAllocated;
    predicted.high = run.result.peakAllocated * 2;
    predicted.step = run.result.stepMs.median / 2;
    predicted.stepLow = predicted.stepHigh = predicted.step;
    for (const wire::LayerCost& layer : run.result.layers) {
        predicted.activationBytes.push_back(layer.activationBytes);
    }
    predicted.activationBytes[1] += 1;
    predicted.guesses = {"the workspace of <conv>"};
    run.result.predicted = predicted;
    return run;
}

TEST(Html, ACohortSaysHowManyCases) {
    runs::RunRecord run = sampleRun();
    stack::ScanInput input;
    input.cohort = "/data/heads <2>/";
    run.experiment.input = input;
    run.experiment.target = {};
    run.experiment.target.kind = stack::Target::Kind::Labels;
    const auto told = [&](std::int64_t cases) {
        run.result.cases = cases;
        return html(reportOf({run}));
    };
    EXPECT_THAT(told(12), HasSubstr("trained on the cohort heads &lt;2&gt;, 12 cases."));
    EXPECT_THAT(told(1), HasSubstr("the cohort heads &lt;2&gt;, 1 case."));
    EXPECT_THAT(told(0), HasSubstr("the cohort heads &lt;2&gt;.")) << "runs of earlier versions";
    EXPECT_THAT(told(12), HasSubstr("against each case&#39;s label map"));
}

TEST(Html, PredictedStandsBesideMeasuredAndIsCalledAnEstimate) {
    const runs::RunRecord run = predictedRun();
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(text, HasSubstr("<h2>Predicted and measured</h2>"));
    EXPECT_THAT(text, HasSubstr("Predicted for cpu before the run began: an estimate."));
    EXPECT_THAT(text, HasSubstr("-9.1 %"));    // the peak: the measurement was lower than the prediction
    EXPECT_THAT(text, HasSubstr("+100.0 %"));  // the step
    EXPECT_THAT(text, HasSubstr(base::formatBytes(run.result.predicted->low) + " to " +
                                base::formatBytes(run.result.predicted->high)));
    EXPECT_THAT(text,
                HasSubstr(fmt::format("The activations of {} other layers are as predicted, to the byte.",
                                      run.result.layers.size() - 1)));
    EXPECT_THAT(text, HasSubstr("<li>the workspace of &lt;conv&gt;</li>"));
    EXPECT_THAT(text, HasSubstr("Figures called an estimate were predicted; all others were measured."));
    EXPECT_THAT(text, Not(HasSubstr("none is an estimate")));
}

TEST(Html, WithoutAPredictionNothingIsAnEstimate) {
    EXPECT_THAT(html(reportOf({sampleRun()})), HasSubstr("All figures were measured; none is an estimate."));
    EXPECT_THAT(html(reportOf({sampleRun()})), Not(HasSubstr("Predicted and measured")));
    // One of the two is enough.
    EXPECT_THAT(html(reportOf({sampleRun(), predictedRun()})), Not(HasSubstr("none is an estimate")));
    // There is no measurement to compare it with.
    runs::RunRecord run = predictedRun();
    run.result.peakAllocated = 0;
    EXPECT_THAT(html(reportOf({run})), HasSubstr("none is an estimate"));
}

TEST(Html, LayersThatARunDidNotReachAreNoDifference) {
    runs::RunRecord run = predictedRun();
    run.result.stepMs = {};
    for (std::size_t i = run.result.layers.size() - 3; i < run.result.layers.size(); ++i) {
        run.result.layers[i].activationBytes = 0;
    }
    for (wire::LayerCost& layer : run.result.layers) {
        layer.forwardMs = layer.backwardMs = 0;
    }
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(text, HasSubstr("3 layers were not reached."));
    EXPECT_THAT(text, Not(HasSubstr("-100.0 %")));
    EXPECT_THAT(text, Not(HasSubstr("0.00 ms")));
    EXPECT_THAT(text, HasSubstr("Activation memory of each layer")) << "without a column of times";
}

TEST(Html, APredictionThatWasRightSaysSo) {
    runs::RunRecord run = predictedRun();
    wire::Predicted& predicted = *run.result.predicted;
    predicted.peakByCategory = run.result.peakByCategory;
    predicted.low = predicted.expected = predicted.high = run.result.peakAllocated;
    predicted.activationBytes[1] -= 1;
    predicted.step = std::nan("");
    predicted.guesses.clear();
    const std::string text = html(reportOf({run}));
    EXPECT_THAT(text, HasSubstr("an estimate that follows from rules and measured rows alone."));
    EXPECT_THAT(text, HasSubstr("The activations of every layer are as predicted, to the byte."));
    EXPECT_THAT(text, Not(HasSubstr("Assumptions:")));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(Slices, ThePatchBoxLiesOverThePatch) {
    const volume::Volume volume = scan();
    const volume::PatchBox box{{4, 8, 2}, {8, 16, 10}};
    const auto charts = sliceCharts(volume, box, 320);
    const std::string text = svg(charts[0]);
    // Axial: 24 x 32 voxels of 1 mm in a square of 320, 10 pixels each, so 40 pixels free at either side. The
    // first axis grows to the patient's left, which is the viewer's right; the second towards the top.
    const auto boxes = strokedPaths(text, 0xf0b13c);
    ASSERT_FALSE(boxes.empty());
    ASSERT_GE(boxes[0].size(), 2u);
    EXPECT_EQ(boxes[0][0], (PathPoint{80, 80}));
    EXPECT_EQ(boxes[0][1], (PathPoint{160, 80}));
}

TEST(Escape, RepairsTextThatIsNotUtf8) {
    EXPECT_EQ(escape("a\xFFz"), "a\xEF\xBF\xBDz");
    EXPECT_EQ(escape(std::string_view("\xC3", 1)), "\xEF\xBF\xBD");
    EXPECT_EQ(escape("× 2\n"), "× 2\n");
    EXPECT_EQ(escape(std::string_view("\0", 1)), "\xEF\xBF\xBD");
}

TEST(Escape, Base64OfTheStandardsExamples) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace highwater::report
