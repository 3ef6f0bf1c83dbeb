#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/widgets/timeline/random_trace.h"
#include "widgets/timeline/flame.h"
#include "widgets/timeline/trace_search.h"
#include "widgets/timeline/trace_tables.h"

namespace highwater::widgets {
namespace {

using highwater::testing::indexOf;
using highwater::testing::naiveAlive;
using highwater::testing::randomTrace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TraceSearch, ReadsWordsAndSizes) {
    const auto query = parseQuery("  Enc2 conv >100 MiB <= 2g ");
    ASSERT_TRUE(query);
    EXPECT_THAT(query->words, ElementsAre("enc2", "conv"));
    EXPECT_EQ(query->least, 100 * base::kMiB + 1);
    EXPECT_EQ(query->most, 2 * base::kGiB);
    EXPECT_EQ(parseQuery(">=1KiB")->least, 1024);
    EXPECT_EQ(parseQuery("> 5 < 3")->most, 2);
    EXPECT_EQ(*parseQuery("= 512"), (TraceQuery{{}, 512, 512}));
    EXPECT_THAT(parseQuery(">100 m conv")->words, ElementsAre("conv"));
    EXPECT_TRUE(parseQuery("   ")->empty());
    for (const char* wrong : {">", "> conv", "<-3", "=1.2.3GiB"}) {
        const auto bad = parseQuery(wrong);
        ASSERT_FALSE(bad) << wrong;
        EXPECT_THAT(bad.error().message, HasSubstr("a size such as 100 MiB"));
    }
}

TEST(TraceSearch, FindsWhatALookAtEachBlockFinds) {
    const auto trace = randomTrace(4, 600);
    const auto index = indexOf(trace);
    for (const char* text : {"conv", "enc2", "relu train.py", "> 1 KiB", "conv >=2KiB <100k", "gradients",
                             "optimizer state", "nothing like that", "= 0"}) {
        const auto query = parseQuery(text);
        ASSERT_TRUE(query);
        std::vector<std::uint32_t> wanted;
        for (std::uint32_t b = 0; b < trace.blocks.size(); ++b) {
            const BlockLife& life = index->life(b);
            std::string all(memory::categoryKey(life.category));
            std::replace(all.begin(), all.end(), '_', ' ');
            if (life.layer >= 0) {
                all += '\n' + trace.layers[static_cast<std::size_t>(life.layer)];
            }
            if (trace.blocks[b].label >= 0) {
                all += '\n' + trace.labels[static_cast<std::size_t>(trace.blocks[b].label)];
            }
            bool fits = (!query->least || trace.blocks[b].bytes >= *query->least) &&
                        (!query->most || trace.blocks[b].bytes <= *query->most);
            for (const std::string& word : query->words) {
                fits = fits && all.find(word) != std::string::npos;
            }
            if (fits) {
                wanted.push_back(b);
            }
        }
        std::vector<std::uint32_t> found = findBlocks(*index, *query);
        EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [&](auto a, auto b) {
            return index->life(a).begin < index->life(b).begin;
        }));
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, wanted) << text;
    }
}

TEST(TraceSearch, GoesRound) {
    const auto index = indexOf(randomTrace(4, 200));
    const auto found = findBlocks(*index, *parseQuery("conv"));
    ASSERT_GT(found.size(), 3U);
    EXPECT_EQ(nextFound(*index, found, index->states(), true), 0U);
    EXPECT_EQ(nextFound(*index, found, 0, false), found.size() - 1);
    const auto at = index->life(found[2]).begin;
    const auto next = nextFound(*index, found, at, true);
    EXPECT_GT(index->life(found[*next]).begin, at);
    EXPECT_EQ(nextFound(*index, {}, 0, true), std::nullopt);
}

TEST(TraceTables, LargestAreTheFirstOfAFullSort) {
    const auto trace = randomTrace(9, 800);
    const auto index = indexOf(trace);
    const StateRange range{100, 500};
    std::vector<std::uint32_t> all;
    for (std::uint32_t b = 0; b < trace.blocks.size(); ++b) {
        if (index->life(b).begin <= range.last && index->life(b).end > range.first) {
            all.push_back(b);
        }
    }
    std::stable_sort(all.begin(), all.end(),
                     [&](auto a, auto b) { return trace.blocks[a].bytes > trace.blocks[b].bytes; });
    EXPECT_EQ(largestBlocks(*index, range, LargestOrder::Bytes, true, 100000), all);
    all.resize(10);
    EXPECT_EQ(largestBlocks(*index, range, LargestOrder::Bytes, true, 10), all);
    const auto longest = largestBlocks(*index, range, LargestOrder::Lifetime, false, 20);
    EXPECT_TRUE(std::is_sorted(longest.begin(), longest.end(), [&](auto a, auto b) {
        return index->length(TimelineAxis::Time, a) < index->length(TimelineAxis::Time, b);
    }));
    const auto labels = largestBlocks(*index, range, LargestOrder::Label, false, 100000);
    EXPECT_EQ(labels.size(), largestBlocks(*index, range, LargestOrder::Bytes, true, 100000).size());
    EXPECT_EQ(trace.labels[static_cast<std::size_t>(trace.blocks[labels.back()].label)], "train.py:12 step");
}

