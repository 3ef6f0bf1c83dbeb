#include "tests/bench/timeline_bench/training_capture.h"

#include <random>

namespace highwater::bench {

namespace {

using base::Bytes;
using base::kMiB;
using memory::Category;
using memory::Phase;
using memory::TraceEvent;

constexpr int kLevels = 5, kUnits = 3;  // a unit: conv, norm, activation
constexpr int kBlocks = 2 * kLevels - 1;

class Capture {
public:
    explicit Capture(std::uint64_t seed) : random_(seed) {
        trace_.title = "generated training";
        trace_.labels = {"aten::convolution",
                         "aten::native_batch_norm",
                         "aten::relu_",
                         "aten::convolution_backward",
                         "aten::native_batch_norm_backward",
                         "aten::empty",
                         "aten::_foreach_add_",
                         "aten::zeros_like"};
        for (int b = 0; b < kBlocks; ++b) {
            const std::string block = (b < kLevels ? "enc" : "dec") + std::to_string(b + 1);
            trace_.layers.push_back(block);
            for (int u = 0; u < kUnits; ++u) {
                for (const char* op : {"conv", "batch_norm", "relu"}) {
                    trace_.layers.push_back(block + " · " + std::to_string(trace_.layers.size()) + " " + op);
                }
            }
        }
    }

    void parameters() {
        for (int b = 0; b < kBlocks; ++b) {
            for (int u = 0; u < kUnits; ++u) {
                allocate(weightBytes(b), Category::Parameters, layer(b, u, 0), Phase::Setup, 5);
                allocate(4 * width(b), Category::Parameters, layer(b, u, 1), Phase::Setup, 5);
            }
        }
    }

    void step() {
        trace_.steps.push_back({trace_.events.size(), static_cast<int>(trace_.steps.size())});
        const auto input = allocate(4 * kVoxels, Category::Input, -1, Phase::Data, 5);
        for (int b = 0; b < kBlocks; ++b) {
            for (int u = 0; u < kUnits; ++u) {
                forward(b, u);
            }
        }
        auto incoming = allocate(activation(kBlocks - 1), Category::Gradients, -1, Phase::Backward, 5);
        std::vector<std::uint32_t> gradients;
        for (int b = kBlocks - 1; b >= 0; --b) {
            for (int u = kUnits - 1; u >= 0; --u) {
                incoming = backward(b, u, incoming, gradients);
            }
        }
        free(incoming, -1, Phase::Backward);
        optimizer(gradients);
        free(input, -1, Phase::Optimizer);
    }

    std::size_t events() const { return trace_.events.size(); }

    memory::Trace take() {
        trace_.allEvents = static_cast<std::int64_t>(trace_.events.size());
        return std::move(trace_);
    }

private:
    static constexpr Bytes kVoxels = 96 * 96 * 96;

    static int level(int block) { return block < kLevels ? block : 2 * kLevels - 2 - block; }
    static Bytes width(int block) { return Bytes{16} << level(block); }
    static Bytes activation(int block) { return 4 * width(block) * (kVoxels >> (3 * level(block))); }
    static Bytes weightBytes(int block) { return 27 * 4 * width(block) * width(block); }
    static std::int16_t layer(int block, int unit, int op) {
        return static_cast<std::int16_t>(block * (1 + 3 * kUnits) + 1 + 3 * unit + op);
    }
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
    }

    std::uint32_t allocate(Bytes bytes, Category category, int layer, Phase phase, int label) {
        trace_.blocks.push_back({bytes, (bytes + 511) / 512 * 512, label});
        categories_.push_back(category);
        const auto block = static_cast<std::uint32_t>(trace_.blocks.size() - 1);
        add(block, TraceEvent::Kind::Allocate, layer, phase);
        return block;
    }
    void free(std::uint32_t block, int layer, Phase phase) {
        add(block, TraceEvent::Kind::Free, layer, phase);
    }
    void add(std::uint32_t block, TraceEvent::Kind kind, int layer, Phase phase) {
        now_ += 300 + below(2000) + trace_.blocks[block].bytes / 64;
        trace_.events.push_back(
            {now_, block, static_cast<std::int16_t>(layer), kind, categories_[block], phase});
    }
    void passing(Bytes bytes, Category category, int layer, Phase phase, int label) {
        free(allocate(bytes, category, layer, phase, label), layer, phase);
    }

