#include "core/engine/ranks/data_parallel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "core/engine/device/torch_compat.h"
#include "core/predict/target/ranks.h"
#include "tests/core/engine/ranks/on_ranks.h"

namespace highwater::engine::testing {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr int kSteps = 4, kSamples = 3;

/// With two convolutions with biases and one product: 1.5 MiB, so there are two buckets from the second step
/// on.
Tensors makeParameters() {
    at::manual_seed(3);
    Tensors made{at::randn({8, 2, 3, 3}) * 0.1, at::randn({8}) * 0.1, at::randn({16, 8, 3, 3}) * 0.1,
                 at::randn({16}) * 0.1, at::randn({16 * 36, 700}) * 0.01};
    for (at::Tensor& each : made) {
        each.requires_grad_(true);
    }
    return made;
}

at::Tensor lossOf(const Tensors& p, const at::Tensor& x) {
    const at::Tensor y = at::relu(at::conv2d(x, p[0], p[1], 1, 1));
    const at::Tensor z = at::relu(at::conv2d(y, p[2], p[3], 1, 1));
    return at::matmul(z.flatten(1), p[4]).pow(2).mean();
}

void update(Tensors& parameters) {
    const c10::AutoGradMode noGraph(false);
    for (at::Tensor& parameter : parameters) {
        parameter.sub_(parameter.grad() * 0.5);
        parameter.mutable_grad().reset();
    }
}

/// Trains on all samples at once.
Tensors trainAlone(const at::Tensor& samples) {
    Tensors parameters = makeParameters();
    for (int step = 0; step < kSteps; ++step) {
        backward(lossOf(parameters, samples[step]), 1);
        update(parameters);
    }
    return parameters;
}

struct Way {
    bool asView = false;
    int parts = 1;  ///< micro-batches
};

/// Trains on this many ranks, each with its part of the samples; returns the parameters of each.
std::vector<Tensors> trainOnRanks(int ranks, const at::Tensor& samples, Way way) {
    std::vector<Tensors> all;
    for (int rank = 0; rank < ranks; ++rank) {
        all.push_back(makeParameters());
        if (rank > 0) {  // they become rank 0's anyway
            const c10::AutoGradMode noGraph(false);
            all.back()[0].zero_();
        }
    }
    onRanks(ranks, [&](RankLink& link) {
        Tensors& parameters = all[static_cast<std::size_t>(link.rank())];
        DataParallel ranksOf(link, parameters, {}, way.asView);
        for (int step = 0; step < kSteps; ++step) {
            const at::Tensor mine = samples[step].narrow(0, link.rank() * kSamples, kSamples);
            ranksOf.beforeForward();
            for (int part = 0; part < way.parts; ++part) {
                const int some = kSamples / way.parts;
                const at::Tensor loss = lossOf(parameters, mine.narrow(0, part * some, some));
                if (part + 1 == way.parts) {
                    ranksOf.beforeBackward();
                }
                backward(loss, 1.0 / way.parts);
            }
            update(parameters);
        }
    });
    return all;
}

double mostDifference(const Tensors& a, const Tensors& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, (a[i] - b[i]).abs().max().item<double>());
    }
    return most;
}

TEST(DataParallel, RanksTrainAsOneProcessWithAllTheirSamples) {
    at::set_num_threads(1);
    for (const int ranks : {2, 3}) {
        at::manual_seed(11);
        const at::Tensor samples = at::randn({kSteps, ranks * kSamples, 2, 6, 6});
        const Tensors alone = trainAlone(samples);
        for (const Way way : {Way{false, 1}, Way{true, 1}, Way{false, 3}, Way{true, 3}}) {
            SCOPED_TRACE(::testing::Message()
                         << ranks << " ranks, views " << way.asView << ", " << way.parts << " micro-batches");
            const std::vector<Tensors> all = trainOnRanks(ranks, samples, way);
            EXPECT_LT(mostDifference(all[0], alone), 1e-6);
            EXPECT_GT(mostDifference(all[0], makeParameters()), 1e-3);
            for (const Tensors& each : all) {
                EXPECT_EQ(fingerprint(each), fingerprint(all[0]));  // to the bit
            }
        }
    }
}

TEST(DataParallel, AFingerprintSeesOneBit) {
    Tensors tensors{at::zeros({1000}), at::ones({3})};
    const std::string before = fingerprint(tensors);
    tensors[0][999] = -0.0;
    EXPECT_NE(fingerprint(tensors), before);
}

/// The buckets that a prediction counts are those that LibTorch creates.
TEST(DataParallel, BucketsAreLibTorchs) {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        Tensors tensors;
        std::vector<base::Bytes> sizes;
        std::vector<std::int64_t> order;
        for (std::uint32_t i = 0, n = 1 + random() % 40; i < n; ++i) {
            const std::int64_t elements = 1 + static_cast<std::int64_t>(random() % (1U << (random() % 12)));
            tensors.push_back(at::empty({elements}));
            sizes.push_back(4 * elements);
            order.push_back(i);
        }
        const std::vector<std::size_t> limits =
            round % 3 == 0 ? std::vector<std::size_t>{4096} : std::vector<std::size_t>{1024, 16384};
        const auto theirs = std::get<0>(c10d::compute_bucket_assignment_by_size(
            tensors, limits, std::vector<bool>(tensors.size(), false), order, {}));
        EXPECT_EQ(predict::bucketsOf(sizes, std::vector<base::Bytes>(limits.begin(), limits.end())), theirs);
    }
}

}  // namespace
}  // namespace highwater::engine::testing
