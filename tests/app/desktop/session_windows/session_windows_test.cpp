// Real windows and sessions that quit, are interrupted and are killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QApplication>
#include <QProcess>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/app/desktop/session_windows/restored.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A process that answers each line with a line.
class Obedient {
public:
    Obedient(const QString& program, const QStringList& arguments,
             const std::map<QString, QString>& variables = {}) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        for (const auto& [name, value] : variables) {
            environment.insert(name, value);
        }
        process_.setProcessEnvironment(environment);
        process_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process_.start(program, arguments);
    }
    ~Obedient() {
        process_.kill();
        process_.waitForFinished();
    }
    std::string answer() {
        while (!process_.canReadLine() && process_.waitForReadyRead(highwater::test::kPatienceMs)) {
        }
        return process_.readLine().trimmed().toStdString();
    }
    std::string ask(const char* line) {
        say(line);
        return answer();
    }
    void say(const char* line) {
        process_.write(QByteArray(line) + '\n');
        process_.waitForBytesWritten();
    }
    void kill() {
        process_.kill();
        ASSERT_TRUE(process_.waitForFinished(highwater::test::kPatienceMs));
    }
    void interrupt() {
        process_.terminate();
        awaitEnd();
    }
    void awaitEnd() {
        ASSERT_TRUE(process_.waitForFinished(highwater::test::kPatienceMs));
        EXPECT_EQ(process_.exitStatus(), QProcess::NormalExit);
        EXPECT_EQ(process_.exitCode(), 0);
    }
    QProcess& process() { return process_; }

private:
    QProcess process_;
};

class SessionWindows : public highwater::test::WindowFixture {
protected:
    fs::path sessions() const { return options.store / "desktop"; }
    std::unique_ptr<Obedient> start(const QStringList& more = {}) {
        auto window = std::make_unique<Obedient>(
            QApplication::applicationFilePath(),
            QStringList{"--window", "--store", QString::fromStdString(options.store.string())} + more);
        EXPECT_EQ(window->answer(), "ready");
        return window;
    }
    void driven() {
        Obedient script(HIGHWATER_BIN_DIR "/highwater",
                        {"--store", QString::fromStdString(options.store.string()), "--screenshot",
                         QString::fromStdString((folder / "a.png").string()), "--quit"});
        script.awaitEnd();
    }
    std::string filesIn() const {
        std::string all;
        for (const auto& entry : fs::directory_iterator(sessions())) {
            const auto text = entry.path().extension() == ".json" ? *base::readFile(entry.path()) : "";
            all += entry.path().filename().string() + ": " + text + "\n";
        }
        return all;
    }
};

TEST_F(SessionWindows, ADrivenStartBetweenTwoWindowsChangesNothing) {
    const auto first = start(), second = start();
    EXPECT_EQ(first->ask("101"), "101");
    EXPECT_EQ(second->ask("102"), "102");
    second->say("close");
    second->awaitEnd();
    const std::string before = filesIn();
    driven();
    EXPECT_EQ(filesIn(), before);
    first->kill();
    driven();
    const auto third = start();
    EXPECT_EQ(third->ask("batch"), "102") << "written last, when its window was closed";
    EXPECT_THAT(third->ask("notice"), HasSubstr("Another window was closed with unsaved changes"));
    const auto fourth = start();
    EXPECT_EQ(fourth->ask("batch"), "101");
    EXPECT_EQ(fourth->ask("notice"), "Highwater was not closed properly. Your stack has been restored.");
}

struct Ending {
    const char* name;
    std::vector<const char*> before;  ///< commands sent, each answered, after the edit
    const char* how;                  ///< "close", "interrupt" or "kill"
};

/// Every state in which a window may end.
class SessionEndings : public SessionWindows, public ::testing::WithParamInterface<Ending> {};

TEST_P(SessionEndings, KeepWhatWasEdited) {
    const Ending& ending = GetParam();
    const auto window = start({"--size", "1000x700"});
    EXPECT_EQ(window->ask("103"), "103");
    for (const char* line : ending.before) {
        window->ask(line);
    }
    const std::string how = ending.how;
    if (how == "close") {
        window->say("close");
        window->awaitEnd();
    } else {
        how == "kill" ? window->kill() : window->interrupt();
    }
    const auto next = start();
    EXPECT_EQ(next->ask("batch"), "103");
    EXPECT_EQ(next->ask("notice").find("not closed properly") != std::string::npos, how == "kill");
}

