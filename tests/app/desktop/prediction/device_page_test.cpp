#include "app/desktop/prediction/device_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QStandardItemModel>
#include <QTest>
#include <QThread>
#include <atomic>
#include <future>

#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "core/base/paths.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/app/desktop/window_fixture.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

devices::GpuHere gpu(int index, const std::string& name, const std::string& profile,
                     const std::string& whyNot = {}) {
    devices::GpuHere here;
    here.gpu = {index, name, "GPU-" + std::to_string(index), "", 24 * base::kGiB, 90, ""};
    here.id = whyNot.empty() ? "cuda:" + std::to_string(index) : "";
    here.profile = profile;
    here.whyNot = whyNot;
    return here;
}

devices::GpusHere twoGpus() {
    return {{gpu(0, "NVIDIA H200", "h200"), gpu(1, "NVIDIA GeForce RTX 4090", "rtx4090")}, "", "", "", ""};
}

/// The window on a machine with made-up GPUs.
class DeviceWindow : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
    }

    static void open(MainWindow& window, const Options& how) {
        window.open(how);
        window.show();
        EXPECT_TRUE(QTest::qWaitFor([&] { return !window.devices().looking(); }, 20000));
    }
    static QComboBox* device(MainWindow& window) { return window.findChild<QComboBox*>("Run on"); }
    static void choose(MainWindow& window, const QString& id) {
        QComboBox* combo = device(window);
        ASSERT_GE(combo->findData(id), 0);
        combo->setCurrentIndex(combo->findData(id));
    }
    static QString target(MainWindow& window) {
        return window.findChild<ControlBar*>()->target().choice().id;
    }
    static bool offered(QComboBox* combo, int index) {
        return qobject_cast<QStandardItemModel*>(combo->model())->item(index)->isEnabled();
    }
};

TEST_F(DeviceWindow, WithoutAGpuThereIsTheCpu) {
    MainWindow window(options, [] { return devices::GpusHere{{}, "no NVIDIA driver here", "", "", ""}; });
    open(window, options);
    EXPECT_EQ(device(window)->count(), 1);
    EXPECT_EQ(device(window)->currentData(), "cpu");
    EXPECT_EQ(target(window), "cpu");
}

TEST_F(DeviceWindow, GpusAreLookedForOffTheWindowsThread) {
    std::promise<void> go;
    std::shared_future<void> gone = go.get_future().share();
    std::atomic<bool> elsewhere = false;
    MainWindow window(options, [&, gone] {
        elsewhere = QThread::currentThread() != qApp->thread();
        gone.wait();
        return twoGpus();
    });
    window.open(options);
    window.show();
    EXPECT_TRUE(window.devices().looking());
    EXPECT_EQ(device(window)->count(), 1) << "the window is there before the driver answers";
    go.set_value();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.devices().looking(); }, 20000));
    EXPECT_TRUE(elsewhere);
    ASSERT_EQ(device(window)->count(), 3);
    EXPECT_EQ(device(window)->itemText(1), "H200");
    EXPECT_EQ(device(window)->itemText(2), "RTX 4090");
    EXPECT_EQ(device(window)->itemData(1, Qt::ToolTipRole).toString(), "NVIDIA H200, 24.0 GiB");
    EXPECT_EQ(device(window)->currentData(), "cpu") << "nobody has chosen a GPU";
}

TEST_F(DeviceWindow, GpusThatNoRunCanUseSayWhy) {
    MainWindow window(options, [] {
        return devices::GpusHere{{gpu(0, "NVIDIA H200", "h200", "the engine was built for the CPU only"),
                                  gpu(1, "NVIDIA H200", "h200", "the engine was built for the CPU only")},
                                 "",
                                 "",
                                 "",
                                 ""};
    });
    open(window, options);
    ASSERT_EQ(device(window)->count(), 3);
    EXPECT_EQ(device(window)->itemText(2), "H200 (1)") << "of two alike the number says which";
    for (const int i : {1, 2}) {
        EXPECT_FALSE(offered(device(window), i));
        EXPECT_THAT(device(window)->itemData(i, Qt::ToolTipRole).toString().toStdString(),
                    HasSubstr("built for the CPU only"));
    }
    EXPECT_TRUE(offered(device(window), 0));
}

