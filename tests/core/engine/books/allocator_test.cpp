#include "core/engine/device/device.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/engine/device/torch_compat.h"
#include "tests/core/engine/training.h"

namespace highwater::engine::testing {
namespace {

class Allocator : public ::testing::Test {
protected:
    void SetUp() override { books.start(-1, nullptr); }
    void TearDown() override { books.stop(); }
    Accounting& books = installBooks({});
};

TEST_F(Allocator, CountsWhatWasAskedForAndGivesItBack) {
    const Ledger before = books.ledger();
    {
        const at::Tensor t = at::empty({100, 3});
        EXPECT_EQ(books.ledger()[Category::Temporaries] - before[Category::Temporaries], 1200);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data_ptr()) % 64, 0U);
        EXPECT_EQ(categoryOf(t), Category::Temporaries);
        const at::Tensor view = t.narrow(0, 10, 5);
        retag(view, Category::Input);
        EXPECT_EQ(books.ledger()[Category::Input] - before[Category::Input], 1200)
            << "storages are tagged whole";
        const at::Tensor none = at::empty({0, 4});
        EXPECT_EQ(categoryOf(none), std::nullopt);
    }
    EXPECT_EQ(books.ledger(), before);
}

TEST_F(Allocator, SeesEveryThread) {
    const Ledger before = books.ledger();
    at::Tensor made;
    std::thread([&] { made = at::zeros({1000}); }).join();
    EXPECT_EQ(books.ledger().total() - before.total(), 4000);
    made.reset();
    EXPECT_EQ(books.ledger(), before);
}

TEST_F(Allocator, SavedTensorsBecomeActivationsUntilBackwardIsDone) {
    const Ledger before = books.ledger();
    at::Tensor x = at::randn({64, 64});
    x.set_requires_grad(true);
    retag(x, Category::Parameters);
    {
        at::Tensor y = at::exp(x);
        EXPECT_EQ(categoryOf(y), Category::Activations) << "exp saves its result";
        EXPECT_EQ(categoryOf(x), Category::Parameters);
        at::Tensor loss = y.sum();
        y.reset();
        EXPECT_EQ(books.ledger()[Category::Activations] - before[Category::Activations], 64 * 64 * 4);
        backward(loss, 1);
        EXPECT_EQ(books.ledger()[Category::Activations], before[Category::Activations]);
        EXPECT_TRUE(at::equal(x.grad(), at::exp(x)));
    }
    x.mutable_grad().reset();
    x.reset();
    EXPECT_EQ(books.ledger(), before);
}

TEST_F(Allocator, ASavedTensorModifiedInPlaceIsAnErrorNotAWrongGradient) {
    at::Tensor x = at::randn({8});
    x.set_requires_grad(true);
    at::Tensor y = at::relu(x);
    const at::Tensor loss = y.sum();
    {
        const c10::AutoGradMode noGraph(false);
        y.mul_(2);
    }
    EXPECT_THROW(backward(loss, 1), c10::Error);
}

TEST_F(Allocator, OneDnnAllocatesThroughIt) {
    const at::Tensor x = at::randn({1, 16, 24, 24, 24}), w = at::randn({32, 16, 3, 3, 3});
    const std::int64_t before = books.allocations();
    const at::Tensor y = at::conv3d(x, w, {}, 1, 1);
    EXPECT_GT(books.allocations(), before);
    EXPECT_EQ(categoryOf(y), Category::Temporaries);
}

const char* const kStack = R"("input": {"synthetic": [1, 12, 12, 12]}, "target": {"classes": 3},
    "loss": "dice_cross_entropy", "stack": [
      {"type": "conv", "out_channels": 8, "padding": 1}, {"type": "batch_norm"}, {"type": "relu", "inplace": true},
      {"type": "block", "checkpoint": true, "layers": [
        {"type": "conv", "out_channels": 8, "padding": 1, "id": "a"}, {"type": "instance_norm", "affine": true},
        {"type": "leaky_relu"}, {"type": "dropout", "p": 0.3}, {"type": "max_pool"}]},
      {"type": "conv_transpose", "out_channels": 8, "stride": 2}, {"type": "concat", "with": "a"},
      {"type": "group_norm", "num_groups": 2}, {"type": "gelu"}, {"type": "conv", "out_channels": 3, "kernel_size": 1}],
    "step": {"batch_size": 2})";

class Refusal : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Refusal, ::testing::Values(1, 2));

TEST_P(Refusal, OfEachAllocationInTurnIsCaughtAndLeavesNothingBehind) {
    const stack::Experiment e = parse(kStack);
    Accounting& books = installBooks({});
    train(e, 1, GetParam());  // objects that LibTorch creates once
    const Ledger before = books.ledger();
    std::int64_t caught = 0;
    // On two threads every seventh, which takes other paths into LibTorch but not as long.
    const std::int64_t stride = GetParam() == 1 ? 1 : 7;
    for (std::int64_t n = 0;; n += stride) {
        try {
            train(e, 1, GetParam(), n);
            EXPECT_FALSE(books.refusal());
            break;
        } catch (const std::exception&) {
            ASSERT_TRUE(books.refusal()) << "allocation " << n;
            ++caught;
        }
        books.stop();
        ASSERT_EQ(books.ledger(), before) << "after refusing allocation " << n;
    }
    EXPECT_GT(caught * stride, 100);
    EXPECT_EQ(books.ledger(), before);
    RecordProperty("caught", static_cast<int>(caught));
}

}  // namespace
}  // namespace highwater::engine::testing
