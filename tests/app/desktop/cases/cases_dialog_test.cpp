#include "app/desktop/cases/cases_dialog.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableWidget>
#include <QTest>
#include <fstream>

#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/core/temporary_folder.h"

namespace highwater::desktop {
namespace {

class CasesDialogTest : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove("cases");
        auto plans = stack::testing::newerPlans();
        plans["configurations"]["3d_fullres"]["spacing"] = {1.0, 1.0, 1.0};
        folder.write("nnUNetPlans.json", plans.dump());
        std::filesystem::create_directory(folder.path() / "scans");
        scan("small", "64 64 64");
        scan("large", "512 512 512");
        folder.write("scans/wrong.nrrd", "NRRD0004\ntype: nonsense\n\n");
    }
    void TearDown() override { QSettings().remove("cases"); }
    /// A header whose voxels are elsewhere.
    void scan(const std::string& name, const std::string& size) const {
        folder.write("scans/" + name + ".nhdr", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: " + size +
                                                    "\nspacings: 1 1 1\nencoding: raw\ndata file: " + name +
                                                    ".raw\n");
        std::ofstream(folder.path() / "scans" / (name + ".raw"), std::ios::binary);
        std::int64_t side = std::stoll(size);
        std::filesystem::resize_file(folder.path() / "scans" / (name + ".raw"),
                                     static_cast<std::uintmax_t>(side * side * side));  // a hole
    }
    void fill(const CasesDialog& dialog, const QString& plans, const QString& scans) const {
        dialog.findChild<QLineEdit*>("plans")->setText(plans);
        dialog.findChild<QLineEdit*>("folder")->setText(scans);
    }
    QString path(const char* name) const { return QString::fromStdString((folder.path() / name).string()); }
    static QString headline(const CasesDialog& dialog) {
        return dialog.findChild<QLabel*>("headline")->text();
    }
    static bool ends(const CasesDialog& dialog) {
        return QTest::qWaitFor([&] { return !dialog.busy(); }, 60000);
    }
    highwater::test::TemporaryFolder folder;
};

TEST_F(CasesDialogTest, ShowsARowForEachCaseSortedByWhatIsClicked) {
    CasesDialog dialog;
    fill(dialog, path("nnUNetPlans.json"), path("scans"));
    EXPECT_EQ(dialog.findChild<QComboBox*>("configuration")->currentText(), "3d_fullres");
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(headline(dialog), "2 of 3 cases fit");
    QTableWidget& table = dialog.table();
    ASSERT_EQ(table.rowCount(), 3);
    constexpr int kHow = 2, kHost = 5;
    table.sortItems(kHost, Qt::DescendingOrder);
    EXPECT_EQ(table.item(0, 0)->text(), "large");
    EXPECT_EQ(table.item(1, 0)->text(), "small");
    EXPECT_EQ(table.item(2, 0)->text(), "wrong");
    EXPECT_NE(table.item(2, kHow)->text(), "");
    for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
        if (button->text() == "Copy") {
            button->click();
        }
    }
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("512 × 512 × 512\t512 × 512 × 512"));
}

TEST_F(CasesDialogTest, ErrorsAreOneLine) {
    CasesDialog dialog;
    dialog.start();
    EXPECT_EQ(headline(dialog), "Choose nnU-Net's plans first.");
    fill(dialog, path("nnUNetPlans.json"), path("none"));
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_TRUE(headline(dialog).contains("none")) << headline(dialog).toStdString();
    fill(dialog, path("scans/wrong.nrrd"), path("scans"));
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_TRUE(headline(dialog).contains("JSON is needed")) << headline(dialog).toStdString();
    fill(dialog, path("nnUNetPlans.json"), path("scans"));
    dialog.findChild<QLineEdit*>("host")->setText("much");
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_TRUE(headline(dialog).startsWith("Host memory: ")) << headline(dialog).toStdString();
    EXPECT_EQ(dialog.table().rowCount(), 0);
}

TEST_F(CasesDialogTest, CanBeCancelled) {
    CasesDialog dialog;
    fill(dialog, path("nnUNetPlans.json"), path("scans"));
    dialog.start();
    EXPECT_TRUE(dialog.busy());
    dialog.stop();
    EXPECT_FALSE(dialog.busy());
    EXPECT_EQ(headline(dialog), "Cancelled.");
}

}  // namespace
}  // namespace highwater::desktop
