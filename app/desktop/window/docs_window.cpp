#include "app/desktop/window/docs_window.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTextTable>
#include <QVBoxLayout>

#include "core/base/paths.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

/// The first heading of a page; its file's name where it has none.
QString titleOfPage(const QString& path) {
    QFile file(path);
    if (file.open(QIODevice::ReadOnly | QIODevice::Text)) {
        const QString first = QString::fromUtf8(file.readLine(400)).trimmed();
        if (first.startsWith("# ")) {
            return first.mid(2);
        }
    }
    return QFileInfo(path).completeBaseName();
}

/// Thin lines and room around the words.
void dressTables(QTextDocument& page) {
    for (QTextFrame* frame : page.rootFrame()->childFrames()) {
        if (auto* const table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorderBrush(widgets::theme().border);
            format.setCellPadding(6);
            format.setCellSpacing(0);
            table->setFormat(format);
        }
    }
}

}  // namespace

std::filesystem::path docsFolder() {
    const std::filesystem::path resources = base::resourcesFolder();
    for (const std::filesystem::path& folder : {resources / "docs", resources.parent_path() / "docs"}) {
        std::error_code ignored;
        if (!resources.empty() && std::filesystem::is_regular_file(folder / "runs.md", ignored)) {
            return folder;
        }
    }
    return {};
}

QVariant DocsView::loadResource(int type, const QUrl& name) {
    const QVariant found = QTextBrowser::loadResource(type, name);
    if (type != QTextDocument::ImageResource) {
        return found;
    }
    const QImage picture = QImage::fromData(found.toByteArray());
    const int room = viewport()->width() - 2 * static_cast<int>(document()->documentMargin());
    return picture.width() <= room ? picture : picture.scaledToWidth(room, Qt::SmoothTransformation);
}

DocsWindow::DocsWindow(const std::filesystem::path& folder, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Documentation"));
    pages_ = new QListWidget(this);
    pages_->setAccessibleName(tr("Pages"));
    pages_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    pages_->setSpacing(3);
    view_ = new DocsView(this);
    view_->setAccessibleName(tr("Page"));
    view_->setOpenExternalLinks(true);
    view_->document()->setDocumentMargin(16);
    const QDir docs(QString::fromStdString(folder.string()));
    view_->setSearchPaths({docs.path()});
    for (const QFileInfo& page : docs.entryInfoList({"*.md"}, QDir::Files)) {
        auto* const item = new QListWidgetItem(titleOfPage(page.filePath()), pages_);
        item->setData(Qt::UserRole, page.fileName());
        item->setToolTip(item->text());
    }
    pages_->sortItems();
    auto* const parts = new QSplitter(this);
    parts->addWidget(pages_);
    parts->addWidget(view_);
    parts->setStretchFactor(1, 1);
    parts->setSizes({290, 770});
    auto* const buttons = new QDialogButtonBox(this);
    buttons->setContentsMargins(12, 8, 12, 12);
    auto* const back = buttons->addButton(tr("Back"), QDialogButtonBox::ActionRole);
    back->setEnabled(false);
    buttons->addButton(QDialogButtonBox::Close);
    auto* const layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(parts, 1);
    layout->addWidget(buttons);
    connect(back, &QPushButton::clicked, view_, &QTextBrowser::backward);
    connect(view_, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(view_, &QTextBrowser::sourceChanged, this, &DocsWindow::markShown);
    connect(pages_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item) {
            view_->setSource(item->data(Qt::UserRole).toString(), QTextDocument::MarkdownResource);
        }
    });
    resize(widgets::onScreen(*this, {1060, 760}));
}

void DocsWindow::showPage(const QString& file) {
    for (int i = 0; i < pages_->count(); ++i) {
        if (pages_->item(i)->data(Qt::UserRole) == file) {
            pages_->setCurrentRow(i);
        }
    }
}

/// A link leads to another page: the list follows.
void DocsWindow::markShown(const QUrl& page) {
    const QSignalBlocker quiet(pages_);
    showPage(page.fileName());
    dressTables(*view_->document());
}

void showDocs(QWidget* window, const QString& page) {
    const auto folder = docsFolder();
    if (folder.empty()) {
        return;
    }
    auto* docs = window->findChild<DocsWindow*>();
    if (docs == nullptr) {
        docs = new DocsWindow(folder, window);
    }
    if (!page.isEmpty() || !docs->isVisible()) {
        docs->showPage(page.isEmpty() ? "predicting.md" : page);
    }
    docs->show();
    docs->raise();
}

void addHelpKey(QWidget* window, const QString& page) {
    QObject::connect(new QShortcut(QKeySequence::HelpContents, window), &QShortcut::activated, window,
                     [window, page] { showDocs(window, page); });
}

}  // namespace highwater::desktop

#include "moc_docs_window.cpp"
