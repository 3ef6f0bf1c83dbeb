#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/memory/trace.h"

namespace highwater::test {

struct RandomTraceOptions {
    std::size_t events = 400;  ///< at most this many
    int layers = 6;
    int steps = 3;
    int alive = 12;  ///< blocks at the start, at most
    bool timed = true;
    bool retags = true;
    /// Times are whole microseconds, as in a snapshot.
    bool wholeMicroseconds = false;
};

/// A trace that memory::check accepts: steps of data, forward, recompute, backward and optimizer that go
/// through the layers and back; blocks of 0 bytes to 64 MiB that live briefly, for a step or to the end. The
/// same seed gives the same trace.
class RandomTrace {
public:
    RandomTrace(std::uint64_t seed, const RandomTraceOptions& options) : random_(seed), options_(options) {}

    memory::Trace make() {
        trace_.title = "random trace";
        trace_.timed = options_.timed;
        for (int i = 0; i < options_.layers; ++i) {
            trace_.layers.push_back(std::to_string(i + 1) + (i % 2 == 0 ? " conv" : " batch_norm"));
        }
        trace_.labels = {"aten::convolution", "aten::native_batch_norm", "a \"quoted\", label", "größe\n×2"};
        for (int i = 0; i < options_.alive; ++i) {
            if (below(4) != 0) {
                bornBefore();
            }
        }
        while (trace_.events.size() < options_.events) {
            next();
        }
        trace_.allEvents = static_cast<std::int64_t>(trace_.events.size());
        return std::move(trace_);
    }

private:
    using Kind = memory::TraceEvent::Kind;
    struct Living {
        std::uint32_t block;
        memory::Category category;
    };

    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    std::uint32_t newBlock() {
        memory::TraceBlock block;
        if (below(20) != 0) {
            block.bytes = static_cast<base::Bytes>(1 + below(std::uint64_t{1} << (4 + below(23))));
        }
        block.reserved = below(2) == 0 ? block.bytes : (block.bytes + 511) / 512 * 512;
        block.label = static_cast<std::int32_t>(below(trace_.labels.size() + 1)) - 1;
        trace_.blocks.push_back(block);
        return static_cast<std::uint32_t>(trace_.blocks.size() - 1);
    }

    std::int16_t someLayer() {
        return static_cast<std::int16_t>(
            static_cast<int>(below(static_cast<std::uint64_t>(options_.layers) + 1)) - 1);
    }

    void bornBefore() {
        const auto category = memory::kCategories[below(memory::kCategoryCount)];
        const std::uint32_t block = newBlock();
        trace_.alive.push_back({block, category, someLayer()});
        living_.push_back({block, category});
    }

    /// The position in the run follows from the progress.
    void place(memory::TraceEvent& event) {
        const std::size_t at = trace_.events.size();
        const std::size_t perStep =
            std::max<std::size_t>(1, options_.events / static_cast<std::size_t>(options_.steps));
        const double within = static_cast<double>(at % perStep) / static_cast<double>(perStep);
        if (at % perStep == 0 && at / perStep < static_cast<std::size_t>(options_.steps)) {
            trace_.steps.push_back({at, static_cast<int>(at / perStep)});
        }
        const auto layer = [&](double share) {
            return static_cast<std::int16_t>(
                std::min(options_.layers - 1, static_cast<int>(share * options_.layers)));
        };
        if (within < 0.05) {
            event.phase = memory::Phase::Data;
        } else if (within < 0.45) {
            event.phase = memory::Phase::Forward;
            event.layer = layer((within - 0.05) / 0.4);
        } else if (within < 0.9) {
            event.phase = below(10) == 0 ? memory::Phase::Recompute : memory::Phase::Backward;
            event.layer = layer((0.9 - within) / 0.45);
        } else {
            event.phase = memory::Phase::Optimizer;
        }
    }

    void next() {
        memory::TraceEvent event;
        place(event);
        clock_ += below(3) == 0 ? 0 : static_cast<std::int64_t>(below(5000));
        event.time = !options_.timed              ? static_cast<std::int64_t>(trace_.events.size())
                     : options_.wholeMicroseconds ? clock_ / 1000 * 1000
                                                  : clock_;
        const auto what = below(100);
        if (living_.empty() || what < 48) {
            allocate(event);
        } else if (what < 60 && options_.retags) {
            retag(event);
        } else {
            free(event);
        }
        trace_.events.push_back(event);
    }

    void allocate(memory::TraceEvent& event) {
        event.kind = Kind::Allocate;
        event.block = newBlock();
        event.category = memory::kCategories[below(memory::kCategoryCount)];
        living_.push_back({event.block, event.category});
    }
    void retag(memory::TraceEvent& event) {
        Living& one = living_[below(living_.size())];
        event.kind = Kind::Retag;
        event.block = one.block;
        event.category = one.category = memory::kCategories[below(memory::kCategoryCount)];
    }
    /// Mostly, the newest blocks are freed first.
    void free(memory::TraceEvent& event) {
        const std::size_t n = living_.size();
        const std::size_t at = below(3) == 0 ? below(n) : n - 1 - below(std::min<std::uint64_t>(n, 8));
        event.kind = Kind::Free;
        event.block = living_[at].block;
        event.category = living_[at].category;
        living_.erase(living_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    std::mt19937_64 random_;
    RandomTraceOptions options_;
    memory::Trace trace_;
    std::vector<Living> living_;
    std::int64_t clock_ = 0;
};

inline memory::Trace randomTrace(std::uint64_t seed, const RandomTraceOptions& options = {}) {
    return RandomTrace(seed, options).make();
}

}  // namespace highwater::test
