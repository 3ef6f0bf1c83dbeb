#include "core/runs/filter.h"

#include <gmock/gmock.h>

#include <random>

namespace highwater::runs {
namespace {

using ::testing::HasSubstr;

RunSummary sample() {
    RunSummary run;
    run.id = "a1";
    run.number = 12;
    run.name = "UNet small";
    run.created = "2026-11-23T08:30:00Z";
    run.status = wire::RunStatus::OutOfMemory;
    run.device = "cuda:0";
    run.batchSize = 2;
    run.patch = {96, 96, 96};
    run.peakAllocated = 7 * base::kGiB;
    run.stepMs = {204, 200, 208, 17};
    run.message = "asked for 14.8 of 11.6 GiB";
    run.note = "of the paper";
    run.tags = {"paper", "Baseline"};
    run.study = {"s", "widths"};
    run.loss = 0.25;
    return run;
}

bool fits(const std::string& text, const RunSummary& run = sample()) {
    const auto filter = Filter::parse(text);
    EXPECT_TRUE(filter) << text << ": " << filter.error().message;
    return filter && filter->matches(run);
}

std::string refusal(const std::string& text) {
    const auto filter = Filter::parse(text);
    EXPECT_FALSE(filter) << text;
    return filter ? "" : filter.error().message;
}

TEST(Filter, EveryWordMustHold) {
    EXPECT_TRUE(fits(""));
    EXPECT_TRUE(fits("  "));
    EXPECT_TRUE(fits("peak<8GiB device=cuda tag=paper unet"));
    EXPECT_FALSE(fits("peak<8GiB device=cuda tag=paper unet transformer"));
    EXPECT_FALSE(fits("peak<6GiB device=cuda tag=paper unet"));
}

TEST(Filter, PlainWordsAreLookedForWhereARunHasWords) {
    for (const char* word : {"unet", "SMALL", "of", "paper", "base", "widths", "CUDA", "memory", "14.8",
                             "#12", "\"of the\"", "\"out of memory\""}) {
        EXPECT_TRUE(fits(word)) << word;
    }
    for (const char* word : {"nothing", "#1", "#120", "a1", "\"the of\""}) {
        EXPECT_FALSE(fits(word)) << word;
    }
}

TEST(Filter, ComparesSizesTimesAndNumbers) {
    for (const char* text : {"peak<8GiB",
                             "peak <= 7 GiB",
                             "peak=7gib",
                             "peak>=7168MiB",
                             "peak!=8GiB",
                             "PEAK>0",
                             "step<1s",
                             "step>=204",
                             "step < 0.1 min",
                             "step>203.9ms",
                             "step!=1h",
                             "batch=2",
                             "batch < 3",
                             "loss<=0.25",
                             "loss>-1",
                             "run>=12",
                             "steps=17",
                             "patch=96",
                             "patch=96x96x96",
                             "patch!=64",
                             "created=2026",
                             "created>2025-12",
                             "created<=2026-11-23",
                             "created>2026-11-23T08:00"}) {
        EXPECT_TRUE(fits(text)) << text;
    }
    for (const char* text : {"peak<7GiB", "peak>7GiB", "peak=0", "step<204ms", "batch!=2", "loss>1e3",
                             "patch=96x96", "patch!=96", "created<2026-11", "created>2026"}) {
        EXPECT_FALSE(fits(text)) << text;
    }
}

TEST(Filter, ComparesTexts) {
    for (const char* text :
         {"device=cuda", "device=CUDA:0", "device!=cpu", "device!=cuda:1", "status=oom", "status!=done",
          "status=out_of_memory", "status=\"out of memory\"", "tag=baseline", "tag!=base", "name=unet",
          "note=\"the paper\"", "study=width", "why=asked", "name!=vnet"}) {
        EXPECT_TRUE(fits(text)) << text;
    }
    for (const char* text : {"device=cud", "tag=base", "tag!=paper", "name!=unet", "status=running"}) {
        EXPECT_FALSE(fits(text)) << text;
    }
}

TEST(Filter, WhatWasNotMeasuredFitsNoComparison) {
    const RunSummary empty;
    for (const char* text :
         {"peak<8GiB", "peak>=0", "peak!=1GiB", "step<1s", "loss<1", "loss>=0", "steps>0"}) {
        EXPECT_FALSE(fits(text, empty)) << text;
    }
    EXPECT_TRUE(fits("tag!=paper", empty));
}

TEST(Filter, AWordThatIsNotUnderstoodSaysWhatWouldBeRight) {
    EXPECT_EQ(refusal("peek<8GiB"), "\"peek\" cannot be compared; did you mean \"peak\"?");
    EXPECT_THAT(refusal("lr=0.1"), HasSubstr("what can: peak, step,"));
    EXPECT_THAT(refusal("peak<8"), HasSubstr("as in peak<8GiB"));
    EXPECT_THAT(refusal("peak<many"), HasSubstr("\"many\" is not a size"));
    EXPECT_THAT(refusal("step>2days"), HasSubstr("step>200ms or step>1.5s"));
    EXPECT_THAT(refusal("batch=two"), HasSubstr("is not a number"));
    EXPECT_THAT(refusal("batch=2x"), HasSubstr("is not a number"));
    EXPECT_THAT(refusal("loss<nan"), HasSubstr("is not a number"));
    EXPECT_THAT(refusal("name<unet"), HasSubstr("write name=unet"));
    EXPECT_THAT(refusal("tag>=a"), HasSubstr("has no order"));
    EXPECT_THAT(refusal("status=fine"), HasSubstr("status=done"));
    EXPECT_THAT(refusal("patch=96x"), HasSubstr("patch=96x96x64"));
    EXPECT_THAT(refusal("created>yesterday"), HasSubstr("created>=2026-11-23"));
    EXPECT_THAT(refusal("<8GiB"), HasSubstr("no word before"));
    EXPECT_THAT(refusal("peak<"), HasSubstr("lacks a value"));
    EXPECT_THAT(refusal("peak<>8GiB"), HasSubstr("lacks a value"));
    EXPECT_THAT(refusal("note=\"of the"), HasSubstr("closing quote"));
}

/// A word and whether it matches the run, determined independently of the filter.
struct Said {
    std::string text;
    bool holds;
};

Said saidOf(std::mt19937& random, const RunSummary& run) {
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    const char* const signs[] = {"<", "<=", ">", ">=", "=", "!="};
    const int s = pick(6);
    const std::string blank = pick(2) ? " " : "", sign = blank + signs[s] + blank;
    const auto ordered = [&](double left, double right) {
        const double difference = left - right;
        return s == 0   ? difference < 0
               : s == 1 ? difference <= 0
               : s == 2 ? difference > 0
               : s == 3 ? difference >= 0
                        : (difference == 0) == (s == 4);
    };
    const std::string same = pick(2) ? "=" : "!=";
    switch (pick(6)) {
        case 0: {
            const int gib = pick(5);
            return {"peak" + sign + std::to_string(gib) + blank + "GiB",
                    run.peakAllocated > 0 && ordered(static_cast<double>(run.peakAllocated >> 30), gib)};
        }
        case 1: {
            const int ms = 100 * pick(5);
            return {"step" + sign + std::to_string(ms) + "ms",
                    run.stepMs.median > 0 && ordered(run.stepMs.median, ms)};
        }
        case 2: {
            const int batch = 1 + pick(4);
            return {"batch" + sign + std::to_string(batch),
                    ordered(static_cast<double>(run.batchSize), batch)};
        }
        case 3: {
            const std::string tag(1, static_cast<char>('a' + pick(3)));
            return {"tag" + same + tag,
                    (std::count(run.tags.begin(), run.tags.end(), tag) > 0) == (same == "=")};
        }
        case 4: {
            const std::string device = pick(2) ? "cpu" : "cuda";
            return {"device" + same + device, run.device.starts_with(device) == (same == "=")};
        }
        default: {
            const std::string word = "name" + std::to_string(pick(3));
            return {word, run.name == word};
        }
    }
}

RunSummary runOf(std::mt19937& random) {
    RunSummary run;
    run.name = "name" + std::to_string(random() % 3);
    run.device = random() % 2 ? "cpu" : "cuda:1";
    run.batchSize = 1 + random() % 4;
    run.peakAllocated = static_cast<base::Bytes>(random() % 5) << 30;
    run.stepMs.median = static_cast<double>(random() % 5) * 100;
    for (const char tag : {'a', 'b', 'c'}) {
        if (random() % 2) {
            run.tags.emplace_back(1, tag);
        }
    }
    return run;
}

TEST(Filter, AnyWordsHoldWhereEachOfThemHolds) {
    std::mt19937 random(1);
    int held = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const RunSummary run = runOf(random);
        std::string text;
        bool all = true;
        for (int words = 1 + static_cast<int>(random() % 3); words > 0; --words) {
            const Said said = saidOf(random, run);
            text += (text.empty() ? "" : " ") + said.text;
            all = all && said.holds;
        }
        ASSERT_EQ(fits(text, run), all) << text;
        held += all;
    }
    EXPECT_GT(held, 1000);
}

TEST(Filter, AnyTextIsAFilterOrOneLine) {
    std::mt19937 random(2);
    const std::string_view pieces[] = {"peak",    "<",      "=",     "!",  "\"",   " ", "8", "GiB",
                                       "tag",     "\n",     "\xff",  "#",  "step", "x", "-", "1e999",
                                       "created", "2026-1", "patch", ">=", "µ",    "."};
    for (int trial = 0; trial < 50000; ++trial) {
        std::string text;
        for (int i = static_cast<int>(random() % 8); i >= 0; --i) {
            text += pieces[random() % std::size(pieces)];
        }
        const auto filter = Filter::parse(text);
        if (filter) {
            (void)filter->matches(sample());
        } else {
            ASSERT_FALSE(filter.error().message.empty());
            ASSERT_EQ(filter.error().message.find('\n'), std::string::npos) << text;
            ASSERT_LT(filter.error().message.size(), 400U) << text;
        }
    }
}

}  // namespace
}  // namespace highwater::runs