TEST_F(DeviceWindow, ThePredictionFollowsTheDevice) {
    MainWindow window(options, twoGpus);
    open(window, options);
    choose(window, "cuda:0");
    EXPECT_EQ(target(window), "h200");
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.predictions().settled(); }, 20000));
    EXPECT_EQ(window.predictions().current()->target.id, "h200");
    choose(window, "cuda:1");
    EXPECT_EQ(target(window), "rtx4090");
    choose(window, "cpu");
    EXPECT_EQ(target(window), "cpu");
}

TEST_F(DeviceWindow, AChosenTargetStays) {
    MainWindow window(options, twoGpus);
    open(window, options);
    auto* predicted = window.findChild<QComboBox*>("Predict for");
    predicted->setCurrentIndex(predicted->findData("t4"));
    choose(window, "cuda:0");
    EXPECT_EQ(target(window), "t4");
    choose(window, "cuda:1");
    EXPECT_EQ(target(window), "t4");
    // The device's own target: it follows the device again.
    predicted->setCurrentIndex(predicted->findData("rtx4090"));
    choose(window, "cuda:0");
    EXPECT_EQ(target(window), "h200");
}

TEST_F(DeviceWindow, AGpuWithoutProfileLeavesTheTargetAndSaysSo) {
    MainWindow window(options, [] {
        return devices::GpusHere{
            {gpu(0, "NVIDIA H200", "h200"), gpu(1, "NVIDIA RTX 6000", "")}, "", "", "", ""};
    });
    open(window, options);
    choose(window, "cuda:1");
    EXPECT_EQ(target(window), "cpu");
    EXPECT_EQ(window.notices().text(),
              "There is no profile of NVIDIA RTX 6000; the prediction is still for this CPU.");
    choose(window, "cuda:0");
    EXPECT_EQ(target(window), "h200");
}

TEST_F(DeviceWindow, ARunGoesToTheDevice) {
    if (base::siblingProgram("highwater-engine").empty()) {
        GTEST_SKIP() << "highwater-engine was not built";
    }
    MainWindow window(options, twoGpus);
    open(window, options);
    window.findChild<ControlBar*>()->setRunOptions(
        {.device = "cuda:7", .steps = 2, .warmup = 1, .budget = {}});  // no machine here has that many
    ASSERT_EQ(window.startRun(), "");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window.running(); }, 60000));
    EXPECT_THAT(window.notices().text().toStdString(), HasSubstr("on the CPU"))
        << "the engine says that it had to go elsewhere";
    ASSERT_TRUE(window.lastRun());
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::Done) << window.lastRun()->message;
}

TEST_F(DeviceWindow, TheDeviceIsRememberedWhereItIsStillThere) {
    options.quit = false;
    {
        MainWindow window(options, twoGpus);
        open(window, options);
        choose(window, "cuda:1");
    }
    {
        MainWindow window(options, [] {  // the same GPU with another number
            return devices::GpusHere{{gpu(1, "NVIDIA GeForce RTX 4090", "rtx4090")}, "", "", "", ""};
        });
        open(window, options);
        EXPECT_EQ(device(window)->currentData(), "cuda:1");
        EXPECT_EQ(target(window), "rtx4090");
    }
    MainWindow window(options, [] { return devices::GpusHere{{}, "no NVIDIA driver here", "", "", ""}; });
    open(window, options);
    EXPECT_EQ(device(window)->currentData(), "cpu");
    EXPECT_EQ(target(window), "cpu") << "what the device brought is not kept";
}

TEST(TargetOfRun, IsTheDevicesProfile) {
    wire::Environment cpu;
    cpu.device = "cpu";
    EXPECT_EQ(targetOfRun(cpu), (TargetChoice{}));
    wire::Environment here;
    here.device = "cuda:0";
    here.deviceName = "NVIDIA H200";
    here.memoryBytes = 143771 * base::kMiB;
    here.versions = {{"libtorch", "2.11.0+cu130"}, {"cudnn", "9.19.0"}};
    EXPECT_EQ(targetOfRun(here), (TargetChoice{"h200", "2.11.0+cu130", "9.19.0"}));
    here.deviceName = "NVIDIA RTX 6000";
    EXPECT_EQ(targetOfRun(here).id, "") << "no profile";
}

}  // namespace
}  // namespace highwater::desktop
