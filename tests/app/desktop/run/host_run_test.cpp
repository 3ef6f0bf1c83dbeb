#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/run/hosts_dialog.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/sweep/sweep_panel.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "core/hosts/hosts.h"
#include "core/hosts/known.h"
#include "core/wire/follower.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/e2e/ssh_server.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

bool metInTime(const std::function<bool()>& met) {
    constexpr int kPatienceMs = 240000;
    return highwater::test::waitUntil(met, kPatienceMs);
}

/// The window, and a host at the loopback address.
class HostRunTest : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
        // Without spaces, which would end a name in sshd's configuration.
        there_ = fs::path(::testing::TempDir()) / ("hw-host-" + std::to_string(::getpid()));
        fs::remove_all(there_);
        server_.emplace(there_ / "ssh",
                        std::map<std::string, std::string>{{"HOME", there_.string()},
                                                           {"XDG_CACHE_HOME", (there_ / "cache").string()},
                                                           {"XDG_DATA_HOME", (there_ / "data").string()},
                                                           {"OMP_WAIT_POLICY", "PASSIVE"}});
        if (!server_->problem().empty()) {
            GTEST_SKIP() << server_->problem();
        }
        qputenv("HIGHWATER_SSH_CONFIG", QByteArray::fromStdString(server_->clientConfig().string()));
        e2e::prepareIn(there_ / "cache");
        ASSERT_TRUE(hosts::addHost(hosts::hostsFile(), {"box", "loopback", ""}));
    }
    void TearDown() override {
        window_.reset();
        EXPECT_TRUE(metInTime([&] { return e2e::programsWith(there_.string()).empty(); }));
        server_.reset();
        fs::remove_all(there_);
        WindowFixture::TearDown();
    }
    void open() {
        window_ = std::make_unique<MainWindow>(options);
        window_->show();
        window_->open(options);
        ASSERT_TRUE(metInTime([&] { return window_->store().listed(); }));
    }
    void runThere(int steps) {
        RunOptions run = controls().runOptions();
        run.host = "box";
        run.steps = steps;
        controls().setRunOptions(run);
        ASSERT_EQ(window_->startRun().toStdString(), "");
    }
    ControlBar& controls() { return *window_->findChild<ControlBar*>(); }
    std::string notice() { return window_->notices().text().toStdString(); }
    std::size_t steps() { return window_->findChild<widgets::LivePlots*>()->stepCount(); }
    bool ended() { return !window_->running() && window_->lastRun(); }

    fs::path there_;
    std::optional<e2e::SshServer> server_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(HostRunTest, RunOnListsHosts) {
    open();
    EXPECT_TRUE(metInTime([&] {
        const auto lists = controls().findChildren<QComboBox*>();
        return std::any_of(lists.begin(), lists.end(), [](const QComboBox* list) {
            return list->findText("box: GPU") >= 0 && list->findText("box: CPU") >= 0;
        });
    }));
}

/// GPUs as found by the last check; the prediction follows the selected one, and says so.
TEST_F(HostRunTest, RunOnListsEveryGpuOfAHost) {
    hosts::HostFacts facts;
    facts.torch = "2.6.0+cu124";
    facts.gpus = {{"NVIDIA H100 80GB HBM3", "550.54.15", 81559 * base::kMiB},
                  {"NVIDIA GeForce RTX 4090", "550.54.15", 24564 * base::kMiB},
                  {"NVIDIA GeForce RTX 4090", "550.54.15", 24564 * base::kMiB},
                  {"Voodoo 2", "550.54.15", 12 * base::kMiB}};
    open();
    auto* const list = controls().findChild<QComboBox*>("Run on");
    ASSERT_TRUE(metInTime([&] { return list->findText("box: GPU") >= 0; }));
    list->setCurrentIndex(list->findText("box: GPU"));  // before anything is known about it
    ASSERT_TRUE(hosts::remember(*hosts::findHost(hosts::hostsFile(), "box"), facts));
    window_->devices().look();
    ASSERT_TRUE(metInTime([&] { return list->findText("box: GPU") < 0; }));
    for (const char* title :
         {"box: H100 80GB HBM3", "box: RTX 4090 (1)", "box: RTX 4090 (2)", "box: Voodoo 2", "box: CPU"}) {
        EXPECT_GE(list->findText(title), 0) << title;
    }
    const auto target = [&] { return controls().target().choice(); };
    EXPECT_EQ(list->currentText(), "box: H100 80GB HBM3");  // the first one stays selected
    EXPECT_EQ(controls().runOptions().device, "cuda:0");
    EXPECT_EQ(controls().runOptions().host, "box");
    EXPECT_EQ(target().id, "h100");
    EXPECT_EQ(target().libtorch, "2.6");
    EXPECT_THAT(notice(), HasSubstr("box has NVIDIA H100 80GB HBM3: the prediction is for "));
    list->setCurrentIndex(list->findText("box: RTX 4090 (2)"));
    EXPECT_EQ(controls().runOptions().device, "cuda:2");
    EXPECT_EQ(target().id, "rtx4090");
    list->setCurrentIndex(list->findText("box: Voodoo 2"));
    EXPECT_EQ(target().id, "rtx4090");
    EXPECT_THAT(notice(), HasSubstr("There is no profile of Voodoo 2"));
    EXPECT_THAT(list->itemData(list->currentIndex(), Qt::ToolTipRole).toString().toStdString(),
                HasSubstr("Voodoo 2, 12.0 MiB on loopback, through ssh"));
}

