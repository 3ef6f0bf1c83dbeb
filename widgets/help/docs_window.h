#pragma once

#include <QDialog>
#include <QString>
#include <QTextBrowser>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/page_search/page_search.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QStackedWidget;

namespace highwater::widgets {

/// Folder of the manual's pages (docs/*.md), installed or in the source tree; empty if there are none.
std::filesystem::path docsFolder();

/// An entry of the manual's contents: the heading of a part, or a page.
struct DocsEntry {
    QString title;
    QString file;   ///< "runs.md"; empty for a heading
    QString about;  ///< what the index says of the page
};
/// The contents as index.md lists them ("## Part", "- [Title](file.md)"), after the index itself; pages that
/// it does not list come last. Without an index: all pages, by title.
std::vector<DocsEntry> docsContents(const std::filesystem::path& folder);

/// Shows Markdown. Pictures are scaled down to the width of the view.
class DocsView : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;
    /// Shows the page that was just read; fast for long pages too. Call it on sourceChanged().
    void showRead();

protected:
    QVariant loadResource(int type, const QUrl& name) override;

private:
    QString read_;  ///< a page that is not shown yet, as Markdown
};

/// The manual: its contents and the current page. Links between pages open in this window, others in the
/// browser. While the search field above the contents has text, the list shows the pages that were found,
/// best first, and the first of them is shown; if there are none, a message replaces the page.
class DocsWindow : public QDialog {
    Q_OBJECT
public:
    explicit DocsWindow(const std::filesystem::path& folder, QWidget* parent = nullptr);

    /// Shows a page by its file name, such as "runs.md". An unknown name changes nothing.
    void showPage(const QString& file);

private:
    QWidget* makeContents();
    void listContents();
    void listFound(const std::vector<page_search::PageSearch::Found>& found);
    void markShown(const QUrl& page);
    void search(const QString& text);
    void findNext();
    void showCurrent();
    void showFirstFound();
    void readPages();
    int rowOf(const QString& file) const;
    std::filesystem::path folder_;
    std::vector<DocsEntry> contents_;
    std::unique_ptr<page_search::PageSearch> found_;  ///< null until the first search
    QString match_;                                   ///< what is highlighted on the current page
    QLineEdit* search_;
    QListWidget* pages_;
    QStackedWidget* right_;
    QLabel* none_;  ///< shown instead of a page if none was found
    DocsView* view_;
};

/// Shows the manual's window over `window`, with that page; if empty, the page shown last, or the first one.
/// Does nothing if there are no pages.
void showDocs(QWidget* window, const QString& page);
/// Makes F1 show that page over `window`, which has no menu for it.
void addHelpKey(QWidget* window, const QString& page);

}  // namespace highwater::widgets
