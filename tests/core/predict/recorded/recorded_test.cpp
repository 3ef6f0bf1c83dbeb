#include "core/predict/recorded/recorded.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <random>

#include "core/base/file.h"
#include "core/predict/recorded/recorded_text.h"
#include "core/predict/workspaces/workspace.h"
#include "tests/core/predict/cuda/walks.h"
#include "tests/core/stack/random_stack.h"
#include "tests/core/temporary_folder.h"

namespace highwater::predict {
namespace {

using namespace highwater::predict::testing;
using base::Bytes;
using memory::Category;
using memory::TraceEvent;
using stack::Experiment;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The workspace of a part on a device: any number that depends only on the part, 0 for a third of them.
Bytes takenFor(const std::string& part) {
    const std::size_t hash = std::hash<std::string>()(part);
    return hash % 3 == 0 ? 0 : static_cast<Bytes>(hash % 5'000'000 + 1);
}

struct Recording {
    int steps = 3;
    bool stacks = true;  ///< the stacks show which blocks are workspaces
    int noise = 0;       ///< of 100 requests, the number followed by one that is not the network's
    bool setup = true;   ///< the recording begins before the network is created
    std::uint64_t seed = 1;
};

/// A recording as PyTorch would make it if cuDNN used takenFor() for each part: the walk's setup and first
/// step, then its second step repeatedly.
class Recorder {
public:
    Recorder(const Experiment& experiment, const Target& target, const Recording& how)
        : walk_(walkOf(experiment, target)), how_(how), random_(how.seed) {
        Target settled = target;
        settled.settings = cudaSettings(experiment);
        for (const Walk::CudnnCall& call : walk_.cudnnCalls) {
            const ConvKey& key = walk_.convolutions[static_cast<std::size_t>(call.convolution)].key;
            const Bytes bytes = takenFor(partName({key, switchesOf(settled.settings)}, call.part));
            taken_.push_back(bytes);
            if (call.block >= 0) {
                sizes_[static_cast<std::uint32_t>(call.block)] = bytes;
            }
        }
        play(0, walk_.stepEvent[1]);
        for (int step = 1; step < how.steps; ++step) {
            play(walk_.stepEvent[1], walk_.events.size());
        }
        if (!how.setup) {
            forgetSetup();
        }
        trace.allEvents = static_cast<std::int64_t>(trace.events.size());
        const auto sound = memory::check(trace);
        EXPECT_TRUE(sound) << sound.error().message;
    }

    memory::Trace trace;

private:
    void add(TraceEvent::Kind kind, std::uint32_t block, Category category) {
        TraceEvent& made = trace.events.emplace_back();
        made.time = static_cast<std::int64_t>(trace.events.size());
        made.block = block;
        made.kind = kind;
        made.category = category;
    }
    void passing(Bytes bytes, Category category) {
        const auto block = static_cast<std::uint32_t>(trace.blocks.size());
        trace.blocks.push_back({bytes, bytes, -1});
        add(TraceEvent::Kind::Allocate, block, category);
        add(TraceEvent::Kind::Free, block, category);
    }
    Category categoryOf(bool workspace) const {
        return workspace && how_.stacks ? Category::Workspace : Category::Temporaries;
    }

    /// Executes events of the walk; the blocks of an earlier repetition are different ones.
    void play(std::size_t from, std::size_t to) {
        std::size_t call = 0;
        while (call < walk_.cudnnCalls.size() && walk_.cudnnCalls[call].event < from) {
            ++call;
        }
        for (std::size_t i = from; i < to; ++i) {
            for (; call < walk_.cudnnCalls.size() && walk_.cudnnCalls[call].event == i; ++call) {
                if (walk_.cudnnCalls[call].block < 0 && taken_[call] > 0) {
                    passing(taken_[call], categoryOf(true));
                }
            }
            const WalkEvent& event = walk_.events[i];
            const auto special = sizes_.find(event.block);
            const Bytes bytes =
                special != sizes_.end() ? special->second : walk_.blocks[event.block].bytes.expected;
            if (event.kind == WalkEvent::Kind::Retag || bytes == 0) {
                continue;
            }
            if (event.kind == WalkEvent::Kind::Allocate) {
                now_[event.block] = static_cast<std::uint32_t>(trace.blocks.size());
                trace.blocks.push_back({bytes, bytes, -1});
                add(TraceEvent::Kind::Allocate, now_[event.block], categoryOf(special != sizes_.end()));
                if (static_cast<int>(random_() % 100) < how_.noise) {
                    passing(static_cast<Bytes>(random_() % 3'000'000 + 1), Category::Temporaries);
                }
            } else {
                add(TraceEvent::Kind::Free, now_[event.block], categoryOf(special != sizes_.end()));
            }
        }
    }

