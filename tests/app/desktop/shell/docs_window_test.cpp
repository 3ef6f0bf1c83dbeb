#include "widgets/help/docs_window.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <algorithm>
#include <filesystem>

#include "app/desktop/shell/main_window.h"

namespace highwater::desktop {
namespace {

void write(const QString& path, const QByteArray& text) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
}

/// The widest picture of the current page, as drawn.
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

QString readText(const std::filesystem::path& file) {
    QFile page(QString::fromStdString(file.string()));
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

TEST(DocsWindow, ShowsThePagesThatComeWithTheProgram) {
    ASSERT_FALSE(widgets::docsFolder().empty());
    widgets::DocsWindow window(widgets::docsFolder());
    auto* const pages = window.findChild<QListWidget*>();
    auto* const view = window.findChild<QTextBrowser*>();
    ASSERT_TRUE(pages && view);
    EXPECT_GT(pages->count(), 15);
    window.showPage("runs.md");
    EXPECT_TRUE(view->toPlainText().startsWith("Runs")) << view->toPlainText().left(40).toStdString();
    EXPECT_EQ(pages->currentItem()->text(), QString("Runs"));
    for (int i = 0; i < pages->count(); ++i) {
        const QString file = pages->item(i)->data(Qt::UserRole).toString();
        if (!file.isEmpty()) {
            pages->setCurrentRow(i);
            const QString title =
                readText(widgets::docsFolder() / file.toStdString()).section('\n', 0, 0).mid(2).remove('`');
            EXPECT_EQ(view->toPlainText().section('\n', 0, 0), title) << file.toStdString();
        }
    }
}

TEST(DocsWindow, TheIndexNamesEveryPageInItsPart) {
    const auto contents = widgets::docsContents(widgets::docsFolder());
    ASSERT_FALSE(contents.empty());
    EXPECT_EQ(contents.front().file, "index.md");
    const QString index = readText(widgets::docsFolder() / "index.md");
    QString part;
    QStringList parts, files;
    for (const widgets::DocsEntry& entry : contents) {
        if (entry.file.isEmpty()) {
            parts << (part = entry.title);
            continue;
        }
        files << entry.file;
        if (entry.file != "index.md") {
            EXPECT_FALSE(part.isEmpty()) << entry.file.toStdString();
            EXPECT_TRUE(index.contains("](" + entry.file + "): "))
                << entry.file.toStdString() << " is not in docs/index.md, with a few words on what it says";
        }
    }
    EXPECT_GE(parts.size(), 9);
    EXPECT_EQ(files.size(),
              QDir(QString::fromStdString(widgets::docsFolder().string())).entryList({"*.md"}).size());
}

TEST(DocsWindow, NoLinkOfTheManualLeadsNowhere) {
    static const QRegularExpression link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
    int links = 0;
    const std::filesystem::path source = HIGHWATER_SOURCE_DIR;
    std::vector<std::filesystem::path> pages = {source / "README.md", source / "CONTRIBUTING.md"};
    for (const auto& entry : std::filesystem::directory_iterator(source / "docs")) {
        if (entry.path().extension() == ".md") {
            pages.push_back(entry.path());
        }
    }
    for (const auto& page : pages) {
        for (auto it = link.globalMatch(readText(page)); it.hasNext(); ++links) {
            const auto to = page.parent_path() / it.next().captured(1).toStdString();
            EXPECT_TRUE(std::filesystem::exists(to)) << page << " leads to " << to;
        }
    }
    EXPECT_GT(links, 100);
}

/// "File > Export > Report of..." for each entry of a menu, without mnemonics.
void collect(const QList<QAction*>& actions, const QString& above, QStringList& paths) {
    for (const QAction* const action : actions) {
        const QString path = above + QString(action->text()).remove('&').remove("…");
        paths << path;
        if (action->menu()) {
            collect(action->menu()->actions(), path + " > ", paths);
        }
    }
}

TEST(DocsWindow, TheManualNamesTheMenusAsTheyAre) {
    QTemporaryDir store;
    Options options;
    options.store = store.path().toStdString();
    const MainWindow window(options, [] { return devices::GpusHere(); });
    QStringList entries;
    collect(window.menuBar()->actions(), {}, entries);
    static const QRegularExpression named(R"(\*((?:File|Edit|Stack|Run|Study|View|Help) > [^*]+)\*)");
    int menus = 0;
    for (const auto& page : std::filesystem::directory_iterator(widgets::docsFolder())) {
        if (page.path().filename() == "timeline.md") {
            continue;  // these are the menus of the timeline window
        }
        for (auto it = named.globalMatch(readText(page.path())); it.hasNext(); ++menus) {
            const QString path = it.next().captured(1).simplified().remove("…");
            const bool there = std::any_of(entries.begin(), entries.end(),
                                           [&](const QString& entry) { return entry.startsWith(path); });
            EXPECT_TRUE(there) << page.path() << ": " << path.toStdString();
        }
    }
    EXPECT_GT(menus, 20);
}

TEST(DocsWindow, ASearchListsThePagesThatWereFoundBestFirst) {
    QTemporaryDir folder;
    write(folder.filePath("index.md"), "# Contents\n\n## First\n- [A](a.md): a\n## Second\n- [B](b.md): b\n");
    write(folder.filePath("a.md"), "# A\n\nSome words.\n\n## More\n\nA pear and an apple.\n");
    write(folder.filePath("b.md"), "# B\n\nAn apple, an apple.\n");
    write(folder.filePath("c.md"), "# C\n\nNothing.\n");
    widgets::DocsWindow window(folder.path().toStdString());
    auto* const pages = window.findChild<QListWidget*>();
    auto* const view = window.findChild<QTextBrowser*>();
    auto* const search = window.findChild<QLineEdit*>();
    window.show();
    const auto shown = [&] {
        QStringList rows;
        for (int i = 0; i < pages->count(); ++i) {
            rows << pages->item(i)->text().simplified();
        }
        return rows;
    };
    EXPECT_EQ(shown(), (QStringList{"Contents", "First", "A", "Second", "B", "C"}));
    search->setText("Apples");
    EXPECT_EQ(shown(), (QStringList{"B", "A More"}));
    search->setText("apple pear");
    EXPECT_EQ(shown(), (QStringList{"A More"}));
    EXPECT_TRUE(view->toPlainText().startsWith("A")) << "the best page is shown";
    EXPECT_EQ(view->textCursor().block().text(), QString("A pear and an apple."));
    search->setText("apple");
    EXPECT_EQ(pages->currentRow(), 0);
    EXPECT_EQ(view->source().fileName(), "b.md");
    EXPECT_EQ(view->textCursor().selectedText(), QString("apple"));
    const int first = view->textCursor().position();
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(view->source().fileName(), "b.md");
    EXPECT_GT(view->textCursor().position(), first);
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(view->source().fileName(), "a.md");
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_EQ(view->source().fileName(), "b.md") << "from the last to the first";
    search->setText("quince");
    EXPECT_TRUE(shown().isEmpty());
    EXPECT_FALSE(view->isVisible()) << "it would look like what was found";
    QStringList said;
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        said << (label->isVisible() ? label->text() : QString());
    }
    EXPECT_TRUE(said.contains("No page has “quince”.")) << said.join('|').toStdString();
    search->setText("apple");
    EXPECT_TRUE(view->isVisible());
    search->setText("quince");
    window.showPage("c.md");
    EXPECT_TRUE(view->isVisible()) << "a page that is asked for is shown";
    EXPECT_EQ(view->source().fileName(), "c.md");
    EXPECT_EQ(shown().size(), 6);
    search->clear();
    EXPECT_EQ(shown().size(), 6);
}

TEST(DocsWindow, QuestionsLeadToTheRightPage) {
    widgets::DocsWindow window(widgets::docsFolder());
    auto* const view = window.findChild<QTextBrowser*>();
    auto* const search = window.findChild<QLineEdit*>();
    for (const auto& [question, page] : {std::pair{"out of memory", "make-it-fit.md"},
                                         {"where are runs stored", "runs.md"},
                                         {"sweep kernel size", "studies.md"},
                                         {"largest patch", "predicting.md"},
                                         {"torch.compile", "your-script.md"},
                                         {"recompute", "make-it-fit.md"},
                                         {"PDF", "runs.md"}}) {
        search->setText(question);
        EXPECT_EQ(view->source().fileName(), page) << question;
    }
}

TEST(DocsWindow, TheListFollowsALinkAndPicturesFit) {
    QTemporaryDir folder;
    write(folder.filePath("a.md"), "# First\n\n[on](b.md) ![wide](wide.png)\n");
    write(folder.filePath("b.md"), "# Second\n");
    ASSERT_TRUE(QImage(3000, 100, QImage::Format_RGB32).save(folder.filePath("wide.png")));
    widgets::DocsWindow window(folder.path().toStdString());
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
    ASSERT_FALSE(widgets::docsFolder().empty());
    QWidget window;
    widgets::addHelpKey(&window, "timeline.md");
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F1);
    const auto* docs = window.findChild<widgets::DocsWindow*>();
    ASSERT_NE(docs, nullptr);
    EXPECT_TRUE(docs->isVisible());
    EXPECT_EQ(docs->findChild<QTextBrowser*>()->source().fileName(), "timeline.md");
}

}  // namespace
}  // namespace highwater::desktop