INSTANTIATE_TEST_SUITE_P(
    Table, SessionEndings,
    ::testing::Values(Ending{"Closed", {}, "close"}, Ending{"Interrupted", {}, "interrupt"},
                      Ending{"Killed", {}, "kill"}, Ending{"InterruptedWhileItAsks", {"ask"}, "interrupt"},
                      Ending{"KilledWhileItAsks", {"ask"}, "kill"},
                      Ending{"ClosedWhileAScanLoads", {"scan"}, "close"},
                      Ending{"KilledWhileAScanLoads", {"scan"}, "kill"},
                      Ending{"InterruptedWhileARunStarts", {"run"}, "interrupt"},
                      Ending{"KilledWhileARunStarts", {"run"}, "kill"}),
    [](const ::testing::TestParamInfo<Ending>& info) { return std::string(info.param.name); });

#ifdef FULL_DISK_LIBRARY
/// Stops a process at one of its reads or writes of the session, where it is then killed.
class KilledSession : public SessionWindows {
protected:
    fs::path count() const { return folder / "count"; }
    /// The path of the file at which the process is stopped; empty if it is not.
    std::string heldUpAt() const { return base::readFile(count())->substr(8).c_str(); }
    std::unique_ptr<Obedient> startAndHoldUpAt(int n) {
        std::ofstream(count()) << std::string(8192, '\0');
        const auto text = [](const fs::path& path) { return QString::fromStdString(path.string()); };
        return std::make_unique<Obedient>(
            QApplication::applicationFilePath(), QStringList{"--session", text(sessions())},
            std::map<QString, QString>{{"LD_PRELOAD", FULL_DISK_LIBRARY},
                                       {"HIGHWATER_FULL_DISK", text(sessions())},
                                       {"HIGHWATER_FULL_DISK_COUNT", text(count())},
                                       {"HIGHWATER_FULL_DISK_AT", QString::number(n)},
                                       {"HIGHWATER_STALL_MS", "600000"}});
    }
};

TEST_F(KilledSession, AtAnyMomentLosesNothingThatWasSaid) {
    const char* const lines[] = {"103", "104", "replace", "105", "close"};
    int killed = 0;
    for (bool heldUp = true; heldUp; ++killed) {
        const int at = killed + 1;
        SCOPED_TRACE("killed at " + std::to_string(at));
        ASSERT_LT(at, 200);
        fs::remove_all(sessions());
        {
            highwater::test::OrderedWindow first(sessions()), second(sessions());
            first.edit(101);
            second.edit(102);
            EXPECT_TRUE(second.session.close());  // and the first one is killed
        }
        const auto window = startAndHoldUpAt(at);  // it takes over the second one's session
        const auto answers = [&] {
            EXPECT_TRUE(highwater::test::waitUntil([&] {
                window->process().waitForReadyRead(5);
                return window->process().canReadLine() || !heldUpAt().empty();
            }));
            return window->process().canReadLine() && !window->answer().empty();
        };
        std::size_t done = 0;
        if (answers()) {
            for (; done < std::size(lines); ++done) {
                window->say(lines[done]);
                if (!answers()) {
                    break;
                }
            }
        }
        heldUp = !heldUpAt().empty();
        window->kill();
        const std::set<std::int64_t> found = highwater::test::restoredBatches(sessions());
        EXPECT_THAT(found, Contains(101)) << "the other window's";
        switch (done) {  // the last completed or current action
            case 0:
                EXPECT_TRUE(found.contains(102) || found.contains(103));
                break;
            case 1:
                EXPECT_TRUE(found.contains(103) || found.contains(104));
                break;
            default:
                EXPECT_THAT(found, Contains(104)) << "replaced, but Undo brings it back";
                EXPECT_TRUE(done < 4 || found.contains(105));
        }
    }
    EXPECT_GE(killed, 20);
}
#endif

}  // namespace
}  // namespace highwater::desktop
