#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/predict/axes/cliffs.h"
#include "tests/core/predict/axes/versions.h"
#include "tests/core/stack/build.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::predict {
namespace {

using stack::Experiment;
using testing::cliffExperiment;
using testing::kOld;
using testing::versionsOf;

const std::string kIssue95024 = R"({"type": "conv", "out_channels": 32, "kernel_size": 3, "padding": 1})";
const std::string kIssue128947 = R"({"type": "conv", "out_channels": 64, "kernel_size": 3})";

// --- the column buffer

TEST(ColumnBytes, ReproduceTheReportedRequests) {
    const Experiment half = cliffExperiment("[64, 362, 370, 251]", kIssue95024, R"(, "precision": "fp16")");
    EXPECT_EQ(columnBytes(convolutionsOf(half.stack[0].op, {1, 64, 362, 370, 251}, half.step).at(0)),
              116'187'056'640);  // #95024: 108.21 GiB
    const Experiment single = cliffExperiment("[256, 5, 1090, 1922]", kIssue128947);
    EXPECT_EQ(columnBytes(convolutionsOf(single.stack[0].op, {1, 256, 5, 1090, 1922}, single.step).at(0)),
              173'266'698'240);  // #128947: 161.37 GiB
}

TEST(ColumnBytes, FollowEachBackendsBuffer) {
    const Experiment e =
        cliffExperiment("[8, 10, 12, 14]",
                        R"({"type": "conv", "out_channels": 8, "kernel_size": 3, "groups": 2},
           {"type": "conv_transpose", "out_channels": 6, "kernel_size": [2, 3, 4], "stride": 2})");
    const auto grouped = convolutionsOf(e.stack[0].op, {1, 8, 10, 12, 14}, e.step).at(0);
    EXPECT_EQ(columnBytes(grouped), 4LL * 27 * 8 * 10 * 12 * 4);  // a group at a time
    const auto transposed = convolutionsOf(e.stack[1].op, {1, 8, 8, 10, 12}, e.step).at(0);
    EXPECT_EQ(columnBytes(transposed), 6LL * 24 * 8 * 10 * 12 * 4);  // of the output's channels
    const Experiment flat =
        cliffExperiment("[8, 12, 14]", R"({"type": "conv", "out_channels": 8, "kernel_size": 1})");
    EXPECT_EQ(columnBytes(convolutionsOf(flat.stack[0].op, {1, 8, 12, 14}, flat.step).at(0)), 0);
}

TEST(ColumnBytes, DoNotOverflow) {
    ConvKey op;
    op.inChannels = 1 << 20;
    op.kernel = {1 << 20, 1 << 20, 1 << 20};
    EXPECT_EQ(columnBytes(op), kMostColumnBytes);
    EXPECT_EQ(fftBytes(op), 0);
}

// --- which backend

ConvKey conv3d(DType type = DType::Float32) {
    ConvKey op;
    op.inChannels = op.outChannels = 16;
    op.input = op.output = {32, 32, 32};
    op.kernel = {3, 3, 3};
    op.padding = {1, 1, 1};
    op.dtype = type;
    return op;
}

TEST(CudaBackend, IsCudnnForOrdinaryConvolutions) {
    for (const char* torch : {"1.13", "2.0", "2.4", "2.9", "2.11"}) {
        EXPECT_EQ(cudaConvBackend(conv3d(), true, versionsOf(torch, "8.9")), CudaConvBackend::Cudnn) << torch;
    }
    EXPECT_EQ(cudaConvBackend(conv3d(), false, versionsOf("2.4", "9.1")), CudaConvBackend::SlowDilated);
}

TEST(CudaBackend, NeedsLibTorch25AndCudnn93BeyondTheIndexRange) {
    ConvKey op = conv3d();
    op.input = op.output = {512, 512, 512};  // 16 * 2^27 = 2^31
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.4", "9.3")), CudaConvBackend::SlowDilated);
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.5", "9.2")), CudaConvBackend::SlowDilated);
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.5", "9.3")), CudaConvBackend::Cudnn);
    op.output = {511, 512, 512};
    op.input = {511, 512, 512};
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.4", "9.1")), CudaConvBackend::Cudnn);
    op.batch = 4;  // the batch is split
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.4", "9.1")), CudaConvBackend::Cudnn);
    op.outChannels = 17;  // the output alone counts too
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.4", "9.1")), CudaConvBackend::SlowDilated);
}

TEST(CudaBackend, AvoidsCudnn98To914InLowPrecision) {
    for (const DType type : {DType::Float16, DType::BFloat16}) {
        const ConvKey op = conv3d(type);
        EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.8", "9.10.2")), CudaConvBackend::Cudnn);
        EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.9", "9.7.1")), CudaConvBackend::Cudnn);
        EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.9", "9.8")), CudaConvBackend::SlowDilated);
        EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.10", "9.14")), CudaConvBackend::SlowDilated);
        EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.10", "9.15")), CudaConvBackend::Cudnn);
        ConvKey last = op;
        last.channelsLast = true;
        EXPECT_EQ(cudaConvBackend(last, true, versionsOf("2.10", "9.10.2")), CudaConvBackend::Cudnn);
        ConvKey pointwise = op;
        pointwise.kernel = {1, 1, 1};
        EXPECT_EQ(cudaConvBackend(pointwise, true, versionsOf("2.10", "9.10.2")), CudaConvBackend::Cudnn);
        ConvKey flat = op;
        flat.dims = 2;
        EXPECT_EQ(cudaConvBackend(flat, true, versionsOf("2.10", "9.10.2")), CudaConvBackend::Cudnn);
    }
    EXPECT_EQ(cudaConvBackend(conv3d(), true, versionsOf("2.10", "9.10.2")), CudaConvBackend::Cudnn);
    // According to torch._C._select_conv_backend of the wheels 2.11 and 2.15, whichever cuDNN they load.
    for (const char* torch : {"2.11", "2.15"}) {
        EXPECT_EQ(cudaConvBackend(conv3d(DType::Float16), true, versionsOf(torch, "9.10.2")),
                  CudaConvBackend::Cudnn);
    }
}

TEST(CudaBackend, GivesDepthwiseBeyondTheIndexRangeToCudnn) {
    ConvKey op = conv3d();
    op.groups = 16;
    op.batch = 8;
    op.input = op.output = {256, 256, 256};  // 8 * 16 * 2^24 = 2^31: the whole batch counts
    ConvKey last = op;
    last.channelsLast = true;
    // The same wheels, with cuDNN reporting another version.
    for (const char* torch : {"2.11", "2.15"}) {
        for (const char* cudnn : {"9.3", "9.8", "9.10.2", "9.14", "9.15", "9.19"}) {
            EXPECT_EQ(cudaConvBackend(op, true, versionsOf(torch, cudnn)), CudaConvBackend::Cudnn) << cudnn;
        }
        EXPECT_EQ(cudaConvBackend(op, true, versionsOf(torch, "9.2")), CudaConvBackend::Depthwise);
        EXPECT_EQ(cudaConvBackend(last, true, versionsOf(torch, "9.2")), CudaConvBackend::Depthwise);
        EXPECT_EQ(cudaConvBackend(last, true, versionsOf(torch, "9.8")), CudaConvBackend::Cudnn);
        EXPECT_EQ(cudaConvBackend(last, true, versionsOf(torch, "9.10.2")), CudaConvBackend::Depthwise);
        EXPECT_EQ(cudaConvBackend(last, true, versionsOf(torch, "9.14")), CudaConvBackend::Depthwise);
        EXPECT_EQ(cudaConvBackend(last, true, versionsOf(torch, "9.15")), CudaConvBackend::Cudnn);
    }
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.7", "9.5.1")), CudaConvBackend::Depthwise);
}

TEST(CudaBackend, HasBfloat16FromAmpereAndLibTorch2On) {
    const ConvKey op = conv3d(DType::BFloat16);
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.4", "9.1", 75)), CudaConvBackend::SlowDilated);
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("1.13", "8.5", 80)), CudaConvBackend::SlowDilated);
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.0", "8.5", 80)), CudaConvBackend::Cudnn);
    EXPECT_EQ(cudaConvBackend(conv3d(DType::Float16), true, versionsOf("2.4", "9.1", 75)),
              CudaConvBackend::Cudnn);
}

TEST(CudaBackend, KeepsDepthwiseToItself) {
    ConvKey op = conv3d();
    op.groups = 16;
    EXPECT_EQ(cudaConvBackend(op, true, kOld), CudaConvBackend::Depthwise);
    op.channelsLast = true;
    EXPECT_EQ(cudaConvBackend(op, true, kOld), CudaConvBackend::Cudnn);
    op.channelsLast = false;
    op.groups = 8;  // grouped, but not depthwise
    EXPECT_EQ(cudaConvBackend(op, true, kOld), CudaConvBackend::Cudnn);
    ConvKey flat = conv3d(DType::Float16);
    flat.dims = 2;
    flat.inChannels = flat.outChannels = flat.groups = 32;
    EXPECT_EQ(cudaConvBackend(flat, true, kOld), CudaConvBackend::Cudnn);
    flat.dtype = DType::Float32;
    EXPECT_EQ(cudaConvBackend(flat, true, kOld), CudaConvBackend::Depthwise);
}

TEST(CudaBackend, NamesTheFallbackOfEachForm) {
    ConvKey op = conv3d();
    EXPECT_EQ(cudaConvBackend(op, false, kOld), CudaConvBackend::SlowDilated);
    op.dims = 2;
    EXPECT_EQ(cudaConvBackend(op, false, kOld), CudaConvBackend::SlowConv2d);
    op.dilation = {2, 2, 1};
    EXPECT_EQ(cudaConvBackend(op, false, kOld), CudaConvBackend::SlowDilated);
    EXPECT_EQ(cudaConvBackend(op, true, kOld, true), CudaConvBackend::SlowDilated);
    EXPECT_EQ(cudaConvBackend(op, true, kOld, false), CudaConvBackend::Cudnn);
    EXPECT_EQ(cudaConvBackend(op, true, versionsOf("2.9", "9.10"), true), CudaConvBackend::Cudnn);
    op = conv3d();
    op.transposed = true;
    EXPECT_EQ(cudaConvBackend(op, false, kOld), CudaConvBackend::SlowTranspose);
    EXPECT_EQ(cudaConvBackend(op, true, kOld), CudaConvBackend::Cudnn);
    op.stride = {2, 2, 2};
    op.dilation = {3, 1, 1};
    op.outputPadding = {2, 0, 0};
    EXPECT_EQ(cudaConvBackend(op, true, kOld), CudaConvBackend::SlowTranspose);
}

// --- the convolutions of a layer

TEST(ConvolutionsOf, AgreeWithTheShapesOfRandomStacks) {
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Experiment e = stack::testing::randomExperiment(seed, {});
        const auto info = stack::inferShapes(e);
        ASSERT_TRUE(info) << info.error().message;
        for (const auto& layer : info->layers) {
            const std::vector<stack::Layer>* list = &e.stack;
            const stack::Op* op = nullptr;
            for (const int step : layer.path) {
                op = &(*list)[static_cast<std::size_t>(step)].op;
                if (const auto* block = std::get_if<stack::Block>(op)) {
                    list = &block->layers;
                }
            }
            const auto convolutions = convolutionsOf(*op, layer.input, e.step);
            const auto* const custom = std::get_if<stack::CustomConv>(op);
            const bool partly =
                custom != nullptr && custom->implementation == stack::CustomConv::Implementation::Naive;
            if (convolutions.empty() || partly) {  // custom ones, or the last part is not a convolution
                continue;
            }
            ++seen;
            const auto* const conv = std::get_if<stack::Conv>(op);
            std::int64_t weights = conv != nullptr && conv->standardize == stack::Conv::Standardize::Scaled
                                       ? conv->outChannels
                                       : 0;
            for (const ConvKey& one : convolutions) {
                weights += one.weightElements() + (one.bias ? one.outChannels : 0);
            }
            const ConvKey& last = convolutions.back();
            stack::Shape output{last.batch, last.outChannels};
            output.insert(output.end(), last.output.begin(), last.output.begin() + last.dims);
            EXPECT_EQ(output, layer.output) << seed << " " << layer.name;
            if (layer.type != "custom_conv") {  // its second kernel is fixed
                EXPECT_EQ(weights, layer.parameters) << seed << " " << layer.name;
            }
        }
    }
    EXPECT_GT(seen, 500);
}

}  // namespace
}  // namespace highwater::predict
