#include "app/desktop/script/script_dialog.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "app/desktop/script/script_plot.h"

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

TEST_F(ScriptDialogTest, APartOfANameFindsTheGpuAndReturnStartsNothing) {
    ScriptDialog dialog("/store", program("echo \"$@\" > arguments"));
    fill(dialog);
    dialog.show();
    auto* const gpu = dialog.findChild<QComboBox*>("gpu");
    gpu->lineEdit()->selectAll();
    QTest::keyClicks(gpu->lineEdit(), "4090");
    QTest::keyClick(gpu->lineEdit(), Qt::Key_Return);
    EXPECT_EQ(gpu->currentData().toString(), "rtx4090");
    EXPECT_FALSE(dialog.running());
    auto* const variables = dialog.findChild<QLineEdit*>("variables");
    variables->setText("EPOCHS");
    dialog.start();
    EXPECT_FALSE(dialog.running());
    EXPECT_EQ(label(dialog, "headline"), "Variables: \"EPOCHS\" sets no variable; write NAME=value");
    variables->setText("EPOCHS=1 NAME='b'");
    dialog.findChild<QCheckBox*>("all")->setChecked(true);
    dialog.startTries();
    ASSERT_TRUE(ends(dialog));
    std::string arguments;
    std::getline(std::ifstream(folder / "arguments"), arguments);
    EXPECT_EQ(
        arguments,
        "script --pretend rtx4090 --steps 3 --time-limit 100000 --store /store --events --try --try-all "
        "--env EPOCHS=1 --env NAME=b " +
            (folder / "train.py").string());
}

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
            .startsWith("activations 2.00 KiB\n\n4.00 KiB reserved by PyTorch; 8.00 KiB on the device with a "
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
    EXPECT_EQ(arguments, "script --pretend rtx3060 --steps 3 --time-limit 100000 --store /store --events " +
                             (folder / "train.py").string() + " --name a b")
        << "it runs in the script's folder";
}

constexpr const char* kStarted =
    R"({"event":"started","run_id":"r","steps":2,"warmup":0,"layers":[],"device":"pretended rtx3060","device_name":"A GPU","versions":{},"threads":1,"isa":"","memory_bytes":1073741824,"architecture":86})";
constexpr const char* kLedger =
    R"({"event":"ledger","time_ms":%1,"bytes":{"input":0,"parameters":1048576,"optimizer_state":0,"gradients":0,"activations":0,"workspace":0,"temporaries":%2},"low":0,"high":4194304,"merged":1,"step":%3,"phase":"%4"})";

QString ledger(double ms, qint64 rest, int step, const char* phase) {
    return QString(kLedger).arg(ms).arg(rest).arg(step).arg(phase);
}

TEST_F(ScriptDialogTest, ShowsMemoryWhileTheScriptRunsAndThenTheStepWithThePeak) {
    const auto step = [](int index, base::Bytes peak) {
        wire::StepDone done;
        done.index = index;
        done.peak.ledger[memory::Category::Activations] = peak;
        done.peak.phase = wire::Phase::Backward;
        done.peak.time = 2;
        done.timeline = {{0, {}}, {2, done.peak.ledger}, {3, {}}};
        done.marks = {{0, wire::Phase::Forward, -1}, {2, wire::Phase::Backward, -1}};
        return QString::fromStdString(wire::toLine(done)).trimmed();
    };
    ScriptDialog dialog(
        "/store",
        program((QString("cat <<'END'\n%1\n%2\n%3\nEND\nwhile [ ! -e go ]; do sleep 0.02; done\n"
                         "cat <<'END'\n%4\n%5\n%6\nEND")
                     .arg(kStarted, ledger(100, 0, 0, "forward"), ledger(300, 2097152, 1, "backward"),
                          step(0, 5000), step(1, 4000), R"({"event":"result","status":"done"})"))
                    .toStdString()));
    fill(dialog);
    auto* plot = dialog.findChild<ScriptPlot*>();
    ASSERT_NE(plot, nullptr);
    EXPECT_TRUE(plot->chart().scene().hint.startsWith("The script's memory appears here"));
    dialog.start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return plot->track().points.size() == 2; }, 20000));
    EXPECT_TRUE(plot->track().live);
    EXPECT_EQ(plot->track().points[1].ms, 200) << "since it began to use the GPU";
    EXPECT_EQ(plot->track().points[1].ledger.total(), 3 << 20);
    EXPECT_EQ(plot->track().spans.size(), 2U);
    EXPECT_EQ(plot->note(), "step 2 of 2, backward · 3.00 MiB now, 4.00 MiB at most");
    EXPECT_EQ(label(dialog, "state"), "Step 2, backward · 3.00 MiB now, 4.00 MiB at most");
    std::ofstream(folder / "go") << "";
    ASSERT_TRUE(ends(dialog));
    EXPECT_FALSE(plot->track().live);
    EXPECT_EQ(plot->track().step, 0) << "the step with the highest peak";
    ASSERT_TRUE(plot->track().peak);
    EXPECT_EQ(plot->track().peak->ledger.total(), 5000);
    EXPECT_FALSE(plot->track().refusal);
}

