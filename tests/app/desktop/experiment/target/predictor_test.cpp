#include "app/desktop/experiment/target/predictor.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>
#include <atomic>
#include <mutex>

#include "tests/app/desktop/experiment/stack/stacks.h"
#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

using highwater::test::waitUntil;

/// Answers with the batch size as the peak; can be blocked.
struct FakeWork {
    std::mutex gate;
    std::atomic<int> done{0};
    std::atomic<bool> onWindow{false};
    Predictor::Work work() {
        return [this, window = QThread::currentThread()](const PredictionRequest& request) {
            const std::lock_guard lock(gate);
            onWindow = onWindow || QThread::currentThread() == window;
            auto prediction = std::make_shared<predict::Prediction>();
            prediction->peakAllocated = predict::Estimate::of(request.experiment.step.batchSize);
            ++done;
            return PredictionAnswer{request.revision, request.target, request.info, prediction, {}};
        };
    }
};

stack::Experiment withBatch(std::int64_t batch) {
    stack::Experiment e = highwater::testing::experimentFrom("conv");
    e.step.batchSize = batch;
    return e;
}

TEST(Predictor, TheLatestWinsAndNothingWaits) {
    FakeWork fake;
    std::vector<std::int64_t> peaks;
    Predictor predictor(fake.work());
    QObject::connect(&predictor, &Predictor::answered, &predictor, [&](const PredictionAnswer& answer) {
        peaks.push_back(answer.prediction->peakAllocated.expected);
    });
    fake.gate.lock();
    for (int batch = 1; batch <= 100; ++batch) {
        predictor.ask(withBatch(batch), {}, {});
    }
    EXPECT_TRUE(predictor.busy());
    EXPECT_EQ(predictor.revision(), 100);
    fake.gate.unlock();
    ASSERT_TRUE(waitUntil([&] { return !predictor.busy(); }));
    EXPECT_EQ(peaks, (std::vector<std::int64_t>{1, 100})) << "the first had begun, the last counts";
    EXPECT_EQ(fake.done, 2);
    EXPECT_FALSE(fake.onWindow);
}

TEST(Predictor, WhatWasDroppedIsNotAnswered) {
    FakeWork fake;
    int answers = 0;
    Predictor predictor(fake.work());
    QObject::connect(&predictor, &Predictor::answered, &predictor, [&] { ++answers; });
    fake.gate.lock();
    predictor.ask(withBatch(1), {}, {});
    predictor.ask(withBatch(2), {}, {});
    predictor.drop();
    fake.gate.unlock();
    ASSERT_TRUE(waitUntil([&] { return !predictor.busy(); }));
    EXPECT_EQ(answers, 0);
    predictor.ask(withBatch(3), {}, {});
    ASSERT_TRUE(waitUntil([&] { return answers == 1; }));
}

TEST(Predictor, AQuestionBesideTheOthersIsAlwaysAnswered) {
    FakeWork fake;
    std::vector<std::int64_t> beside;
    Predictor predictor(fake.work());
    QObject here;
    fake.gate.lock();
    predictor.ask(withBatch(1), {}, {});
    for (int batch : {7, 8}) {
        predictor.once({0, withBatch(batch), {}, {}}, &here, [&](const PredictionAnswer& answer) {
            beside.push_back(answer.prediction->peakAllocated.expected);
        });
    }
    predictor.ask(withBatch(2), {}, {});
    fake.gate.unlock();
    ASSERT_TRUE(waitUntil([&] { return beside.size() == 2 && !predictor.busy(); }));
    EXPECT_EQ(beside, (std::vector<std::int64_t>{7, 8}));
}

TEST(Predictor, EndsWhileItWorks) {
    FakeWork fake;
    for (int i = 0; i < 20; ++i) {
        Predictor predictor(fake.work());
        predictor.ask(withBatch(1), {}, {});
        predictor.ask(withBatch(2), {}, {});
    }
    QCoreApplication::processEvents();
}

}  // namespace
}  // namespace highwater::desktop
