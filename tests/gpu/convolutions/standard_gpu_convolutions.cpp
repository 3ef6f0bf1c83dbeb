#include <algorithm>
#include <set>
#include <string>

#include "core/predict/axes/cliffs.h"
#include "core/predict/convolutions/standard_convolutions.h"
#include "core/predict/workspaces/workspace.h"
#include "tests/gpu/convolutions/gpu_convolutions.h"

namespace highwater::predict {

namespace {

using GpuSizes = std::array<std::int64_t, 3>;

constexpr double kMostOfOnePass = 8.0 * (1LL << 30);  // maximum bytes of tensors and workspace of one pass
constexpr double kMostGpuMultiplyAdds = 1.2e11;       // of a forward pass: some 30 ms on an A100 in fp32

struct GpuShape {
    std::int64_t batch = 2, in = 32, out = 32;
    GpuSizes size{1, 1, 1}, kernel{3, 3, 3}, stride{1, 1, 1};
    bool transposed = false;
    std::int64_t groups = 1;
};

GpuSizes cube(std::int64_t size) {
    return {size, size, size};
}

ConvKey keyOf(int dims, const GpuShape& shape) {
    ConvKey key;
    key.dims = dims;
    key.transposed = shape.transposed;
    key.batch = shape.batch;
    key.inChannels = shape.in;
    key.outChannels = shape.out;
    key.groups = shape.groups;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dims); ++axis) {
        key.input[axis] = shape.size[axis];
        key.kernel[axis] = shape.kernel[axis];
        key.stride[axis] = shape.stride[axis];
        key.padding[axis] = shape.transposed ? 0 : (shape.kernel[axis] - 1) / 2;
    }
    return key;
}

/// The maximum bytes that its backward pass holds, with the largest workspace expected for it.
double largestBytes(const ConvKey& key) {
    const double elements = static_cast<double>(key.inputElements()) +
                            static_cast<double>(key.outputElements()) +
                            static_cast<double>(key.weightElements());
    CudaSettings benchmark;
    benchmark.benchmark = benchmark.tf32 = true;
    CudaVersions versions;
    versions.architecture = 90;
    versions.cudnn = {8, 5, 0};  // before cuDNN 9 the ranges are wider
    const Estimate workspace = cudnnWorkspace(key, ConvPart::WeightGradient, benchmark, versions);
    return 2 * static_cast<double>(sizeOf(key.dtype)) * elements + static_cast<double>(workspace.high);
}

/// Convolutions that a GPU can measure, each once, in the order in which they are added.
class Shapes {
public:
    /// Adds a shape; if it is too large, with a smaller batch, then a smaller image.
    void add(int dims, GpuShape shape) {
        for (;;) {
            const auto key = parseConvKey(keyOf(dims, shape).text());
            if (!key) {
                return;
            }
            if (key->multiplyAdds() <= kMostGpuMultiplyAdds && largestBytes(*key) <= kMostOfOnePass) {
                if (seen_.insert(key->text()).second) {
                    keys_.push_back(*key);
                }
                return;
            }
            if (shape.batch > 1) {
                shape.batch /= 2;
            } else {
                for (std::int64_t& size : shape.size) {
                    size = std::max<std::int64_t>(1, size / 2);
                }
            }
        }
    }
    const std::vector<ConvKey>& keys() const { return keys_; }

private:
    std::set<std::string> seen_;
    std::vector<ConvKey> keys_;
};

/// Adds the stages of a U-Net: at each stage the convolutions of the encoder, the downsampling, the
/// upsampling, and the convolution that joins after the skip connection.
void addUnet(Shapes& all, int dims, std::int64_t patch, std::int64_t batch,
             std::initializer_list<std::int64_t> channels, bool whole) {
    const std::vector<std::int64_t> c(channels);
    all.add(dims, {batch, 1, c[0], cube(patch)});
    for (std::size_t stage = 0; stage < c.size(); ++stage) {
        const GpuSizes size = cube(patch >> stage);
        all.add(dims, {batch, c[stage], c[stage], size});
        if (stage + 1 == c.size()) {
            break;
        }
        all.add(dims, {batch, c[stage], c[stage + 1], size, cube(3), cube(2)});
        if (!whole) {
            continue;
        }
        all.add(dims, {batch, c[stage + 1], c[stage], cube(patch >> (stage + 1)), cube(2), cube(2), true});
        all.add(dims, {batch, 2 * c[stage], c[stage], size});
        if (stage == 0) {
            all.add(dims, {batch, c[stage], 3, size, cube(1)});  // a head
        }
    }
}