TEST_F(ScriptDialogTest, OutOfMemoryIsMarkedWhereItHappened) {
    const std::string failed =
        R"({"event":"failed","status":"out_of_memory","why":"train.py:6: OutOfMemoryError: CUDA out of memory.","step":0,"phase":"forward","layer":"","requested_bytes":8388608,"bytes":{"input":0,"parameters":0,"optimizer_state":0,"gradients":0,"activations":0,"workspace":0,"temporaries":0}})";
    ScriptDialog dialog(
        "/store",
        program(
            "cat <<'END'\n" + std::string(kStarted) + "\n" +
            ledger(100, 2097152, 0, "forward").toStdString() + "\n" + failed +
            "\n{\"event\":\"result\",\"run\":3,\"status\":\"out_of_memory\",\"failure\":\"train.py:6: "
            "OutOfMemoryError: CUDA out of memory.\",\"memory\":{\"requested_bytes\":2048}}\nEND\nexit 3"));
    fill(dialog);
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(label(dialog, "headline"), "Does not fit: out of memory at train.py:6");
    EXPECT_TRUE(label(dialog, "facts")
                    .startsWith("train.py:6: OutOfMemoryError: CUDA out of memory.\n\n"
                                "Pretended peak 2.00 KiB"))
        << label(dialog, "facts").toStdString();
    const widgets::MemoryTrack& track = dialog.findChild<ScriptPlot*>()->track();
    ASSERT_TRUE(track.refusal);
    EXPECT_EQ(track.refusal->requested, 8 << 20);
    EXPECT_EQ(track.refusal->ledger.total(), 3 << 20) << "what was allocated then";
}

TEST_F(ScriptDialogTest, RunsRanksAndShowsARowForEach) {
    ScriptDialog dialog("/store", program(R"(echo "$@" > arguments
echo '{"event": "warning", "message": "look", "rank": 1}'
echo '{"event": "result", "status": "done", "fullest_rank": 1, "memory": {"requested_bytes": 2048, "peak": {"step": 0, "phase": "forward"}},
 "ranks": [{"rank": 0, "status": "done"}, {"rank": 1, "status": "done"}],
 "words": {"ranks": [["rank", "peak", "optimizer_state"], ["0", "1.00 KiB", "0 B"], ["1", "2.00 KiB", "1 B"]],
 "nccl": "544 MiB on each device", "rank0_extra": "nothing", "overflow": "", "time": []}}' | tr -d '\n'
echo)"));
    fill(dialog);
    auto* ranks = dialog.findChild<QSpinBox*>("ranks");
    auto* timed = dialog.findChild<QCheckBox*>("timed");
    timed->setChecked(true);
    ranks->setValue(2);
    EXPECT_FALSE(timed->isEnabled()) << "a time is for one process";
    dialog.startTries();
    EXPECT_FALSE(dialog.running());
    EXPECT_EQ(label(dialog, "headline"), "Changes are tried with one process: set GPUs (ranks) to 1.");
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    std::string arguments;
    std::getline(std::ifstream(folder / "arguments"), arguments);
    EXPECT_EQ(arguments,
              "script --pretend rtx3060 --steps 3 --time-limit 100000 --store /store --events --ranks 2 " +
                  (folder / "train.py").string());
    EXPECT_EQ(label(dialog, "headline"),
              "Fits. Rank 1, whose GPU holds the most: pretended peak 2.00 KiB, in forward of step 1");
    EXPECT_TRUE(label(dialog, "facts").contains("NCCL's buffers: 544 MiB on each device."));
    EXPECT_TRUE(label(dialog, "facts").contains("What rank 0 holds beyond the others: nothing."));
    const auto* table = dialog.findChild<QTableWidget*>("ranks table");
    ASSERT_NE(table, nullptr);
    ASSERT_EQ(table->rowCount(), 2);
    EXPECT_EQ(table->horizontalHeaderItem(2)->text(), "optimizer state");
    EXPECT_EQ(table->item(1, 1)->text(), "2.00 KiB");
}

