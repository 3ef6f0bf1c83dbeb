#include "tests/bench/allocator_bench/training_trace.h"

#include <random>

namespace highwater::memory::bench {
namespace {

using base::Bytes;
using base::kMiB;

constexpr int kLevels = 6;
constexpr int kConvs = 4;

class Trace {
public:
    Trace(bool changingPatches, std::uint64_t seed) : random_(seed), changing_(changingPatches) {}

    void parameters() {
        for (int i = 0; i < 2 * kLevels * kConvs; ++i) {
            for (const int copies : {1, 1, 1}) {
                allocate(Bytes{27} * 4 * width(i % kLevels) * width(i % kLevels) * copies);
                allocate(4 * width(i % kLevels));
            }
        }
    }

    void step() {
        const Bytes voxels = changing_ ? 64 * 64 * (40 + below(32)) : 64 * 64 * 64;
        std::vector<std::uint32_t> saved;
        for (int i = 0; i < 2 * kLevels * kConvs; ++i) {
            forward(level(i), voxels, saved);
        }
        std::vector<std::uint32_t> gradients;
        std::uint32_t incoming = allocate(4 * voxels);
        for (int i = 2 * kLevels * kConvs - 1; i >= 0; --i) {
            incoming = backward(level(i), voxels, saved, gradients, incoming);
        }
        free(incoming);
        for (const auto id : gradients) {
            free(allocate(4 * width(0)));
            free(id);
        }
    }

    std::vector<AllocatorEvent> take() { return std::move(events_); }

private:
    static int level(int conv) {
        const int block = conv / kConvs;
        return block < kLevels ? block : 2 * kLevels - 1 - block;
    }
    static Bytes width(int level) { return Bytes{16} << level; }
    Bytes below(Bytes n) { return static_cast<Bytes>(random_() % static_cast<std::uint64_t>(n)); }
    Bytes activation(int level, Bytes voxels) { return 4 * width(level) * (voxels >> (3 * level)); }

    std::uint32_t allocate(Bytes bytes) {
        std::uint32_t id = next_;
        if (unused_.empty()) {
            ++next_;
        } else {
            id = unused_.back();
            unused_.pop_back();
        }
        events_.push_back({AllocatorEvent::Kind::Allocate, 0, id, bytes});
        return id;
    }
    void free(std::uint32_t id) {
        events_.push_back({AllocatorEvent::Kind::Free, 0, id, 0});
        unused_.push_back(id);
    }

    /// Convolution, norm (two small statistics) and activation; scalars come and go between.
    void forward(int level, Bytes voxels, std::vector<std::uint32_t>& saved) {
        saved.push_back(allocate(activation(level, voxels)));
        free(allocate(8 * kMiB + below(64) * kMiB));
        saved.push_back(allocate(4 * width(level)));
        saved.push_back(allocate(4 * width(level)));
        for (int i = 0; i < 4; ++i) {
            free(allocate(1 + below(4096)));
        }
        saved.push_back(allocate(activation(level, voxels)));
    }

    std::uint32_t backward(int level, Bytes voxels, std::vector<std::uint32_t>& saved,
                           std::vector<std::uint32_t>& gradients, std::uint32_t incoming) {
        const auto outgoing = allocate(activation(level, voxels));
        const auto workspace = allocate(8 * kMiB + below(64) * kMiB);
        gradients.push_back(allocate(27 * 4 * width(level) * width(level)));
        free(workspace);
        for (int i = 0; i < 4; ++i) {
            free(allocate(1 + below(4096)));
        }
        gradients.push_back(allocate(4 * width(level)));
        free(incoming);
        for (int i = 0; i < 4; ++i) {
            free(saved.back());
            saved.pop_back();
        }
        return outgoing;
    }

    std::mt19937_64 random_;
    bool changing_;
    std::vector<AllocatorEvent> events_;
    std::vector<std::uint32_t> unused_;
    std::uint32_t next_ = 0;
};

}  // namespace

std::vector<AllocatorEvent> trainingTrace(int steps, bool changingPatches, std::uint64_t seed) {
    Trace trace(changingPatches, seed);
    trace.parameters();
    for (int i = 0; i < steps; ++i) {
        trace.step();
    }
    return trace.take();
}

}  // namespace highwater::memory::bench