    /// As if the recording began with the first step: only the blocks alive then are known.
    void forgetSetup() {
        std::vector<bool> alive(trace.blocks.size());
        const std::size_t events = walk_.stepEvent[0] / 2;  // in the middle of the setup
        for (std::size_t i = 0; i < events && i < trace.events.size(); ++i) {
            alive[trace.events[i].block] = trace.events[i].kind == TraceEvent::Kind::Allocate;
        }
        for (std::uint32_t block = 0; block < alive.size(); ++block) {
            if (alive[block]) {
                trace.alive.push_back({block, Category::Temporaries, -1});
            }
        }
        trace.events.erase(trace.events.begin(), trace.events.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                            events, trace.events.size())));
    }

    Walk walk_;
    Recording how_;
    std::mt19937_64 random_;
    std::vector<Bytes> taken_;  // by call
    std::unordered_map<std::uint32_t, Bytes> sizes_;
    std::unordered_map<std::uint32_t, std::uint32_t> now_;
};

base::Result<RecordedComparison> compared(const Experiment& e, const Target& on, const memory::Trace& trace) {
    const auto info = stack::inferShapes(e);
    EXPECT_TRUE(info) << info.error().message;
    return compareWithRecording(e, *info, on, trace);
}

/// The number of workspaces that would be learned; all of them must be right.
std::size_t learnedRightly(const RecordedComparison& comparison, const Target& on) {
    const GpuTable rows = measuredRows(comparison, on);
    for (const RecordedWorkspace& each : comparison.workspaces) {
        if (const auto bytes = rows.workspace(each.convolution, each.part)) {
            EXPECT_EQ(*bytes, takenFor(partName(each.convolution, each.part)))
                << partName(each.convolution, each.part);
        }
    }
    return rows.size();
}

const Experiment& net() {
    static const Experiment made =
        experiment("[3, 32, 32, 32]",
                   R"({"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1}, {"type": "relu"},
           {"type": "conv", "out_channels": 32, "kernel_size": 3, "padding": 1, "stride": 2},
           {"type": "relu"},
           {"type": "conv", "out_channels": 4, "kernel_size": 1})");
    return made;
}

TEST(Recorded, EveryWorkspaceIsFoundWithAndWithoutStacks) {
    const Target on = target(net());
    for (const bool stacks : {true, false}) {
        for (const bool setup : {true, false}) {
            Recording how;
            how.stacks = stacks;
            how.setup = setup;
            const Recorder recorder(net(), on, how);
            const auto comparison = compared(net(), on, recorder.trace);
            ASSERT_TRUE(comparison) << comparison.error().message;
            EXPECT_EQ(comparison->found, comparison->requests);
            EXPECT_GE(comparison->steps, 2);
            EXPECT_EQ(learnedRightly(*comparison, on), comparison->workspaces.size());
            EXPECT_EQ(comparison->workspaces.size(), 8U);  // three forward, three of weights, two of inputs
            EXPECT_EQ(comparison->unexplained, 0);
        }
    }
}