/// Answers the next question.
void answer(const QString& with, QString& asked) {
    QTimer::singleShot(300, [with, &asked] {
        auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        asked = box->text() + '\n' + box->informativeText();
        const auto buttons = box->buttons();
        const auto at = std::find_if(buttons.begin(), buttons.end(),
                                     [&](const QAbstractButton* b) { return b->text().remove('&') == with; });
        ASSERT_NE(at, buttons.end());
        (*at)->click();
    });
}

TEST_F(HostRunTest, ARunWhoseHostIsGoneIsGivenUp) {
    open();
    runThere(100'000);
    ASSERT_TRUE(metInTime([&] { return steps() > 3; })) << notice();
    const std::string id = window_->store().rows().at(0).id;
    ASSERT_TRUE(metInTime([&] { return window_->store().active().size() == 1; }));
    server_->stop();
    auto* const table = window_->findChild<RunsTable*>();
    table->select({QString::fromStdString(id)});
    const std::unique_ptr<QMenu> menu(table->contextMenu());
    const auto actions = menu->actions();
    const auto giveUp = std::find_if(actions.begin(), actions.end(),
                                     [](const QAction* action) { return action->text() == "Give up…"; });
    ASSERT_NE(giveUp, actions.end());
    ASSERT_TRUE((*giveUp)->isVisible());
    QString asked;
    answer("Cancel", asked);
    (*giveUp)->trigger();
    EXPECT_TRUE(window_->running());
    EXPECT_THAT(asked.toStdString(), HasSubstr("Give up run #1 on box?"));
    EXPECT_THAT(asked.toStdString(), HasSubstr("The data fetched so far is kept"));
    answer("Give up", asked);
    (*giveUp)->trigger();
    ASSERT_TRUE(metInTime([&] { return ended(); })) << notice();
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Failed);
    EXPECT_THAT(window_->lastRun()->message, HasSubstr("given up; it was not fetched from host box"));
    EXPECT_GT(window_->lastRun()->stepMs.n, 0);
    EXPECT_EQ(window_->lastRun()->host, "box");
    EXPECT_TRUE(metInTime([&] { return !(*giveUp)->isVisible(); }));
    // The run continues on the host, but this test does not need it.
    for (const auto& run : fs::directory_iterator(there_ / "data" / "highwater-host" / "runs")) {
        std::ofstream(run.path() / "stop") << "kill";
    }
}

TEST_F(HostRunTest, IsLiveAndSurvivesABrokenConnection) {
    open();
    runThere(40);
    ASSERT_TRUE(metInTime([&] { return steps() > 3; })) << notice();
    EXPECT_TRUE(controls().gauge().state().running);
    EXPECT_GT(server_->cutConnections(), 0);
    ASSERT_TRUE(metInTime([&] { return ended(); })) << notice();
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Done);
    EXPECT_EQ(steps(), 43U);
}

