#include "app/desktop/shell/about.h"

#include <gmock/gmock.h>

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <QTextBrowser>
#include <algorithm>

#include "app/desktop/shell/about_dialog.h"
#include "core/predict/predict.h"

namespace highwater::desktop {
namespace {

QString versionOf(const std::vector<AboutPart>& parts, const QString& name) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const AboutPart& part) { return part.name == name; });
    return found == parts.end() ? QString("missing") : found->version;
}

TEST(About, NamesWhatIsLinkedWithVersionAndLicense) {
    const auto parts = aboutLibraries();
    static const QRegularExpression version("^[0-9]+\\.[0-9]+");
    for (const char* name :
         {"Qt", "VTK", "QCustomPlot", "GDCM", "SQLite", "Cairo", "Pango", "fmt", "libzip", "libdeflate"}) {
        EXPECT_TRUE(version.match(versionOf(parts, name)).hasMatch()) << name;
    }
    EXPECT_EQ(versionOf(parts, "Qt"), QString(qVersion()));
    for (const AboutPart& part : parts) {
        EXPECT_FALSE(part.license.isEmpty()) << part.name.toStdString();
    }
    if (const auto engine = predict::engineVersions()) {
        EXPECT_EQ(versionOf(parts, "LibTorch").toStdString(), engine->libtorch);
    }
}

TEST(About, SaysTheCommitWhereThereIsOne) {
    static const QRegularExpression form("^[0-9]+\\.[0-9]+\\.[0-9]+(, commit [0-9a-f]{12}(-changed)?)?$");
    EXPECT_TRUE(form.match(aboutVersion()).hasMatch()) << aboutVersion().toStdString();
}

TEST(About, TheButtonCopiesAllOfIt) {
    AboutDialog dialog(aboutLibraries(), {{"GPU", "Some <GPU> & more", {}}});
    dialog.show();
    const auto buttons = dialog.findChildren<QPushButton*>();
    const auto button = std::find_if(buttons.begin(), buttons.end(), [](const QPushButton* each) {
        return each->text().contains("Copy for a bug report");
    });
    ASSERT_NE(button, buttons.end());
    QTest::mouseClick(*button, Qt::LeftButton);
    const QString copied = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(copied.startsWith("Highwater " + aboutVersion()));
    EXPECT_TRUE(copied.contains("GPU: Some <GPU> & more"));
    const QString shown = dialog.findChild<QTextBrowser*>()->toPlainText();
    EXPECT_TRUE(shown.contains("Some <GPU> & more"));
    for (const AboutPart& part : aboutLibraries()) {
        EXPECT_TRUE(copied.contains(part.name + ": " + part.version)) << part.name.toStdString();
        EXPECT_TRUE(shown.contains(part.name)) << part.name.toStdString();
    }
}

TEST(About, TellsOfTheMachineAndOfNobody) {
    const auto machine = aboutMachine();
    for (const char* name : {"System", "Processor", "Memory"}) {
        EXPECT_NE(versionOf(machine, name), QString("missing")) << name;
        EXPECT_FALSE(versionOf(machine, name).isEmpty()) << name;
    }
    EXPECT_FALSE(aboutText(aboutLibraries(), machine).contains(QDir::homePath() + "/"));
}

}  // namespace
}  // namespace highwater::desktop
