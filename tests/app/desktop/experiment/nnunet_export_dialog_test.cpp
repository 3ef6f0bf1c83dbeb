#include "app/desktop/experiment/nnunet_export_dialog.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSettings>
#include <QTest>
#include <filesystem>

#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/core/temporary_folder.h"

namespace highwater::desktop {
namespace {

/// A shell script in place of highwater-cli.
class NnunetExportDialogTest : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove("nnunetExport");
        folder.write("nnUNetPlans.json", stack::testing::newerPlans().dump());
    }
    void TearDown() override { QSettings().remove("nnunetExport"); }
    std::filesystem::path program(const std::string& body) const {
        folder.write("cli", "#!/bin/sh\n" + body + "\n");
        std::filesystem::permissions(folder.path() / "cli", std::filesystem::perms::owner_all);
        return folder.path() / "cli";
    }
    QString path(const char* name) const { return QString::fromStdString((folder.path() / name).string()); }
    void fill(const NnunetExportDialog& dialog) const {
        dialog.findChild<QLineEdit*>("plans")->setText(path("nnUNetPlans.json"));
        dialog.findChild<QLineEdit*>("folder")->setText(path("out"));
    }
    static QString headline(const NnunetExportDialog& dialog) {
        return dialog.findChild<QLabel*>("headline")->text();
    }
    static QString output(const NnunetExportDialog& dialog) {
        return dialog.findChild<QPlainTextEdit*>("output")->toPlainText();
    }
    static bool ends(const NnunetExportDialog& dialog) {
        return QTest::qWaitFor([&] { return !dialog.running(); }, 20000);
    }
    highwater::test::TemporaryFolder folder;
};

TEST_F(NnunetExportDialogTest, ShowsWhatTheCommandPrints) {
    NnunetExportDialog dialog(program("for word; do echo \"$word\"; done; echo nnUNetv2_train Dataset001"));
    fill(dialog);
    auto* configuration = dialog.findChild<QComboBox*>("configuration");
    EXPECT_GT(configuration->count(), 0);
    EXPECT_EQ(configuration->currentText(), "3d_fullres");
    dialog.findChild<QLineEdit*>("budget")->setText("8GiB");
    dialog.findChild<QLineEdit*>("name")->setText("small");
    dialog.findChild<QCheckBox*>("parts")->setChecked(false);
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(output(dialog).split('\n'),
              QStringList({"export", "nnunet", path("nnUNetPlans.json"), "--gpu", "rtx3060", "--out",
                           path("out"), "--configuration", "3d_fullres", "--budget", "8GiB", "--name",
                           "small", "--no-micro-batches", "nnUNetv2_train Dataset001"}));
    EXPECT_EQ(headline(dialog), "Written. Train with these commands:");
    NnunetExportDialog again(program("exit 0"));
    EXPECT_EQ(again.findChild<QLineEdit*>("budget")->text(), "8GiB") << "kept between launches";
}

TEST_F(NnunetExportDialogTest, SaysWhyNothingIsWritten) {
    NnunetExportDialog dialog(program("echo 'highwater-cli: --budget: 8 apples is no size' >&2; exit 2"));
    dialog.start();
    EXPECT_EQ(headline(dialog), "Choose nnU-Net's plans first.");
    dialog.findChild<QLineEdit*>("plans")->setText(path("nnUNetPlans.json"));
    dialog.start();
    EXPECT_EQ(headline(dialog), "Choose a folder for the files first.");
    fill(dialog);
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(headline(dialog), "--budget: 8 apples is no size");
    NnunetExportDialog fits(program("echo 'nothing was written: it fits'"));
    fill(fits);
    fits.start();
    ASSERT_TRUE(ends(fits));
    EXPECT_EQ(headline(fits), "Nothing was written: nnU-Net's own trainer fits.");
}

TEST_F(NnunetExportDialogTest, CancelEndsTheCommand) {
    NnunetExportDialog dialog(program("trap 'exit 130' INT\nwhile true; do sleep 0.05; done"));
    fill(dialog);
    dialog.start();
    ASSERT_TRUE(dialog.running());
    dialog.stop();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(headline(dialog), "Cancelled.");
}

}  // namespace
}  // namespace highwater::desktop
