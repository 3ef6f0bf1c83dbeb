#include "tests/core/predict/accuracy/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "core/engine/calibrate/calibrate.h"
#include "core/memory/trace_chunk.h"
#include "core/predict/ghost/walk.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::predict::testing {

namespace {

using memory::TraceEvent;

bool hasCheckpoint(const std::vector<stack::Layer>& layers) {
    return std::any_of(layers.begin(), layers.end(), [](const stack::Layer& layer) {
        const auto* const block = std::get_if<stack::Block>(&layer.op);
        return block != nullptr && (block->checkpoint || hasCheckpoint(block->layers));
    });
}

base::Result<std::pair<memory::Trace, wire::RunResult>> measure(const Case& each) {
    std::pair<memory::Trace, wire::RunResult> measured;
    engine::RunRequest request;
    request.experiment = each.experiment;
    request.cases = each.cases;
    request.steps = 2;
    request.warmup = 0;
    request.trace = [&](const memory::TraceChunk& chunk) {
        memory::append(measured.first, chunk);
        return base::Status{};
    };
    if (each.prepare) {
        each.prepare(request);
    }
    const std::atomic<bool> cancel{false};
    auto result = engine::run(request, [](const wire::Event&) {}, cancel);
    if (!result) {
        return result.error();
    }
    if (result->failure) {
        return base::Error{result->failure->why};
    }
    measured.second = std::move(*result);
    return measured;
}

std::string eventText(const memory::Trace& trace, std::size_t i) {
    if (i >= trace.events.size()) {
        return "nothing";
    }
    const TraceEvent& event = trace.events[i];
    constexpr std::string_view kKinds[] = {"allocate", "retag", "free"};
    return fmt::format("{} block {} of {} B to {} in {} of layer {}",
                       kKinds[static_cast<std::size_t>(event.kind)], event.block,
                       trace.blocks[event.block].bytes, memory::categoryKey(event.category),
                       wire::phaseKey(event.phase), event.layer);
}

/// The first event that is not as predicted, with those before it; empty if all are.
std::string difference(const memory::Trace& measured, const memory::Trace& predicted) {
    constexpr std::size_t kBefore = 6, kAfter = 10;
    for (std::size_t i = 0; i < predicted.events.size(); ++i) {
        const TraceEvent& p = predicted.events[i];
        if (i < measured.events.size()) {
            const TraceEvent& m = measured.events[i];
            if (m.kind == p.kind && m.layer == p.layer && m.phase == p.phase && m.category == p.category &&
                measured.blocks[m.block].bytes == predicted.blocks[p.block].bytes) {
                continue;
            }
        }
        std::string text = fmt::format("event {}", i);
        for (std::size_t j = i < kBefore ? 0 : i - kBefore; j < i + kAfter; ++j) {
            text += fmt::format("\n{} measured {}; predicted {}", j == i ? ">" : " ", eventText(measured, j),
                                eventText(predicted, j));
        }
        return text;
    }
    return {};
}

}  // namespace

Sums sumsOf(const memory::Trace& trace) {
    Sums sums;
    memory::Ledger live = trace.before();
    base::Bytes total = live.total();
    std::vector<memory::Category> category(trace.blocks.size(), memory::Category::Temporaries);
    memory::Phase phase = memory::Phase::Setup;
    int layer = -1;
    for (const TraceEvent& event : trace.events) {
        const base::Bytes bytes = trace.blocks[event.block].bytes;
        if (event.kind == TraceEvent::Kind::Allocate) {
            live[event.category] += bytes, total += bytes;
        } else if (event.kind == TraceEvent::Kind::Free) {
            live[event.category] -= bytes, total -= bytes;
        } else {
            live[category[event.block]] -= bytes, live[event.category] += bytes;
        }
        category[event.block] = event.category;
        for (const memory::Category each : memory::kCategories) {
            sums.highest[each] = std::max(sums.highest[each], live[each]);
        }
        if (total > sums.peak) {
            sums.peak = total;
            sums.atPeak = live;
            phase = event.phase;
            layer = event.layer;
        } else if (event.kind == TraceEvent::Kind::Retag && total == sums.peak && event.phase == phase &&
                   event.layer == layer) {
            sums.atPeak = live;
        }
    }
    sums.atEnd = live;
    return sums;
}

std::vector<int> seedsByThreads(int count) {
    std::vector<int> seeds;
    for (const int first : {0, 1}) {
        for (int seed = first; seed < count; seed += 2) {
            seeds.push_back(seed);
        }
    }
    return seeds;
}

Case makeCase(int seed, bool classTokens) {
    stack::testing::RandomLimits limits;
    limits.classTokens = classTokens;
    limits.without = {"custom_conv", "inplace_abn"};
    Case made;
    made.seed = seed;
    made.experiment = stack::testing::randomExperiment(static_cast<std::uint64_t>(seed), limits);
    made.experiment.backend.threads = seed % 2 == 0 ? 1 : 2;
    if (seed % 3 == 0) {
        made.experiment.step.microBatches = made.experiment.step.batchSize;
    }
    made.info = *stack::inferShapes(made.experiment);
    made.checkpointed = hasCheckpoint(made.experiment.stack);
    return made;
}

