#include "app/desktop/shell/options.h"
#include "tests/core/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QDir>
#include <QRegularExpression>
#include <QSize>

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

std::string problem(QStringList arguments) {
    arguments.prepend("highwater");
    const auto options = parseOptions(arguments);
    return options ? "" : options.error().message;
}

TEST(DesktopOptions, ManualAndCompletionNameEveryOption) {
    const auto printed = [](const char* option, const char* kind) {
        const auto options =
            parseOptions(kind ? QStringList{"highwater", option, kind} : QStringList{"highwater", option});
        return options ? options->help : QString();
    };
    QString page = printed("--manual", "man");
    page.replace("\\-", "-");
    const QString bash = printed("--manual", "bash"), zsh = printed("--manual", "zsh"),
                  fish = printed("--manual", "fish"), help = printed("--help", nullptr);
    int found = 0;
    static const QRegularExpression names("--[a-z]+");
    for (auto it = names.globalMatch(help.mid(help.indexOf("Options:"))); it.hasNext(); ++found) {
        const QString name = it.next().captured();
        EXPECT_TRUE(page.contains("\\fB" + name + "\\fR")) << name.toStdString();
        EXPECT_TRUE(bash.contains(name)) << name.toStdString();
        EXPECT_TRUE(zsh.contains("'*" + name)) << name.toStdString();
        EXPECT_TRUE(fish.contains(" -l " + name.mid(2) + " ")) << name.toStdString();
    }
    EXPECT_GT(found, 20);
    EXPECT_FALSE(help.contains("--manual"));
    EXPECT_THAT(problem({"--manual", "csh"}), HasSubstr("choose man, bash, zsh, fish"));
}

TEST(DesktopOptions, ReadsAll) {
    const QString folder = QDir::tempPath();
    const auto options = parseOptions({"highwater", "a.json", "--scan", "b c.nii.gz", "--run", "--screenshot",
                                       folder + "/a.png", "--report", folder + "/a.html", "--quit", "--size",
                                       "1000x700", "--theme", "light", "--steps", "7", "--trace", "12"});
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->experiment, "a.json");
    EXPECT_EQ(options->scan, "b c.nii.gz");
    EXPECT_TRUE(options->run && options->quit && options->driven());
    EXPECT_EQ(options->size, QSize(1000, 700));
    EXPECT_EQ(options->steps, 7);
    EXPECT_EQ(options->trace, "12");
}

TEST(DesktopOptions, OpensTheWindowsOfStudies) {
    const auto claims =
        parseOptions({"highwater", "--claims", "--choose", "S2.memory,S8.checkpoint", "--run"});
    ASSERT_TRUE(claims) << claims.error().message;
    EXPECT_TRUE(claims->claims && !claims->factorial && claims->run && claims->driven());
    EXPECT_EQ(claims->choose, (QStringList{"S2.memory", "S8.checkpoint"}));
    EXPECT_TRUE(parseOptions({"highwater", "--factorial"})->factorial);
    EXPECT_THAT(problem({"--claims", "--factorial"}), HasSubstr("one of them"));
    EXPECT_THAT(problem({"--choose", "inplace"}), HasSubstr("--claims, --factorial or --sweep"));
    EXPECT_THAT(problem({"--factorial", "--run", "--report", "a.html"}), HasSubstr("leave --claims, "));
}

TEST(DesktopOptions, OpensASweepAndPicturesItWhileItRuns) {
    const auto sweep = parseOptions({"highwater", "--sweep", "s.json", "--choose", "scatter", "--run",
                                     "--screenshot", "a.png", "--at", "40"});
    ASSERT_TRUE(sweep) << sweep.error().message;
    EXPECT_EQ(sweep->sweep, "s.json");
    EXPECT_EQ(sweep->at, 40);
    EXPECT_THAT(problem({"--sweep", "s.json", "--claims"}), HasSubstr("one of them"));
    EXPECT_THAT(problem({"--sweep", "s.json", "--plan", "cpu"}), HasSubstr("leave --claims, "));
    for (const char* wrong : {"0", "100", "half"}) {
        EXPECT_THAT(problem({"--sweep", "s.json", "--run", "--screenshot", "a.png", "--at", wrong}),
                    HasSubstr("--at: a whole number from 1 to 99"));
    }
    EXPECT_THAT(problem({"--sweep", "s.json", "--at", "40"}), HasSubstr("with --screenshot and --run"));
}

TEST(DesktopOptions, OpensThePlansForADevice) {
    EXPECT_TRUE(parseOptions({"highwater"})->plan.isEmpty());
    const auto plan = parseOptions({"highwater", "a.json", "--plan", "rtx3060", "--run"});
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->plan, "rtx3060");
    EXPECT_THAT(problem({"--plan", "cpu", "--claims"}), HasSubstr("leave --claims, --factorial and --sweep"));
    EXPECT_THAT(problem({"--plan", "cpu", "--run", "--report", "a.html"}), HasSubstr("leave --claims, "));
}

TEST(DesktopOptions, ShowsWhatTheNetworkGets) {
    EXPECT_EQ(parseOptions({"highwater"})->patch, 0);
    EXPECT_EQ(parseOptions({"highwater", "--patches", "3"})->patch, 3);
    EXPECT_TRUE(parseOptions({"highwater", "--coverage"})->coverage);
    EXPECT_TRUE(parseOptions({"highwater", "--views"})->views);
    for (const char* wrong : {"0", "257", "-1", "two"}) {
        EXPECT_THAT(problem({"--patches", wrong}), HasSubstr("1 to 256")) << wrong;
    }
    EXPECT_THAT(problem({"--patches", "1", "--coverage"}), HasSubstr("one of them"));
}

TEST(DesktopOptions, RefusesWithOneLine) {
    EXPECT_THAT(problem({"--wrong"}), HasSubstr("wrong"));
    EXPECT_THAT(problem({"a", "b"}), HasSubstr("one experiment at most"));
    EXPECT_THAT(problem({"--theme", "pink"}), HasSubstr("light, dark or system"));
    EXPECT_THAT(problem({"--size", "12"}), HasSubstr("width x height"));
    EXPECT_THAT(problem({"--steps", "0"}), HasSubstr("whole number"));
    EXPECT_THAT(problem({"--report", "a.html"}), HasSubstr("needs --run"));
    EXPECT_THAT(problem({"--screenshot", QString::fromStdString(highwater::test::nowhere() + "/a.png")}),
                HasSubstr("folder does not exist"));
    EXPECT_THAT(problem({"--screenshot", "a.bmp"}), HasSubstr(".png"));
    EXPECT_EQ(problem({}), "");
}

}  // namespace
}  // namespace highwater::desktop