TEST_F(ScriptDialogTest, EstimatesTheTimeOfAStep) {
    ScriptDialog dialog("/store", program(R"(echo "$@" > arguments
echo '{"event": "result", "status": "done", "memory": {"requested_bytes": 2048, "peak": {"step": 0, "phase": "forward"}},
 "words": {"time": ["18.0 ms (14.0 ms to 30.0 ms), estimated; on the GPU: product 60 %", "not in it: loading of data"], "host": "1.00 GiB, measured"}}' | tr -d '\n'
echo)"));
    fill(dialog);
    dialog.findChild<QCheckBox*>("timed")->setChecked(true);
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    std::string arguments;
    std::getline(std::ifstream(folder / "arguments"), arguments);
    EXPECT_TRUE(arguments.find(" --events --time ") != std::string::npos) << arguments;
    EXPECT_TRUE(
        label(dialog, "facts")
            .contains("Time of a step: 18.0 ms (14.0 ms to 30.0 ms), estimated; on the GPU: product 60 "
                      "%; not in it: loading of data."));
    EXPECT_TRUE(label(dialog, "facts").contains("Host memory: 1.00 GiB, measured."));
    dialog.findChild<QSpinBox*>("steps")->setValue(0);
    EXPECT_FALSE(dialog.findChild<QCheckBox*>("timed")->isEnabled()) << "there is no step after the last";
}

TEST(ScriptLine, SaysHowTheScriptEnded) {
    const auto headline = [](const char* line) { return readScriptLine(line).result->headline; };
    EXPECT_EQ(
        headline(
            R"({"event":"result","status":"failed","failure":"train.py:3: ValueError: bad","memory":{}})"),
        "The script failed: train.py:3: ValueError: bad");
    EXPECT_EQ(headline(R"({"event":"result","status":"cancelled"})"), "Stopped before its end.");
    EXPECT_EQ(headline(R"({"event":"result","status":"done"})"), "The script never used the GPU.");
    EXPECT_EQ(headline(R"({"event":"result","status":"cancelled","ranks":[{"rank":0,"status":"cancelled"},
                           {"rank":1,"status":"out_of_memory","failure":"a.py:7: OutOfMemoryError: no"}]})"),
              "Does not fit: out of memory in rank 1 at a.py:7");
    EXPECT_EQ(
        headline(
            R"({"event":"result","status":"done","memory":{},"words":{"overflow":"the GPU of rank 0 would hold 2 GiB"}})"),
        "Does not fit: the GPU of rank 0 would hold 2 GiB.");
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
    EXPECT_EQ(arguments,
              "script --pretend rtx3060 --steps 3 --time-limit 100000 --store /store --events --try " +
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

TEST_F(ScriptDialogTest, ALongMessageDoesNotWidenTheDialog) {
    const std::string message = std::string(200, 'x') + QString(" word").repeated(100).toStdString();
    ScriptDialog dialog("/store", program("echo 'highwater-cli: " + message + "' >&2; exit 1"));
    fill(dialog);
    dialog.show();
    const int narrowest = dialog.minimumSizeHint().width();
    ASSERT_LT(narrowest, 1000);
    dialog.start();
    ASSERT_TRUE(ends(dialog));
    EXPECT_EQ(label(dialog, "headline").toStdString(), message);
    EXPECT_EQ(dialog.minimumSizeHint().width(), narrowest);
    dialog.findChild<QLabel*>("state")->setText(QString::fromStdString(message));
    EXPECT_EQ(dialog.minimumSizeHint().width(), narrowest);
}

TEST_F(ScriptDialogTest, SaysThatTheScriptRunsOnceItPrints) {
    ScriptDialog dialog("/store", program("trap 'exit 130' INT\nread -r _ < go\necho 'epoch 1' >&2\n"
                                          "while true; do sleep 0.05; done"));
    ASSERT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
    fill(dialog);
    dialog.start();
    EXPECT_EQ(label(dialog, "state"), "Starting Python…");
    std::ofstream(folder / "go") << "\n";
    EXPECT_TRUE(QTest::qWaitFor([&] { return label(dialog, "state") == "Running the script…"; }, 20000));
    dialog.stop();
    ASSERT_TRUE(ends(dialog));
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
         R"({"event": "tries", "as_it_is": 3, "fitting": [7]})", R"({"event": "tries"})",
         R"({"event": "result", "words": [3], "ranks": 5})",
         R"({"event": "result", "words": {"ranks": [3, {}, [4]], "time": {}}, "ranks": [1]})"}) {
        EXPECT_TRUE(readScriptLine(line).warning.isEmpty()) << line;
    }
}

}  // namespace
}  // namespace highwater::desktop