/// Cases are taken in five parts for each number of threads: guesses for one part come from the tables
/// that were there, without any row that a case of the part has.
struct Accuracy::Tables {
    static constexpr int kParts = 5;

    std::map<int, Calibration> byThreads;
    std::map<int, Calibration> given;  ///< the tables as found
    std::map<std::pair<int, int>, std::shared_ptr<const Calibration>> blindTables;

    std::shared_ptr<const Calibration> blind(const Case& each) {
        const int threads = static_cast<int>(each.experiment.backend.threads), part = each.seed / 2 % kParts;
        auto& made = blindTables[{threads, part}];
        if (!made) {
            made = makeBlind(given.at(threads), threads, part);
        }
        return made;
    }

    static std::shared_ptr<const Calibration> makeBlind(const Calibration& table, int threads, int part) {
        std::set<std::string> own;
        for (int seed = 0; seed < kCases; ++seed) {
            if (seed / 2 % kParts == part) {
                if (const Case each = makeCase(seed); each.experiment.backend.threads == threads) {
                    for (const ConvKey& op : convolutionsOf(each.experiment, each.info)) {
                        own.insert(op.text());
                    }
                }
            }
        }
        Calibration others(table.key());
        for (const auto& [text, row] : table.rows()) {
            if (const auto key = parseConvKey(text); key && !own.contains(text)) {
                others.add(*key, row);
            }
        }
        auto made = std::make_shared<Calibration>(table.key());
        made->prepareGuesses(&others);
        return made;
    }
};

Accuracy::Accuracy() : tables_(std::make_unique<Tables>()) {}
Accuracy::~Accuracy() = default;

const std::map<int, Calibration>& Accuracy::tables() const {
    return tables_->byThreads;
}

base::Result<std::size_t> Accuracy::addRows(const stack::Experiment& experiment,
                                            const stack::StackInfo& info) {
    engine::CalibrateOptions options;
    options.threads = static_cast<int>(experiment.backend.threads);
    options.repeats = 2;
    options.patience = 0;
    const CpuKey key = engine::beginCalibration(options);
    const auto place = tables_->byThreads.find(key.threads);
    if (place == tables_->byThreads.end()) {
        auto loaded = loadCalibration(key, calibrationFolders());
        if (!loaded) {
            return loaded.error();
        }
        tables_->given.emplace(key.threads, *loaded);
        tables_->byThreads.emplace(key.threads, std::move(*loaded));
    }
    Calibration& table = tables_->byThreads.at(key.threads);
    std::size_t added = 0;
    for (const ConvKey& op : convolutionsOf(experiment, info)) {
        if (table.find(op) != nullptr) {
            continue;
        }
        auto row = engine::measureConvolution(op, options);
        if (!row) {
            return base::Error{op.text() + ": " + row.error().message};
        }
        table.add(op, std::move(*row));
        ++added;
    }
    return added;
}

base::Result<Outcome> Accuracy::run(const Case& each) {
    const auto added = addRows(each.experiment, each.info);
    if (!added) {
        return added.error();
    }
    const auto measured = measure(each);
    if (!measured) {
        return measured.error();
    }

    Outcome outcome;
    outcome.missing = *added;
    Target target;
    target.ranks = each.ranks;
    target.cpu = tables_->byThreads.at(static_cast<int>(each.experiment.backend.threads)).key();
    const Calibration& table = tables_->byThreads.at(target.cpu.threads);
    target.calibration = std::shared_ptr<const Calibration>(std::shared_ptr<void>(), &table);
    memory::Trace trace;
    PredictOptions options;
    options.trace = &trace;
    options.time = false;
    const auto predicted = predict(each.experiment, each.info, target, options);
    if (!predicted) {
        return predicted.error();
    }
    outcome.rows = predicted->convolutions;
    outcome.predicted = sumsOf(trace);
    outcome.measured = sumsOf(measured->first);
    outcome.measured.peak = measured->second.peakAllocated;
    outcome.measured.atPeak = measured->second.peakByCategory;
    outcome.measured.atEnd = measured->second.atEnd;
    outcome.events = trace.events.size();
    outcome.difference = difference(measured->first, trace);
    outcome.sameEvents = outcome.difference.empty();

    target.calibration = tables_->blind(each);
    options.trace = nullptr;
    const auto guessed = predict(each.experiment, each.info, target, options);
    if (!guessed) {
        return guessed.error();
    }
    outcome.guessed = guessed->peakAllocated;
    return outcome;
}

double relativeError(const Outcome& outcome) {
    return static_cast<double>(outcome.predicted.peak - outcome.measured.peak) /
           static_cast<double>(outcome.measured.peak);
}

bool holds(const Outcome& outcome) {
    return outcome.guessed.low <= outcome.measured.peak && outcome.measured.peak <= outcome.guessed.high;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace highwater::predict::testing