TEST_F(HostRunTest, StopStopsItThere) {
    open();
    runThere(100'000);
    ASSERT_TRUE(metInTime([&] { return steps() > 3; })) << notice();
    window_->stopRun();
    ASSERT_TRUE(metInTime([&] { return ended(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Cancelled);
}

/// After the host has answered, and before it is known that the run is there.
TEST_F(HostRunTest, StopStopsARunThatIsBeingStartedThere) {
    open();
    runThere(100'000);
    const auto recorded = [&] { return !fs::is_empty(options.store / "runs"); };
    ASSERT_TRUE(metInTime(recorded)) << notice();
    ASSERT_EQ(steps(), 0U);
    window_->stopRun();
    ASSERT_TRUE(metInTime([&] { return ended(); })) << notice();
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Cancelled);
}

TEST_F(HostRunTest, AHostThatCannotBeReachedIsSaidAndNothingIsRecorded) {
    server_->stop();
    open();
    runThere(10);
    ASSERT_TRUE(metInTime([&] { return !window_->running(); }));
    EXPECT_THAT(notice(), HasSubstr("host box: "));
    EXPECT_TRUE(fs::is_empty(options.store / "runs"));
}

TEST_F(HostRunTest, TheNextWindowTakesItOver) {
    open();
    runThere(100'000);
    ASSERT_TRUE(metInTime([&] { return steps() > 3; })) << notice();
    const std::string id = window_->store().rows().at(0).id;
    window_.reset();
    // As if another program had followed it and is gone.
    const auto folder = options.store / "runs" / id;
    auto follower = *wire::readFollower(folder);
    ASSERT_TRUE(follower);
    EXPECT_EQ(follower->host, "box");
    {
        std::ifstream in(folder / "follower.json");
        auto json = nlohmann::json::parse(in);
        json["follower"]["start"] = 1;
        std::ofstream(folder / "follower.json") << json;
        std::ifstream stateIn(folder / "state.json");
        auto state = nlohmann::json::parse(stateIn);
        state["owner"]["start"] = 1;
        std::ofstream(folder / "state.json") << state;
    }
    open();
    ASSERT_TRUE(metInTime([&] { return window_->running() && steps() > 3; })) << notice();
    window_->stopRun();
    ASSERT_TRUE(metInTime([&] { return ended(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Cancelled);
}

/// A study runs on the device of *Run on*; its runs are recorded here.
TEST_F(HostRunTest, ASweepIsMeasuredThere) {
    open();
    RunOptions run = controls().runOptions();
    run.host = "box";
    controls().setRunOptions(run);
    SweepWindow& sweep = window_->studies().openSweep();
    SweepChoice choice = sweep.panel().setup().choice();
    choice.axes = {{"batch_size", {"/step/batch_size"}, "1, 2", {}}};
    choice.steps = 4;
    choice.repeats = 1;
    sweep.panel().setup().setChoice(choice);
    ASSERT_TRUE(metInTime([&] { return !sweep.loading() && sweep.state().forecasts.size() == 2; }));
    ASSERT_EQ(sweep.run().toStdString(), "");
    ASSERT_TRUE(metInTime([&] { return !window_->studies().running(); }));
    EXPECT_EQ(sweep.problem().toStdString(), "");
    ASSERT_EQ(sweep.state().measured.size(), 2u);
    for (const study::Measured& measured : sweep.state().measured) {
        EXPECT_EQ(measured.status, wire::RunStatus::Done) << measured.why;
        EXPECT_EQ(measured.place, "box");
    }
    ASSERT_TRUE(metInTime([&] { return window_->store().rows().size() == 2; }));
    for (const runs::RunSummary& row : window_->store().rows()) {
        EXPECT_EQ(row.host, "box");
    }

    server_->stop();
    ASSERT_EQ(sweep.run().toStdString(), "");
    ASSERT_TRUE(metInTime([&] { return !window_->studies().running(); }));
    EXPECT_THAT(sweep.problem().toStdString(), HasSubstr("host box: "));
}

using HostsListTest = highwater::test::WindowFixture;

TEST_F(HostsListTest, ItsMenuCopiesAndRemovesTheSelectedHost) {
    ASSERT_TRUE(hosts::addHost(hosts::hostsFile(), {"box", "anna@box.invalid", ""}));
    HostsDialog dialog;
    auto* const list = dialog.findChild<QListWidget*>();
    ASSERT_EQ(list->count(), 1);
    EXPECT_EQ(list->contextMenuPolicy(), Qt::ActionsContextMenu);
    std::map<QString, QAction*> menu;
    for (QAction* action : list->actions()) {
        menu[action->text()] = action;
    }
    ASSERT_TRUE(menu.contains("Copy") && menu.contains("Check") && menu.contains("Remove"));
    QApplication::clipboard()->setText("before");
    list->setCurrentRow(-1);
    menu["Copy"]->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), "before") << "no host is selected";
    list->setCurrentRow(0);
    menu["Copy"]->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), list->item(0)->text());
    EXPECT_THAT(QApplication::clipboard()->text().toStdString(), HasSubstr("anna@box.invalid"));
    menu["Remove"]->trigger();
    EXPECT_EQ(list->count(), 0);
    EXPECT_TRUE(hosts::readHosts(hosts::hostsFile())->empty());
}

/// The hosts dialog, as people use it.
class HostsDialogTest : public HostRunTest {
protected:
    QLineEdit& field(const char* example) {
        for (auto* found : dialog_.findChildren<QLineEdit*>()) {
            if (found->placeholderText().startsWith(example)) {
                return *found;
            }
        }
        throw std::runtime_error("no such field");
    }
    QPushButton& button(const char* words) {
        for (auto* found : dialog_.findChildren<QPushButton*>()) {
            if (found->text() == words) {
                return *found;
            }
        }
        throw std::runtime_error("no such button");
    }
    std::string message() { return dialog_.message().toStdString(); }
    HostsDialog dialog_;
};

TEST_F(HostsDialogTest, AddsChecksAndRemoves) {
    auto* const list = dialog_.findChild<QListWidget*>();
    int changes = 0;
    QObject::connect(&dialog_, &HostsDialog::hostsChanged, [&] { ++changes; });
    field("lab").setText("near");
    field("anna@").setText("-oProxyCommand=true");
    button("Add or change").click();
    EXPECT_THAT(message(), HasSubstr("is not an address"));
    EXPECT_EQ(changes, 0);
    field("anna@").setText("loopback");
    button("Add or change").click();
    EXPECT_EQ(changes, 1);
    ASSERT_EQ(hosts::readHosts(hosts::hostsFile())->size(), list->count());
    ASSERT_GE(list->currentRow(), 0);
    EXPECT_EQ(list->currentItem()->text(), "near · loopback");
    ASSERT_TRUE(hosts::addHost(hosts::hostsFile(), {"box", "loopback", "", "gpu", "gpu:1"}));
    HostsDialog other;
    for (auto* found : other.findChildren<QLineEdit*>()) {
        found->setText(found->placeholderText() == "lab"              ? "box"
                       : found->placeholderText().startsWith("anna@") ? "loopback"
                                                                      : "");
    }
    for (auto* found : other.findChildren<QPushButton*>()) {
        if (found->text() == "Add or change") {
            found->click();
        }
    }
    EXPECT_EQ(hosts::findHost(hosts::hostsFile(), "box")->gres, "gpu:1");  // it has no field here

    button("Check and prepare").click();
    EXPECT_TRUE(dialog_.checking());
    EXPECT_FALSE(button("Add or change").isEnabled());
    ASSERT_TRUE(metInTime([&] { return !dialog_.checking(); }));
    EXPECT_THAT(message(), HasSubstr("near is ready: choose it in Run on."));
    EXPECT_THAT(message(), HasSubstr("system: Linux"));
    EXPECT_EQ(changes, 2);  // the names of its GPUs are known now

    server_->stop();
    button("Check and prepare").click();
    ASSERT_TRUE(metInTime([&] { return !dialog_.checking(); }));
    EXPECT_THAT(message(), HasSubstr("host near: "));
    EXPECT_THAT(message(), Not(HasSubstr("ready")));

    button("Remove").click();
    EXPECT_EQ(changes, 3);
    EXPECT_FALSE(hosts::findHost(hosts::hostsFile(), "near"));
    EXPECT_EQ(list->currentItem()->text(), "box · loopback");
    button("Remove").click();
    EXPECT_FALSE(button("Check and prepare").isEnabled());
}

}  // namespace
}  // namespace highwater::desktop
