#include "core/predict/standard_convolutions.h"

#include <set>
#include <string>

namespace highwater::predict {

namespace {

constexpr double kMostElements = 1 << 22;  // of input and output together
constexpr double kMostMultiplyAdds = 4e8;  // a forward pass takes a few milliseconds

struct Kind {
    std::int64_t kernel = 3, stride = 1, dilation = 1;
    enum class Groups { One, Two, Depthwise } groups = Groups::One;
    bool transposed = false;
};
constexpr Kind kKinds[] = {{3},
                           {1},
                           {5},
                           {3, 2},
                           {2, 2},
                           {3, 1, 2},
                           {1, 2},
                           {3, 1, 1, Kind::Groups::Two},
                           {3, 1, 1, Kind::Groups::Depthwise},
                           {2, 2, 1, Kind::Groups::One, true},
                           {3, 2, 1, Kind::Groups::One, true}};

struct Channels {
    std::int64_t in = 1, out = 1;
};
constexpr Channels kChannels[] = {{1, 8}, {3, 12}, {8, 8}, {16, 32}, {32, 32}, {64, 32}, {6, 7}, {128, 128}};

/// The spatial sizes of the ladder, by dims.
std::vector<std::int64_t> sizes(int dims) {
    if (dims == 1)
        return {48, 256, 2048, 16384};
    if (dims == 2)
        return {12, 24, 64, 160};
    return {8, 12, 24, 48};
}

ConvKey makeKey(int dims, const Kind& kind, const Channels& channels, std::int64_t batch, std::int64_t size) {
    ConvKey key;
    key.dims = dims;
    key.transposed = kind.transposed;
    key.batch = batch;
    key.inChannels = channels.in;
    key.groups = kind.groups == Kind::Groups::One ? 1 : kind.groups == Kind::Groups::Two ? 2 : channels.in;
    key.outChannels = kind.groups == Kind::Groups::Depthwise ? channels.in : channels.out;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dims); ++axis) {
        key.input[axis] = size;
        key.kernel[axis] = kind.kernel;
        key.stride[axis] = kind.stride;
        key.dilation[axis] = kind.dilation;
        key.padding[axis] = kind.kernel == 2 ? 0 : kind.dilation * (kind.kernel - 1) / 2;
        key.outputPadding[axis] = kind.transposed && kind.kernel == 3 ? 1 : 0;
    }
    return key;
}

bool measurable(const ConvKey& key) {
    return static_cast<double>(key.inputElements() + key.outputElements()) <= kMostElements &&
           key.multiplyAdds() <= kMostMultiplyAdds;
}

}  // namespace

std::vector<ConvKey> trainingPasses(const ConvKey& forward) {
    std::vector<ConvKey> passes(4, forward);
    passes[0].pass = ConvKey::Pass::Forward;
    for (std::size_t i = 1; i < passes.size(); ++i) {
        passes[i].pass = ConvKey::Pass::Backward;
        passes[i].weightGradient = true;
        passes[i].inputGradient = i > 1;
        passes[i].gradientContiguous = i < 3;
    }
    return passes;
}

std::vector<ConvKey> standardConvolutions() {
    constexpr std::size_t kEach = 3;  // of kChannels, for one size of a kind
    std::vector<ConvKey> all;
    std::set<std::string> seen;
    std::size_t turn = 0;  // channels and batches take turns, which keeps the ladder short
    for (int dims = 1; dims <= 3; ++dims)
        for (const std::int64_t size : sizes(dims))
            for (const Kind& kind : kKinds)
                for (std::size_t i = 0; i < kEach; ++i, ++turn) {
                    const Channels& channels = kChannels[(turn * kEach + turn / 8) % std::size(kChannels)];
                    const std::int64_t batch = 1 + static_cast<std::int64_t>(turn % 2);
                    const auto whole = parseConvKey(makeKey(dims, kind, channels, batch, size).text());
                    if (!whole || !measurable(*whole))
                        continue;
                    const auto passes = trainingPasses(*whole);
                    for (const std::size_t pass : {std::size_t{0}, std::size_t{2}, turn % 8 < 4 ? 1UL : 3UL})
                        if ((pass % 2 == 0 || turn % 4 == 0) && seen.insert(passes[pass].text()).second)
                            all.push_back(passes[pass]);
                }
    return all;
}

}  // namespace highwater::predict
