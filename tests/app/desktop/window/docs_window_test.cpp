#include "app/desktop/window/docs_window.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QListWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>

namespace highwater::desktop {
namespace {

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
}

/// The widest picture of the page on show, as it is drawn.
int widestPicture(const QTextBrowser& view) {
    int widest = 0;
    for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextImageFormat format = part.fragment().charFormat().toImageFormat();
            if (format.isValid()) {
                const auto picture = view.document()->resource(QTextDocument::ImageResource, format.name());
                widest = std::max(widest, picture.value<QImage>().width());
            }
        }
    }
    return widest;
}

TEST(DocsWindow, ShowsThePagesThatComeWithTheProgram) {
    ASSERT_FALSE(docsFolder().empty());
    DocsWindow window(docsFolder());
    auto* const pages = window.findChild<QListWidget*>();
    auto* const view = window.findChild<QTextBrowser*>();
    ASSERT_TRUE(pages && view);
    EXPECT_GT(pages->count(), 15);
    window.showPage("runs.md");
    EXPECT_TRUE(view->toPlainText().startsWith("Runs")) << view->toPlainText().left(40).toStdString();
    EXPECT_EQ(pages->currentItem()->text(), QString("Runs"));
    for (int i = 0; i < pages->count(); ++i) {
        pages->setCurrentRow(i);
        EXPECT_TRUE(view->toPlainText().startsWith(pages->item(i)->text()))
            << pages->item(i)->text().toStdString();
    }
}

TEST(DocsWindow, TheListFollowsALinkAndPicturesFit) {
    QTemporaryDir folder;
    write(folder.filePath("a.md"), "# First\n\n[on](b.md) ![wide](wide.png)\n");
    write(folder.filePath("b.md"), "# Second\n");
    ASSERT_TRUE(QImage(3000, 100, QImage::Format_RGB32).save(folder.filePath("wide.png")));
    DocsWindow window(folder.path().toStdString());
    auto* const view = window.findChild<QTextBrowser*>();
    window.resize(700, 500);
    window.show();
    window.showPage("a.md");
    EXPECT_GT(widestPicture(*view), 100);
    EXPECT_LE(widestPicture(*view), view->viewport()->width());
    view->setSource(QUrl("b.md"));
    EXPECT_TRUE(view->toPlainText().startsWith("Second"));
    EXPECT_EQ(window.findChild<QListWidget*>()->currentItem()->text(), QString("Second"));
    window.showPage("no such page.md");
    EXPECT_TRUE(view->toPlainText().startsWith("Second"));
}

TEST(DocsWindow, F1ShowsThePageOfTheWindowThatIsInFront) {
    ASSERT_FALSE(docsFolder().empty());
    QWidget window;
    addHelpKey(&window, "timeline.md");
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F1);
    const auto* docs = window.findChild<DocsWindow*>();
    ASSERT_NE(docs, nullptr);
    EXPECT_TRUE(docs->isVisible());
    EXPECT_EQ(docs->findChild<QTextBrowser*>()->source().fileName(), "timeline.md");
}

}  // namespace
}  // namespace highwater::desktop
