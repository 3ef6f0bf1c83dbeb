#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/predict/fit/summary.h"
#include "core/predict/ghost/walk.h"
#include "tests/core/stack/build.h"

/// Walks of stacks from short JSON texts, with convolutions without temporaries, so that ledgers can be
/// computed by hand.
namespace highwater::predict::testing {

// Input 2 x 1 x 16 floats: 128 B; with 4 channels 512 B.
inline constexpr base::Bytes kX = 512;     // 2 x 4 x 16 floats
inline constexpr base::Bytes kStats = 32;  // mean and 1 / deviation of 4 channels
inline const std::string kInput = "[1, 16]";
inline const std::string kConv = R"({"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1})";
inline const std::string kOne = R"({"type": "conv", "out_channels": 4, "kernel_size": 1})";
inline const std::string kBatch2 =
    R"("loss": "mean", "optimizer": {"type": "sgd"}, "step": {"batch_size": 2})";
inline std::string batchOf2(const std::string& more) {
    return R"("loss": "mean", "step": {"batch_size": 2}, )" + more;
}

inline OpRow plainRow(const ConvKey& key) {
    OpRow row;
    for (std::int64_t result = 0; result < (key.pass == ConvKey::Pass::Forward ? 1 : 3); ++result) {
        row.events.push_back({OpEvent::Kind::Result, result});
    }
    return row;
}

/// A target whose table has a row for every convolution of the experiment.
inline Target plainTarget(const stack::Experiment& experiment, const stack::StackInfo& info) {
    auto table = std::make_shared<Calibration>();
    for (const ConvKey& key : convolutionsOf(experiment, info)) {
        table->add(key, plainRow(key));
    }
    Target target;
    target.calibration = table;
    return target;
}

struct Walked {
    stack::Experiment experiment;
    stack::StackInfo info;
    Walk walk;

    /// The first event of the second step in a phase (at a layer; -2: at any).
    std::size_t first(memory::Phase phase, int layer = -2) const {
        for (std::size_t i = walk.stepEvent[1]; i < walk.events.size(); ++i) {
            if (walk.events[i].phase == phase && (layer == -2 || walk.events[i].layer == layer)) {
                return i;
            }
        }
        return walk.events.size();
    }
    /// The bytes alive before an event.
    memory::Ledger before(std::size_t event) const {
        Live live(walk);
        for (std::size_t i = 0; i < event; ++i) {
            live.pass(walk.events[i]);
        }
        return live.ledger();
    }
    memory::Ledger before(memory::Phase phase) const { return before(first(phase)); }
    memory::Ledger atEnd() const { return before(walk.events.size()); }
    /// The highest total of a category in a phase of the second step.
    base::Bytes highest(memory::Category category, memory::Phase phase) const {
        Live live(walk);
        base::Bytes most = 0;
        for (std::size_t i = 0; i < walk.events.size(); ++i) {
            live.pass(walk.events[i]);
            if (i >= walk.stepEvent[1] && walk.events[i].phase == phase) {
                most = std::max(most, live.ledger()[category]);
            }
        }
        return most;
    }
    /// Allocations of the second step with this label.
    std::vector<base::Bytes> allocations(std::string_view label) const {
        std::vector<base::Bytes> sizes;
        for (std::size_t i = walk.stepEvent[1]; i < walk.events.size(); ++i) {
            if (walk.events[i].kind == WalkEvent::Kind::Allocate &&
                walk.blocks[walk.events[i].block].label == label) {
                sizes.push_back(walk.blocks[walk.events[i].block].bytes.expected);
            }
        }
        return sizes;
    }
};

/// `layers` is the content of the list, `more` are further keys, as in stack/build.h.
inline Walked walked(const std::string& input, const std::string& layers,
                     const std::string& more = R"("loss": "mean", "optimizer": {"type": "sgd"})") {
    Walked made;
    const auto experiment = stack::testing::experimentOf(input, layers, more);
    if (!experiment) {
        ADD_FAILURE() << experiment.error().message;
        return made;
    }
    made.experiment = *experiment;
    const auto info = stack::inferShapes(made.experiment);
    if (!info) {
        ADD_FAILURE() << info.error().message;
        return made;
    }
    made.info = *info;
    auto walk = predict::walk(made.experiment, made.info, plainTarget(made.experiment, made.info));
    if (!walk) {
        ADD_FAILURE() << walk.error().message;
    } else {
        made.walk = std::move(*walk);
    }
    return made;
}

}  // namespace highwater::predict::testing
