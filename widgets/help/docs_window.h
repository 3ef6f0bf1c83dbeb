#pragma once

#include <QDialog>
#include <QString>
#include <QTextBrowser>
#include <filesystem>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QStackedWidget;

namespace highwater::widgets {

/// The manual's pages (docs/*.md), as they are installed or lie beside the sources; empty if there are none.
std::filesystem::path docsFolder();

/// A line of the manual's contents: the heading of a part, or a page of it.
struct DocsEntry {
    QString title;
    QString file;  ///< "runs.md"; empty for a heading
};
/// The contents as index.md lists them ("## Part", "- [Title](file.md)"), behind the index itself; pages that
/// it does not name come last. Without an index: all pages by title.
std::vector<DocsEntry> docsContents(const std::filesystem::path& folder);

/// Shows Markdown. A picture is no wider than the view.
class DocsView : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;
    /// Shows the page that has been read, at once however long it is. To be called on sourceChanged().
    void showRead();

protected:
    QVariant loadResource(int type, const QUrl& name) override;

private:
    QString read_;  ///< a page that is not yet on show, as Markdown
};

/// The manual: its contents, and the page that is read. Links between pages lead there, others to the
/// browser. What is typed above the contents leaves the pages that have all of its words; if no page has
/// them, that is said in place of a page.
class DocsWindow : public QDialog {
    Q_OBJECT
public:
    explicit DocsWindow(const std::filesystem::path& folder, QWidget* parent = nullptr);

    /// Shows a page by its file's name, such as "runs.md". A page that is not there changes nothing.
    void showPage(const QString& file);

private:
    QWidget* makeContents();
    void markShown(const QUrl& page);
    void search(const QString& text);
    void findNext();
    void showFirstFound();
    void readPages();
    std::filesystem::path folder_;
    QLineEdit* search_;
    QListWidget* pages_;
    QStackedWidget* right_;
    QLabel* none_;  ///< in place of the page where no page was found
    DocsView* view_;
};

/// Shows the manual's window over `window`, with that page; empty: the one that was read, or the first. Does
/// nothing where there are no pages.
void showDocs(QWidget* window, const QString& page);
/// Lets F1 show that page over `window`, which has no menu for it.
void addHelpKey(QWidget* window, const QString& page);

}  // namespace highwater::widgets
