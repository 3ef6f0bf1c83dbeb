#include "widgets/jobs/waiting.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QTimer>
#include <atomic>
#include <future>
#include <memory>

namespace highwater::desktop {
namespace {

/// Calls `use` with the waiting window as soon as it is shown.
template <class Use>
void whenItShows(QTimer& timer, Use use) {
    QObject::connect(&timer, &QTimer::timeout, qApp, [&timer, use] {
        if (auto* const dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
            timer.stop();
            use(*dialog);
        }
    });
    timer.start(10);
}

TEST(WaitForFolder, SaysNothingOfAFolderThatAnswers) {
    QTimer timer;
    std::atomic<int> looks = 0;
    bool shown = false;
    whenItShows(timer, [&](QDialog&) { shown = true; });
    EXPECT_TRUE(widgets::waitForFolder("/there", [&] { ++looks; }));
    QApplication::processEvents();
    EXPECT_EQ(looks, 1);
    EXPECT_FALSE(shown);
}

TEST(WaitForFolder, SaysWhatDoesNotAnswerUntilItDoes) {
    QTimer timer;
    auto answer = std::make_shared<std::promise<void>>();
    QString said;
    whenItShows(timer, [&](QDialog& dialog) {
        said = dialog.findChild<QLabel*>()->text();
        answer->set_value();
    });
    EXPECT_TRUE(widgets::waitForFolder("/on/a <b>server", [answer] { answer->get_future().wait(); }));
    EXPECT_TRUE(said.contains("does not respond")) << qPrintable(said);
    EXPECT_TRUE(said.endsWith("/on/a <b>server")) << qPrintable(said);
}

TEST(WaitForFolder, CanBeLeftWhileItWaits) {
    QTimer timer;
    auto answer = std::make_shared<std::promise<void>>();
    std::promise<void> ended;
    const auto end = ended.get_future();
    whenItShows(timer, [](QDialog& dialog) { dialog.findChild<QAbstractButton*>()->click(); });
    EXPECT_FALSE(widgets::waitForFolder(
        "/on/a server", [answer, ended = std::make_shared<std::promise<void>>(std::move(ended))] {
            answer->get_future().wait();
            ended->set_value();
        }));
    answer->set_value();
    end.wait();
}

}  // namespace
}  // namespace highwater::desktop