/// Adds shapes that do not occur in a U-Net: flat kernels for anisotropic scans, large kernels, few and many
/// channels, groups.
void addOthers(Shapes& all) {
    all.add(3, {2, 1, 32, {20, 320, 256}, {1, 3, 3}});
    all.add(3, {2, 32, 64, {20, 320, 256}, {1, 3, 3}, {1, 2, 2}});
    all.add(3, {2, 64, 64, {20, 160, 128}});
    all.add(3, {2, 320, 256, {10, 10, 8}, {1, 2, 2}, {1, 2, 2}, true});
    all.add(3, {1, 16, 16, cube(96)});
    all.add(3, {4, 8, 16, cube(48)});
    all.add(3, {1, 16, 32, cube(64), cube(5)});
    all.add(3, {1, 16, 16, cube(48), cube(7)});
    all.add(3, {1, 64, 128, cube(32), cube(1)});
    all.add(3, {2, 64, 128, cube(32), cube(1), cube(2)});
    all.add(3, {4, 512, 512, cube(8)});
    all.add(3, {2, 32, 32, cube(32), cube(3), cube(1), false, 32});
    all.add(3, {2, 64, 64, cube(32), cube(3), cube(1), false, 2});
    all.add(2, {4, 3, 64, cube(224), cube(7), cube(2)});
    all.add(2, {1, 64, 64, cube(128), cube(5)});
    all.add(2, {4, 128, 256, cube(64), cube(1)});
    all.add(2, {4, 64, 64, cube(96), cube(3), cube(1), false, 64});
    for (const std::int64_t length : {160, 16384}) {
        all.add(1, {4, 1, 16, cube(length), cube(7)});
        all.add(1, {4, 32, 64, cube(length), cube(3), cube(2)});
        all.add(1, {2, 64, 64, cube(length), cube(5)});
    }
    all.add(1, {4, 64, 32, cube(512), cube(2), cube(2), true});
}

struct Variant {
    DType dtype = DType::Float32;
    bool channelsLast = false, tf32 = false;
};
constexpr Variant kVariants[] = {{DType::Float16, false, false}, {DType::Float32, false, true},
                                 {DType::BFloat16, true, false}, {DType::Float32, true, false},
                                 {DType::Float16, true, false},  {DType::BFloat16, false, false},
                                 {DType::Float32, true, true}};

/// Adds the forward pass, and the backward pass of a layer within a stack or, if nothing comes before it, of
/// the first layer.
void addPasses(std::vector<GpuConvolution>& all, ConvKey key, const GpuSwitches& switches) {
    const auto passes = trainingPasses(key);
    all.push_back({passes[0], switches});
    all.push_back({passes[key.inChannels <= 3 ? 1 : 2], switches});
}

}  // namespace

std::vector<GpuConvolution> standardGpuConvolutions() {
    Shapes shapes;
    addUnet(shapes, 3, 128, 2, {32, 64, 128, 256, 320, 320}, true);
    addUnet(shapes, 3, 160, 1, {32, 64, 128, 256, 320, 320}, false);
    addUnet(shapes, 2, 512, 4, {32, 64, 128, 256, 512, 512}, true);
    addUnet(shapes, 1, 4096, 4, {16, 32, 64, 128}, false);
    addOthers(shapes);

    constexpr std::size_t kSwitched = 12;  // one of this many shapes is also measured with each switch
    std::vector<GpuConvolution> all;
    std::size_t turn = 0;
    for (const ConvKey& shape : shapes.keys()) {
        addPasses(all, shape, {});
        const Variant& variant = kVariants[turn % std::size(kVariants)];
        ConvKey other = shape;
        other.dtype = variant.dtype;
        other.channelsLast = variant.channelsLast && shape.dims > 1;
        if (other == shape && !variant.tf32) {
            other.dtype = DType::BFloat16;  // 1d has no channels_last
        }
        addPasses(all, other, {.tf32 = variant.tf32});
        if (turn % kSwitched == 1) {
            addPasses(all, shape, {.benchmark = true});
        }
        if (turn % kSwitched == 6) {
            addPasses(all, shape, {.deterministic = true});
        }
        ++turn;
    }
    return all;
}

}  // namespace highwater::predict