TEST(Recorded, WhatWasLearnedIsPredictedAsMeasured) {
    Target on = target(net());
    const Recorder recorder(net(), on, {});
    const auto comparison = compared(net(), on, recorder.trace);
    ASSERT_TRUE(comparison) << comparison.error().message;
    on.gpuTable = std::make_shared<GpuTable>(measuredRows(*comparison, on));
    EXPECT_EQ(on.gpuTable->key(), (GpuKey{"2.4", "9.1.0", 90, "h100"}));
    const auto info = stack::inferShapes(net());
    const auto prediction = predict(net(), *info, on);
    ASSERT_TRUE(prediction) << prediction.error().message;
    EXPECT_EQ(prediction->withoutRow, 0U);
    EXPECT_TRUE(prediction->exact());
    for (const Workspace& each : prediction->workspaces) {
        EXPECT_EQ(each.source, Workspace::Source::Measured);
    }
    const auto again = compared(net(), on, recorder.trace);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->predictedPeak, Estimate::of(again->recordedPeak));
    for (const RecordedKind& kind : again->kinds) {
        EXPECT_EQ(kind.predicted, kind.recorded) << memory::categoryKey(kind.category);
        EXPECT_EQ(kind.keptLonger, 0);
    }
}

TEST(Recorded, NothingWrongIsLearnedFromRandomStacksAmongOtherRequests) {
    std::size_t found = 0, all = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        stack::testing::RandomLimits limits;
        limits.without = {"custom_conv", "inplace_abn"};
        limits.elements = std::int64_t{1} << (15 + seed % 10);
        const Experiment random = stack::testing::randomExperiment(seed, limits);
        const Target on = target(random);
        Recording how;
        how.stacks = seed % 2 == 0;
        how.noise = static_cast<int>(seed % 5) * 10;
        how.steps = 6;
        how.seed = seed;
        const Recorder recorder(random, on, how);
        const auto comparison = compared(random, on, recorder.trace);
        if (!comparison) {
            EXPECT_THAT(comparison.error().message, HasSubstr("does not show this experiment"));
            continue;
        }
        found += learnedRightly(*comparison, on);
        all += comparison->workspaces.size();
    }
    EXPECT_GT(all, 500U);
    EXPECT_GT(static_cast<double>(found), 0.7 * static_cast<double>(all));
}

TEST(Recorded, AWorkspaceThatIsNotAlwaysTheSameIsNotLearned) {
    const Target on = target(net());
    Recorder recorder(net(), on, {});
    const auto before = compared(net(), on, recorder.trace);
    ASSERT_TRUE(before) << before.error().message;
    for (auto event = recorder.trace.events.rbegin(); event != recorder.trace.events.rend(); ++event) {
        if (event->category == Category::Workspace) {
            recorder.trace.blocks[event->block].bytes += 512;
            break;
        }
    }
    const auto after = compared(net(), on, recorder.trace);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(std::count_if(after->workspaces.begin(), after->workspaces.end(),
                            [](const RecordedWorkspace& each) { return each.varies; }),
              1);
    EXPECT_EQ(measuredRows(*after, on).size() + 1, measuredRows(*before, on).size());
}

TEST(Recorded, GradientsThatAreKeptAreSaid) {
    const Target on = target(net());
    Recorder recorder(net(), on, {});
    // zero_grad(set_to_none=False): what was freed at the end of a step is not, and so much larger is the
    // peak.
    memory::Trace& trace = recorder.trace;
    const auto before = compared(net(), on, trace);
    ASSERT_TRUE(before);
    constexpr Bytes kWeight = 4 * 3 * 16 * 27;  // the first convolution's
    std::erase_if(trace.events, [&](const TraceEvent& each) {
        return each.kind == TraceEvent::Kind::Free && trace.blocks[each.block].bytes == kWeight;
    });
    const auto after = compared(net(), on, trace);
    ASSERT_TRUE(after) << after.error().message;
    const RecordedKind& gradients = after->kinds[static_cast<std::size_t>(Category::Gradients)];
    EXPECT_GT(gradients.keptLonger, 0);
    EXPECT_EQ(gradients.keptLonger % kWeight, 0);
    EXPECT_THAT(kindRows(*after)[1].size(), 5U);
}