TEST(TraceTables, SumsOfLayersAreTheTraces) {
    for (const bool timed : {true, false}) {
        const auto trace = randomTrace(6, 500, timed);
        const auto index = indexOf(trace);
        const TimelineAxis axis = index->axis(TimelineAxis::Time);
        for (const StateRange range : {allStates(*index), StateRange{40, 333}}) {
            double byteStates = 0;
            for (std::size_t s = range.first; s <= range.last; ++s) {
                byteStates +=
                    byteTime(*index, index->totals()[s], index->begin(axis, s + 1) - index->begin(axis, s));
            }
            const std::size_t peak = index->totals().of(range.first, range.last).highest;
            base::Bytes began = 0;
            for (std::size_t e = range.first == 0 ? 0 : range.first - 1; e < range.last; ++e) {
                if (trace.events[e].kind == memory::TraceEvent::Kind::Allocate) {
                    began += trace.blocks[trace.events[e].block].bytes;
                }
            }
            const auto sums = layerSums(*index, range);
            LayerSum all;
            for (const LayerSum& sum : sums) {
                all.atPeak += sum.atPeak;
                all.allocated += sum.allocated;
                all.byteTime += sum.byteTime;
            }
            EXPECT_EQ(all.atPeak, index->totals()[peak]);
            EXPECT_EQ(all.allocated, began);
            EXPECT_NEAR(all.byteTime, byteStates, 1e-9 * byteStates);
        }
    }
}

TEST(TraceTables, PeakBytesOfEachLayerAreThoseAlive) {
    const auto trace = randomTrace(8, 500);
    const auto index = indexOf(trace);
    std::vector<base::Bytes> wanted(trace.layers.size() + 1);
    for (const auto& block : naiveAlive(trace, index->peakState())) {
        wanted[block.layer < 0 ? trace.layers.size() : static_cast<std::size_t>(block.layer)] +=
            trace.blocks[block.block].bytes;
    }
    const auto sums = layerSums(*index, allStates(*index));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(sums[i].atPeak, wanted[i]);
    }
}

TEST(TraceTables, ComparesByName) {
    auto trace = randomTrace(1, 200);
    auto other = randomTrace(2, 250);
    other.layers = {"5 conv", "new", "enc2", "1 conv", "enc2 · 1 conv"};  // "enc2 · 2 relu" is gone
    const auto a = indexOf(trace), b = indexOf(other);
    const auto rows = compareLayers(*a, *b);
    std::vector<std::string> names;
    LayerSum here, there;
    for (const LayerDifference& row : rows) {
        names.push_back(row.name);
        here.allocated += row.here.allocated;
        there.allocated += row.other.allocated;
    }
    EXPECT_THAT(names, ElementsAre("1 conv", "enc2", "enc2 · 1 conv", "enc2 · 2 relu", "5 conv", "new", ""));
    const auto sumsA = layerSums(*a, allStates(*a)), sumsB = layerSums(*b, allStates(*b));
    EXPECT_EQ(rows[4].here, sumsA[4]);
    EXPECT_EQ(rows[4].other, sumsB[0]);
    EXPECT_EQ(rows[4].otherLayer, 0);
    EXPECT_EQ(rows[3].otherLayer, -1);
    EXPECT_EQ(rows[3].other, LayerSum{});
    EXPECT_EQ(rows[5].layer, -1);
    EXPECT_EQ(rows.back().other, sumsB.back());
}

TEST(Flame, BoxesNestAndAddUp) {
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
        const auto index = indexOf(randomTrace(seed, 500));
        const StateRange range{seed * 20, 400};
        const auto boxes = flameGraph(*index, range);
        ASSERT_GT(boxes.size(), 3U);
        double wanted = 0;
        for (const LayerSum& sum : layerSums(*index, range)) {
            wanted += sum.byteTime;
        }
        EXPECT_NEAR(boxes.front().value, wanted, 1e-9 * wanted);
        std::vector<double> within(boxes.size());
        for (std::size_t i = 1; i < boxes.size(); ++i) {
            const FlameBox& box = boxes[i];
            ASSERT_LT(box.parent, static_cast<int>(i));
            const FlameBox& parent = boxes[static_cast<std::size_t>(box.parent)];
            EXPECT_EQ(box.depth, parent.depth + 1);
            EXPECT_NEAR(box.begin, parent.begin + within[static_cast<std::size_t>(box.parent)] / wanted,
                        1e-9);
            within[static_cast<std::size_t>(box.parent)] += box.value;
        }
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (boxes[i].category < 0) {
                EXPECT_NEAR(within[i], boxes[i].value, 1e-9 * wanted);
            }
        }
        const auto inner = std::find_if(boxes.begin(), boxes.end(),
                                        [](const FlameBox& b) { return b.layer == 2 && b.category < 0; });
        ASSERT_NE(inner, boxes.end());
        EXPECT_EQ(inner->name, "1 conv");
        EXPECT_EQ(boxes[static_cast<std::size_t>(inner->parent)].name, "enc2");
    }
}

TEST(Flame, OfNothingIsNothing) {
    EXPECT_TRUE(flameGraph(*indexOf(memory::Trace{}), {0, 0}).empty());
}

}  // namespace
}  // namespace highwater::widgets
