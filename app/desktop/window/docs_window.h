#pragma once

#include <QDialog>
#include <QTextBrowser>
#include <filesystem>

class QListWidget;

namespace highwater::desktop {

/// The documentation's pages (docs/*.md), as they are installed or lie beside the sources; empty if there are
/// none.
std::filesystem::path docsFolder();

/// Shows Markdown. A picture is no wider than the view.
class DocsView : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;

protected:
    QVariant loadResource(int type, const QUrl& name) override;
};

/// The documentation: its pages by title, and the one that is read. Links between pages lead there, others to
/// the browser.
class DocsWindow : public QDialog {
    Q_OBJECT
public:
    explicit DocsWindow(const std::filesystem::path& folder, QWidget* parent = nullptr);

    /// Shows a page by its file's name, such as "runs.md". A page that is not there changes nothing.
    void showPage(const QString& file);

private:
    void markShown(const QUrl& page);
    QListWidget* pages_;
    DocsView* view_;
};

/// Shows the documentation's window over `window`, with that page; empty: the one that was read, or the
/// first. Does nothing where there are no pages.
void showDocs(QWidget* window, const QString& page);
/// Lets F1 show that page over `window`, which has no menu for it.
void addHelpKey(QWidget* window, const QString& page);

}  // namespace highwater::desktop
