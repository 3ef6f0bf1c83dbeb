#include "app/desktop/prediction/asker.h"

#include <gtest/gtest.h>

#include <QThread>
#include <atomic>
#include <mutex>

#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

using highwater::test::waitUntil;

/// Answers every question, or says why not; can be blocked.
struct FakeCudnn {
    std::mutex gate;
    std::atomic<int> asked{0};
    std::atomic<bool> onWindow{false};
    std::string error;
    bool gives = true;

    Asker::Work work() {
        return [this, window = QThread::currentThread()](
                   const predict::AskedKey& key, const predict::Prediction& prediction,
                   const ask::Asking& asking) -> base::Result<ask::Answers> {
            ++asked;
            onWindow = onWindow || QThread::currentThread() == window;
            while (!gate.try_lock()) {
                if (*asking.cancel) {
                    return base::Error{"cancelled"};
                }
                QThread::msleep(1);
            }
            gate.unlock();
            if (!error.empty()) {
                return base::Error{error};
            }
            ask::Answers answers{predict::AskedTable(key), gives ? "" : "cuDNN was ended by signal 6"};
            for (const std::string& question : ask::openQuestions(prediction)) {
                asking.tried->insert(question);
                if (gives) {
                    answers.table.add(question, predict::AskedPlans{});
                }
            }
            return answers;
        };
    }
};

PredictionAnswer answerWith(const std::vector<std::string>& open, const std::string& device = "h100") {
    auto prediction = std::make_shared<predict::Prediction>();
    for (const std::string& question : open) {
        predict::Workspace workspace;
        workspace.question = question;
        prediction->workspaces.push_back(workspace);
        ++prediction->withoutRow;
    }
    PredictionAnswer answer;
    answer.prediction = prediction;
    answer.asked = {"9.19.0", device, "{}"};
    return answer;
}

struct Told {
    int learned = 0, said = 0;
    explicit Told(Asker& asker) {
        QObject::connect(&asker, &Asker::learned, &asker, [this] { ++learned; });
        QObject::connect(&asker, &Asker::saidChanged, &asker, [this] { ++said; });
    }
};

TEST(Asker, AsksBesideTheWindowAndSaysThatItLearned) {
    FakeCudnn cudnn;
    Asker asker(cudnn.work());
    Told told(asker);
    const PredictionAnswer answer = answerWith({"a", "b"});
    cudnn.gate.lock();
    asker.look(answer);
    EXPECT_EQ(asker.said(answer), "cuDNN is being asked about them");
    EXPECT_EQ(asker.said(answerWith({"a"}, "t4")), "") << "another device";
    cudnn.gate.unlock();
    ASSERT_TRUE(waitUntil([&] { return told.learned == 1; }));
    EXPECT_FALSE(cudnn.onWindow);
    EXPECT_EQ(asker.said(answer), "");
    asker.look(answer);
    asker.look(answerWith({}));
    EXPECT_EQ(cudnn.asked, 1) << "what was asked is not asked again";
    asker.look(answerWith({"a", "c"}));
    ASSERT_TRUE(waitUntil([&] { return told.learned == 2; }));
}

TEST(Asker, OfManyEditsTheLastCounts) {
    FakeCudnn cudnn;
    Asker asker(cudnn.work());
    Told told(asker);
    cudnn.gate.lock();
    for (int edit = 0; edit < 50; ++edit) {
        asker.look(answerWith({"edit " + std::to_string(edit)}));
    }
    cudnn.gate.unlock();
    ASSERT_TRUE(waitUntil([&] { return told.learned == 2; }));
    EXPECT_EQ(cudnn.asked, 2) << "the first had begun, the last counts";
}

TEST(Asker, SaysWhyNobodyAnswersAndStopsAsking) {
    FakeCudnn cudnn;
    cudnn.error = "cuDNN was not asked: there is none";
    Asker asker(cudnn.work());
    Told told(asker);
    const PredictionAnswer answer = answerWith({"a"});
    asker.look(answer);
    ASSERT_TRUE(waitUntil([&] { return told.said == 2; }));
    EXPECT_EQ(asker.said(answer), "cuDNN was not asked: there is none");
    asker.look(answerWith({"b"}));
    EXPECT_EQ(cudnn.asked, 1);
    EXPECT_EQ(told.learned, 0);
}

TEST(Asker, WhatCudnnDiesOverIsAskedOnce) {
    FakeCudnn cudnn;
    cudnn.gives = false;
    Asker asker(cudnn.work());
    Told told(asker);
    const PredictionAnswer answer = answerWith({"a"});
    asker.look(answer);
    ASSERT_TRUE(waitUntil([&] { return told.said == 2; }));
    asker.look(answer);
    EXPECT_EQ(cudnn.asked, 1);
    EXPECT_EQ(asker.said(answer), "cuDNN was ended by signal 6");
}

TEST(Asker, EndsWhileItAsks) {
    FakeCudnn cudnn;
    cudnn.gate.lock();
    {
        Asker asker(cudnn.work());
        asker.look(answerWith({"a"}));
        ASSERT_TRUE(waitUntil([&] { return cudnn.asked == 1; }));
    }
    cudnn.gate.unlock();
}

}  // namespace
}  // namespace highwater::desktop
