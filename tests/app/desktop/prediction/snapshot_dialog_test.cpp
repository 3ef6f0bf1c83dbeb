#include "app/desktop/prediction/snapshot_dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "core/capture/capture.h"
#include "tests/app/desktop/window_fixture.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

/// The window, and a snapshot of what is predicted for its experiment on the RTX 4090.
class SnapshotDialogTest : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
        window_ = std::make_unique<MainWindow>(options);
        window_->open(options);
        window_->show();
        window_->predictions().predictFor({"rtx4090", "2.6", ""});
        ASSERT_TRUE(settled());
        const auto& document = window_->document();
        const auto target = targetOf({"rtx4090", "2.6", ""}, document.experiment());
        ASSERT_TRUE(target) << target.error().message;
        memory::Trace trace;
        predict::PredictOptions options;
        options.trace = &trace;
        ASSERT_TRUE(predict::predict(document.experiment(), *document.info(), *target, options));
        snapshot_ = folder / "recorded.pickle";
        const auto written = capture::write(trace, capture::Format::Snapshot, snapshot_);
        ASSERT_TRUE(written) << written.error().message;
    }
    void TearDown() override {
        window_.reset();
        std::filesystem::remove_all(predict::gpuTableFolders().front());
        WindowFixture::TearDown();
    }

    bool settled() {
        return QTest::qWaitFor([&] { return window_->predictions().settled(); }, 20000);
    }
    SnapshotDialog& open() {
        window_->predictions().learnFrom(QString::fromStdString(snapshot_.string()), window_.get());
        auto* dialog = window_->findChild<SnapshotDialog*>();
        EXPECT_TRUE(QTest::qWaitFor([&] { return dialog->settled(); }, 20000));
        return *dialog;
    }
    static std::string words(const SnapshotDialog& dialog) {
        QString all;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) {
            all += label->text() + '\n';
        }
        return all.toStdString();
    }
    static QPushButton& button(const SnapshotDialog& dialog, const QString& text) {
        for (auto* each : dialog.findChildren<QPushButton*>()) {
            if (each->text() == text) {
                return *each;
            }
        }
        throw std::runtime_error("no button " + text.toStdString());
    }

    std::unique_ptr<MainWindow> window_;
    std::filesystem::path snapshot_;
};

TEST_F(SnapshotDialogTest, ComparesAndWhatIsKeptIsPredictedAsMeasured) {
    const auto& prediction = *window_->predictions().current()->prediction;
    ASSERT_GT(prediction.withoutRow, 0U);
    SnapshotDialog& dialog = open();
    EXPECT_THAT(words(dialog), HasSubstr("found in the snapshot"));
    EXPECT_GE(dialog.findChild<QTableWidget*>("kinds")->rowCount(), 4);
    const int workspaces = dialog.findChild<QTableWidget*>("workspaces")->rowCount();
    EXPECT_GT(workspaces, 3);
    QPushButton& keep = button(dialog, "Keep as measured");
    ASSERT_TRUE(keep.isEnabled());
    QSignalSpy kept(&dialog, &SnapshotDialog::kept);
    keep.click();
    EXPECT_EQ(kept.count(), 1);
    EXPECT_FALSE(keep.isEnabled());
    EXPECT_THAT(words(dialog), HasSubstr("kept: predictions for the NVIDIA GeForce RTX 4090"));
    ASSERT_TRUE(settled());
    EXPECT_EQ(window_->predictions().current()->prediction->withoutRow, 0U);
    EXPECT_THAT(window_->predictions().current()->prediction->basis, HasSubstr("by rule or measured"));
}

TEST_F(SnapshotDialogTest, FollowsTheExperimentAndSaysWhatIsMissing) {
    SnapshotDialog& dialog = open();
    window_->document().edit("batch", [](stack::Experiment& e) { e.step.batchSize *= 4; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog.settled(); }, 20000));
    EXPECT_THAT(words(dialog), HasSubstr("the snapshot does not show this experiment"));
    EXPECT_FALSE(dialog.findChild<QTableWidget*>("kinds")->isVisible());
    EXPECT_FALSE(button(dialog, "Keep as measured").isEnabled());
    window_->document().edit("batch", [](stack::Experiment& e) { e.step.batchSize /= 4; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog.settled(); }, 20000));
    EXPECT_TRUE(button(dialog, "Keep as measured").isEnabled());
    auto* target = dialog.findChild<TargetField*>();
    target->setChoice({});
    emit target->changed(target->choice());
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog.settled(); }, 20000));
    EXPECT_THAT(words(dialog), HasSubstr("Choose the GPU on which the snapshot was recorded"));
}

TEST_F(SnapshotDialogTest, AFileThatIsNoSnapshotIsOneLine) {
    std::filesystem::resize_file(snapshot_, 100);
    SnapshotDialog& dialog = open();
    EXPECT_THAT(words(dialog), HasSubstr("recorded.pickle: "));
    EXPECT_FALSE(button(dialog, "Keep as measured").isEnabled());
}

TEST_F(SnapshotDialogTest, TheVersionsHaveAPlaceOfTheirOwnAndReturnOpensNoTimeline) {
    SnapshotDialog& dialog = open();
    dialog.show();
    auto* const versions = dialog.findChild<QToolButton*>("Versions");
    auto* const device = dialog.findChild<QComboBox*>("Predict for");
    ASSERT_TRUE(versions->isVisible());
    const auto placeOf = [&](QWidget& of) { return QRect(of.mapTo(&dialog, QPoint()), of.size()); };
    EXPECT_FALSE(placeOf(*versions).intersects(placeOf(*device)));
    const QSignalSpy opened(&dialog, &SnapshotDialog::timelineWanted);
    device->setFocus();
    QTest::keyClick(device->lineEdit(), Qt::Key_Return);
    EXPECT_EQ(opened.count(), 0);
}

}  // namespace
}  // namespace highwater::desktop