TEST(Recorded, BlocksOfOthersAreNamedByTheirPlace) {
    const Target on = target(net());
    Recorder recorder(net(), on, {});
    memory::Trace& trace = recorder.trace;
    trace.labels = {"train.py:7 cache_images"};
    const auto block = static_cast<std::uint32_t>(trace.blocks.size());
    trace.blocks.push_back({123'456'789, 123'456'789, 0});
    trace.alive.push_back({block, Category::Parameters, -1});
    const auto comparison = compared(net(), on, trace);
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_EQ(comparison->unexplained, 123'456'789);
    ASSERT_EQ(comparison->others.size(), 1U);
    EXPECT_EQ(comparison->others[0].label, "train.py:7 cache_images");
    EXPECT_THAT(kindRows(*comparison).back(),
                ::testing::ElementsAre("not of this experiment", "0 B", "118 MiB", "+118 MiB",
                                       "118 MiB by train.py:7 cache_images"));
}

TEST(Recorded, WhatIsNotTheExperimentIsOneLine) {
    const Target on = target(net());
    const Experiment other = experiment("[1, 64, 64, 64]", kConv8 + "," + kConv8 + "," + kConv8);
    const Recorder recorder(net(), on, {});
    const auto comparison = compared(other, on, recorder.trace);
    ASSERT_FALSE(comparison);
    EXPECT_THAT(comparison.error().message,
                ::testing::AllOf(StartsWith("the snapshot does not show this experiment: of the "),
                                 HasSubstr("the network, the sizes, the batch and the precision")));
    EXPECT_THAT(compared(net(), on, {}).error().message, StartsWith("the snapshot has no allocations"));
    EXPECT_THAT(compared(net(), {}, recorder.trace).error().message,
                "a snapshot is of a GPU; name the one on which it was recorded, such as rtx4090");
}

TEST(Recorded, IsSaidInWholeSentences) {
    const Target on = target(net());
    const Recorder recorder(net(), on, {});
    const auto comparison = compared(net(), on, recorder.trace);
    ASSERT_TRUE(comparison);
    const auto info = stack::inferShapes(net());
    const auto lines = comparisonLines(*comparison, *info);
    ASSERT_GE(lines.size(), 3U);
    EXPECT_THAT(lines[0], HasSubstr("training steps found in the snapshot: "));
    EXPECT_THAT(lines[1], ::testing::AllOf(StartsWith("Peak of a step after the first: predicted "),
                                           HasSubstr("the prediction is ")));
    EXPECT_THAT(lines.back(), HasSubstr("Workspaces of cuDNN: 8 of 8 were found."));
    EXPECT_EQ(workspaceRows(*comparison, *info).size(), 9U);
}

TEST(KeepMeasured, JoinsWhatIsThereAndNeverHarmsAFileItCannotRead) {
    const test::TemporaryFolder folder;
    const Target on = target(net());
    const Recorder recorder(net(), on, {});
    const auto comparison = compared(net(), on, recorder.trace);
    ASSERT_TRUE(comparison);
    const GpuTable rows = measuredRows(*comparison, on);
    ASSERT_EQ(rows.size(), 8U);
    const auto into = folder.path() / "gpu";
    ASSERT_TRUE(keepMeasured(rows, into));
    GpuTable one(rows.key());
    ConvKey key = *parseConvKey("conv3d/f/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1");
    one.add({key, {}}, {.forward = 77, .microseconds = 5});
    ASSERT_TRUE(keepMeasured(one, into));
    const std::filesystem::path folders[] = {into};
    const auto loaded = loadGpuTable(rows.key(), folders);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->size(), 9U);
    EXPECT_EQ(loaded->workspace({key, {}}, ConvPart::Forward), 77);

    const auto file = into / gpuTableFileName(rows.key());
    std::ofstream(file) << "no table\n";
    EXPECT_FALSE(keepMeasured(rows, into));
    EXPECT_EQ(*base::readFile(file), "no table\n");
}

}  // namespace
}  // namespace highwater::predict
