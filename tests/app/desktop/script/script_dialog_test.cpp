#include "app/desktop/script/script_dialog.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <filesystem>
#include <fstream>

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;

/// A shell script in place of highwater-cli.
class ScriptDialogTest : public ::testing::Test {
protected:
    fs::path folder = fs::path(::testing::TempDir()) / "hw script";
    void SetUp() override {
        fs::create_directories(folder);
        std::ofstream(folder / "train.py") << "pass\n";
        QSettings().remove("script");
    }
    void TearDown() override {
        QSettings().remove("script");
        fs::remove_all(folder);
    }
    fs::path program(const std::string& body) {
        const fs::path path = folder / "cli";
        std::ofstream(path) << "#!/bin/sh\n" << body << '\n';
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    /// The dialog with the script and these arguments filled in.
    void fill(const ScriptDialog& dialog, const QString& arguments = {}) const {
        dialog.findChild<QLineEdit*>("script")->setText(
            QString::fromStdString((folder / "train.py").string()));
        dialog.findChild<QLineEdit*>("arguments")->setText(arguments);
    }
    static QString label(const ScriptDialog& dialog, const char* name) {
        return dialog.findChild<QLabel*>(name)->text();
    }
    static bool ends(const ScriptDialog& dialog) {
        return QTest::qWaitFor([&] { return !dialog.running(); }, 20000);
    }
};

TEST_F(ScriptDialogTest, ShowsWhatTheScriptPrintsAndWhereItsMemoryIs) {
    ScriptDialog dialog("/store", program(R"(echo "$@" > arguments
echo 'epoch 1' >&2
echo '{"event": "started"}'
echo '{"event": "warning", "message": "look"}'
echo '{"event": "result", "run": 7, "status": "done", "memory": {"requested_bytes": 2048, "reserved_bytes": 4096,
 "device_bytes": 8192, "context_bytes": 4096, "context_source": "given", "capacity_bytes": 1048576, "peak": {"step": 1, "phase": "backward",
 "module": "net.up", "line": "train.py:3 forward"}, "peak_by_category": {"activations": 2048},
 "modules": [{"name": "net.up", "bytes": 2048, "blocks": 2}], "lines": [{"name": null, "bytes": 2048, "blocks": 2}]}}' | tr -d '\n'
echo)"));
    fill(dialog, "--name 'a b'");
    QSignalSpy ended(&dialog, &ScriptDialog::ended);
    QSignalSpy timeline(&dialog, &ScriptDialog::timelineWanted);
    dialog.start();
    EXPECT_TRUE(dialog.running());
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(ended.count(), 1);
    EXPECT_EQ(label(dialog, "headline"),
              "Fits. Pretended peak 2.00 KiB, in backward of step 2, net.up, train.py:3 forward");
    EXPECT_TRUE(
        label(dialog, "facts")
            .startsWith("activations 2.00 KiB\n4.00 KiB reserved by PyTorch; 8.00 KiB on the device with a "
                        "CUDA context of 4.00 KiB (as given for this GPU), of 1.00 MiB."))
        << label(dialog, "facts").toStdString();
    EXPECT_EQ(label(dialog, "state"), "Recorded as run #7");
    EXPECT_EQ(dialog.findChild<QTableWidget*>("modules")->item(0, 0)->text(), "net.up");
    EXPECT_EQ(dialog.findChild<QTableWidget*>("lines")->item(0, 0)->text(), "(autograd)");
    const QStringList output = dialog.findChild<QPlainTextEdit*>("output")->toPlainText().split('\n');
    EXPECT_EQ(output.size(), 2);
    EXPECT_TRUE(output.contains("epoch 1") && output.contains("Highwater: look"));
    for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
        if (button->text() == "Timeline") {
            button->click();
        }
    }
    ASSERT_EQ(timeline.count(), 1);
    EXPECT_EQ(timeline[0][0].toString(), "7");
    std::string arguments;
    std::getline(std::ifstream(folder / "arguments"), arguments);
    EXPECT_EQ(arguments, "script --pretend rtx3060 --steps 3 --store /store --events " +
                             (folder / "train.py").string() + " --name a b")
        << "it runs in the script's folder";
}

