#include "core/predict/convolutions/standard_convolutions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "core/base/file.h"

namespace highwater::predict {

namespace {

constexpr double kMostElements = 1 << 22;  // maximum elements of input and output together
constexpr double kMostMultiplyAdds = 4e8;  // a forward pass takes a few milliseconds

struct ConvKind {
    std::int64_t kernel = 3, stride = 1, dilation = 1;
    enum class Groups { One, Two, Depthwise } groups = Groups::One;
    bool transposed = false;
};
constexpr ConvKind kKinds[] = {{3},
                               {1},
                               {5},
                               {3, 2},
                               {2, 2},
                               {3, 1, 2},
                               {1, 2},
                               {3, 1, 1, ConvKind::Groups::Two},
                               {3, 1, 1, ConvKind::Groups::Depthwise},
                               {2, 2, 1, ConvKind::Groups::One, true},
                               {3, 2, 1, ConvKind::Groups::One, true}};

struct Channels {
    std::int64_t in = 1, out = 1;
};
constexpr Channels kChannels[] = {{1, 8}, {3, 12}, {8, 8}, {16, 32}, {32, 32}, {64, 32}, {6, 7}, {128, 128}};

/// The spatial sizes that addLadder() uses, by number of axes.
std::vector<std::int64_t> sizes(int dims) {
    if (dims == 1) {
        return {48, 256, 2048, 16384};
    }
    if (dims == 2) {
        return {12, 24, 64, 160};
    }
    return {8, 12, 24, 48};
}

ConvKey makeKey(int dims, const ConvKind& kind, const Channels& channels, std::int64_t batch,
                std::int64_t size) {
    ConvKey key;
    key.dims = dims;
    key.transposed = kind.transposed;
    key.batch = batch;
    key.inChannels = channels.in;
    key.groups = kind.groups == ConvKind::Groups::One   ? 1
                 : kind.groups == ConvKind::Groups::Two ? 2
                                                        : channels.in;
    key.outChannels = kind.groups == ConvKind::Groups::Depthwise ? channels.in : channels.out;
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

/// Random draws that are the same on every machine.
class Draws {
public:
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
    }
    /// Returns true with probability 1 / times.
    bool onceIn(std::int64_t times) { return between(1, times) == 1; }
    /// A logarithmic distribution: values from 1 to 2 are as likely as values from 50 to 100.
    std::int64_t spread(std::int64_t low, std::int64_t high) {
        const double share = static_cast<double>(between(0, 9999)) / 10000;
        return static_cast<std::int64_t>(
            static_cast<double>(low) *
            std::pow(static_cast<double>(high + 1) / static_cast<double>(low), share));
    }

private:
    std::mt19937_64 random_{1};
};

/// Draws a convolution with arbitrary sizes: odd ones, and different ones along each axis.
ConvKey drawKey(Draws& draw) {
    constexpr std::int64_t kLargest[] = {4000, 128, 40};
    ConvKey key;
    key.dims = static_cast<int>(draw.between(1, 3));
    key.transposed = draw.onceIn(6);
    key.batch = draw.between(1, 3);
    key.bias = !draw.onceIn(5);
    key.inChannels = draw.spread(1, 48), key.outChannels = draw.spread(1, 48);
    if (draw.onceIn(8)) {
        key.groups = 2;
        key.inChannels *= 2, key.outChannels *= 2;
    } else if (draw.onceIn(8)) {
        key.groups = key.inChannels;
        key.outChannels = key.inChannels * draw.between(1, 2);
    }
    const std::int64_t kernel = draw.onceIn(5) ? 1 : draw.between(1, key.transposed ? 3 : 5);
    const std::int64_t stride = draw.onceIn(4) ? 2 : 1, dilation = draw.onceIn(8) ? 2 : 1;
    const std::int64_t padding = draw.onceIn(3) ? 0 : dilation * (kernel - 1) / 2;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(key.dims); ++axis) {
        key.input[axis] = draw.spread(4, kLargest[key.dims - 1]);
        key.kernel[axis] = kernel, key.stride[axis] = stride, key.dilation[axis] = dilation;
        key.padding[axis] = padding;
    }
    return key;
}

/// A list of convolutions that contains each pass once.
class Collection {
public:
    void add(const ConvKey& pass) {
        if (seen_.insert(pass.text()).second) {
            keys_.push_back(pass);
        }
    }
    std::vector<ConvKey> take() { return std::move(keys_); }

private:
    std::set<std::string> seen_;
    std::vector<ConvKey> keys_;
};

/// Adds common shapes. Channels, batches and the rarer passes alternate, which keeps the list short.
void addLadder(Collection& all) {
    constexpr std::size_t kEach = 2;  // number of kChannels per size of a kind
    std::size_t turn = 0;
    for (int dims = 1; dims <= 3; ++dims) {
        for (const std::int64_t size : sizes(dims)) {
            for (const ConvKind& kind : kKinds) {
                for (std::size_t i = 0; i < kEach; ++i, ++turn) {
                    const Channels& channels = kChannels[(turn * 3 + turn / 8) % std::size(kChannels)];
                    const std::int64_t batch = 1 + static_cast<std::int64_t>(turn % 2);
                    const auto whole = parseConvKey(makeKey(dims, kind, channels, batch, size).text());
                    if (!whole || !measurable(*whole)) {
                        continue;
                    }
                    const auto passes = trainingPasses(*whole);
                    all.add(passes[0]);
                    all.add(passes[2]);
                    if (turn % 4 == 0) {
                        all.add(passes[turn % 8 == 0 ? 1 : 3]);
                    }
                }
            }
        }
    }
}

void addDraws(Collection& all) {
    constexpr int kDraws = 400;
    Draws draw;
    for (int drawn = 0; drawn < kDraws;) {
        const auto whole = parseConvKey(drawKey(draw).text());
        if (!whole || !measurable(*whole)) {
            continue;
        }
        const auto passes = trainingPasses(*whole);
        all.add(passes[0]);
        all.add(passes[draw.onceIn(2) ? 2 : draw.onceIn(2) ? 1 : 3]);
        ++drawn;
    }
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
    Collection all;
    addLadder(all);
    addDraws(all);
    return all.take();
}

base::Result<std::vector<ConvKey>> readConvolutions(const std::string& file) {
    const auto text = HIGHWATER_TRY(base::readFile(file));
    std::vector<ConvKey> convolutions;
    for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        if (!line.empty()) {
            convolutions.push_back(
                HIGHWATER_TRY(base::prefixed(fmt::format("{}: line {}", file, number), parseConvKey(line))));
        }
    }
    return convolutions;
}

}  // namespace highwater::predict