    void forward(int b, int u) {
        saved_.push_back(allocate(activation(b), Category::Activations, layer(b, u, 0), Phase::Forward, 0));
        passing(4 * kMiB + below(24) * kMiB, Category::Workspace, layer(b, u, 0), Phase::Forward, 0);
        for (int i = 0; i < 3; ++i) {
            passing(1 + below(4096), Category::Temporaries, layer(b, u, 0), Phase::Forward, 5);
        }
        saved_.push_back(allocate(activation(b), Category::Activations, layer(b, u, 1), Phase::Forward, 1));
        saved_.push_back(allocate(8 * width(b), Category::Activations, layer(b, u, 1), Phase::Forward, 1));
        for (int i = 0; i < 3; ++i) {
            passing(1 + below(65536), Category::Temporaries, layer(b, u, 2), Phase::Forward, 2);
        }
    }

    std::uint32_t backward(int b, int u, std::uint32_t incoming, std::vector<std::uint32_t>& gradients) {
        const auto outgoing =
            allocate(activation(b), Category::Gradients, layer(b, u, 1), Phase::Backward, 4);
        passing(4 * kMiB + below(48) * kMiB, Category::Workspace, layer(b, u, 0), Phase::Backward, 3);
        gradients.push_back(
            allocate(weightBytes(b), Category::Gradients, layer(b, u, 0), Phase::Backward, 3));
        for (int i = 0; i < 4; ++i) {
            passing(1 + below(4096), Category::Temporaries, layer(b, u, 1), Phase::Backward, 4);
        }
        free(incoming, layer(b, u, 0), Phase::Backward);
        for (int i = 0; i < 3; ++i) {
            free(saved_.back(), layer(b, u, 0), Phase::Backward);
            saved_.pop_back();
        }
        return outgoing;
    }

    void optimizer(const std::vector<std::uint32_t>& gradients) {
        const bool first = trace_.steps.size() == 1;
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const Bytes bytes = trace_.blocks[gradients[i]].bytes;
            if (first) {
                for (int copies = 0; copies < 2; ++copies) {
                    allocate(bytes, Category::OptimizerState, -1, Phase::Optimizer, 7);
                }
            }
            passing(bytes, Category::Temporaries, -1, Phase::Optimizer, 6);
        }
        for (const auto gradient : gradients) {
            free(gradient, -1, Phase::Optimizer);
        }
    }

    std::mt19937_64 random_;
    memory::Trace trace_;
    std::vector<Category> categories_;
    std::vector<std::uint32_t> saved_;
    std::int64_t now_ = 0;
};

}  // namespace

memory::Trace trainingCapture(std::size_t events, std::uint64_t seed) {
    Capture capture(seed);
    capture.parameters();
    do {
        capture.step();
    } while (capture.events() < events);
    return capture.take();
}

memory::Trace randomCapture(std::size_t events, std::uint32_t alive, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    memory::Trace trace;
    trace.title = "generated, random";
    std::vector<std::uint32_t> live;
    std::vector<Category> categories;
    for (std::size_t e = 0; e < events; ++e) {
        TraceEvent event;
        event.time = static_cast<std::int64_t>(e) * 1000;
        event.phase = Phase::Forward;
        if (live.size() < alive || (live.size() < 2 * alive && random() % 2)) {
            const Bytes bytes = Bytes{1} << (8 + random() % 18);
            trace.blocks.push_back({bytes, bytes, -1});
            categories.push_back(memory::kCategories[random() % memory::kCategoryCount]);
            event.block = static_cast<std::uint32_t>(trace.blocks.size() - 1);
            live.push_back(event.block);
        } else {
            const std::size_t at = random() % live.size();
            event.kind = TraceEvent::Kind::Free;
            event.block = live[at];
            live[at] = live.back();
            live.pop_back();
        }
        event.category = categories[event.block];
        trace.events.push_back(event);
    }
    trace.allEvents = static_cast<std::int64_t>(events);
    return trace;
}

}  // namespace highwater::bench
