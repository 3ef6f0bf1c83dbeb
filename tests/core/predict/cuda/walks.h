#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/predict/ghost/walk.h"
#include "tests/core/stack/build.h"

/// Walks of small experiments on a GPU, and their events.
namespace highwater::predict::testing {

inline stack::Experiment experiment(const std::string& input, const std::string& layers,
                                    const std::string& step = "", const std::string& more = "") {
    auto made = stack::testing::experimentOf(
        input, layers, R"("loss": "mean", "step": {"batch_size": 1)" + step + "}" + more);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

inline Target target(const stack::Experiment& e, const char* torch = "2.4", const char* cudnn = "9.1",
                     const char* id = "h100") {
    auto made = gpuTarget(id, e, *parseTorchVersion(torch), *parseCudnnVersion(cudnn));
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

inline Walk walkOf(const stack::Experiment& e, const Target& on) {
    const auto info = stack::inferShapes(e);
    EXPECT_TRUE(info) << info.error().message;
    auto walked = walk(e, *info, on);
    EXPECT_TRUE(walked) << walked.error().message;
    return std::move(walked).value();
}
inline Walk walkOf(const stack::Experiment& e) {
    return walkOf(e, target(e));
}

/// "+label bytes" and "-label bytes" of a phase of the second step at one layer, sizes as expected.
inline std::vector<std::string> eventsOf(const Walk& w, memory::Phase phase, int layer) {
    std::vector<std::string> lines;
    for (const WalkEvent& event : w.events) {
        if (event.step == 1 && event.phase == phase && event.layer == layer &&
            event.kind != WalkEvent::Kind::Retag) {
            lines.push_back((event.kind == WalkEvent::Kind::Allocate ? "+" : "-") +
                            std::string(w.blocks[event.block].label) + " " +
                            std::to_string(w.blocks[event.block].bytes.expected));
        }
    }
    return lines;
}

/// The sizes of the blocks with this label, in order.
inline std::vector<base::Bytes> sizesOf(const Walk& w, std::string_view label, int step) {
    std::vector<base::Bytes> sizes;
    for (const WalkEvent& event : w.events) {
        if (event.kind == WalkEvent::Kind::Allocate && event.step == step &&
            w.blocks[event.block].label == label) {
            sizes.push_back(w.blocks[event.block].bytes.expected);
        }
    }
    return sizes;
}

inline memory::Ledger liveAfter(const Walk& w, std::size_t events) {
    memory::Ledger live;
    for (std::size_t i = 0; i < events; ++i) {
        const WalkEvent& event = w.events[i];
        const base::Bytes bytes = w.blocks[event.block].bytes.expected;
        if (event.kind == WalkEvent::Kind::Retag) {
            live[event.from] -= bytes;
        }
        live[event.category] += event.kind == WalkEvent::Kind::Free ? -bytes : bytes;
    }
    return live;
}

inline const std::string kConv8 = R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1})";
inline constexpr base::Bytes kVoxels = 16 * 16 * 16;

}  // namespace highwater::predict::testing