TEST_F(ScriptDialogTest, ListsTheChangesThatWereTried) {
    ScriptDialog dialog("/store", program(R"(echo "$@" > arguments
echo '{"event": "trying", "name": "as it is"}'
echo '{"event": "tried", "name": "as it is", "kind": "none", "status": "out_of_memory", "fits": false, "device_bytes": 8192}'
echo '{"event": "tried", "name": "recompute 2 modules", "kind": "recompute", "status": "done", "fits": true, "results": "equal",
 "added_work": 0.24, "device_bytes": 4096, "modules": ["a", "b"], "file": "import torch"}' | tr -d '\n'
echo
echo '{"event": "tried", "name": "channels last", "status": "failed", "failure": "no", "results": "rounding"}'
echo '{"event": "tries", "as_it_is": {"fits": false}, "fitting": ["recompute 2 modules"]}')"));
    fill(dialog);
    dialog.startTries();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(label(dialog, "headline"), "One change fits: recompute 2 modules");
    const auto* table = dialog.findChild<QTableWidget*>("tries");
    const auto row = [&](int at) {
        QStringList cells;
        for (int column = 0; column < table->columnCount(); ++column) {
            cells << table->item(at, column)->text();
        }
        return cells;
    };
    ASSERT_EQ(table->rowCount(), 3);
    EXPECT_EQ(row(0), QStringList({"none", "8.00 KiB", "no: out of memory", "", ""}));
    EXPECT_EQ(row(1), QStringList({"recompute 2 modules", "4.00 KiB", "yes", "+24 %", "equal to the bit"}));
    EXPECT_EQ(row(2), QStringList({"channels last", "–", "failed", "", "equal up to rounding"}));
    EXPECT_EQ(table->item(1, 0)->toolTip(), "a, b");
    EXPECT_EQ(table->item(2, 0)->toolTip(), "no");
    EXPECT_TRUE(table->item(1, 0)->isSelected()) << "the first one that fits";
    for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
        if (button->text() == "Copy the file's text") {
            button->click();
        }
    }
    EXPECT_EQ(QApplication::clipboard()->text(), "import torch");
    std::string arguments;
    std::getline(std::ifstream(folder / "arguments"), arguments);
    EXPECT_EQ(arguments, "script --pretend rtx3060 --steps 3 --store /store --events --try " +
                             (folder / "train.py").string());
}

TEST_F(ScriptDialogTest, WhatIsWrongIsALine) {
    ScriptDialog dialog("/store", program("echo 'highwater-cli: no PyTorch' >&2; exit 2"));
    dialog.start();
    EXPECT_FALSE(dialog.running());
    EXPECT_EQ(label(dialog, "headline"), "Choose the script that trains your network.");
    dialog.findChild<QLineEdit*>("script")->setText("/none.py");
    dialog.start();
    EXPECT_EQ(label(dialog, "headline"), "There is no file /none.py.");
    fill(dialog);
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(label(dialog, "headline"), "no PyTorch");
}

TEST_F(ScriptDialogTest, StopsWhenAsked) {
    ScriptDialog dialog(
        "/store",
        program("trap 'exit 130' INT\necho '{\"event\": \"started\"}'\nwhile true; do sleep 0.05; done"));
    fill(dialog);
    dialog.start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return label(dialog, "state") == "The first step"; }, 20000));
    dialog.stop();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(label(dialog, "headline"), "The script ended with exit code 130.");
}

TEST(ScriptLine, SaysThatMoreMayBeHeldWhileAlgorithmsAreTimed) {
    const ScriptLine line = readScriptLine(
        R"({"event": "result", "memory": {"workspaces": {"asked": 3, "largest_bytes": 4096, "benchmarked": 2,
            "benchmark_least_bytes": 0, "benchmark_most_bytes": 4096},
            "first_step_device_range_bytes": [2048, 12884901888]}})");
    ASSERT_TRUE(line.result);
    EXPECT_TRUE(line.result->facts.join(' ').contains(
        "During the first step, which times them, up to 12.0 GiB may be in use."));
}

TEST(ScriptLine, AnythingIsSafe) {
    for (
        const char* line :
        {"", "{", "[]", "5", R"({"event": 5})", R"({"event": "result"})",
         R"({"event": "result", "memory": 3, "failure": {}})",
         R"({"event": "result", "memory": {"peak": [], "modules": {"a": 1}, "lines": [1, null], "values_read": [7]}})",
         R"({"event": "ledger", "step": "many"})", R"({"event": "tried", "added_work": [], "modules": [3]})",
         R"({"event": "tries", "as_it_is": 3, "fitting": [7]})", R"({"event": "tries"})"}) {
        EXPECT_TRUE(readScriptLine(line).warning.isEmpty()) << line;
    }
}

}  // namespace
}  // namespace highwater::desktop
