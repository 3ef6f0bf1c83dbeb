#include "widgets/help/docs_window.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QTextTable>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/paths.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

/// Data of an entry in the list: the page's file name (null for the heading of a part), and of a page that
/// was found the heading of the section that fits best.
constexpr int kFile = Qt::UserRole, kHeading = Qt::UserRole + 1;

bool isPage(const QListWidgetItem& entry) {
    return !entry.data(kFile).isNull();
}

/// A heading as the page shows it.
QString shownHeading(const std::string& markdown) {
    return QString::fromStdString(markdown).remove('`');
}

/// What of the searched text the page has: all of it, otherwise the longest of its words; empty if none.
QString matchOn(const QTextDocument& page, const QString& searched) {
    QStringList words = searched.split(' ', Qt::SkipEmptyParts);
    std::stable_sort(words.begin(), words.end(),
                     [](const QString& a, const QString& b) { return a.size() > b.size(); });
    words.prepend(searched);
    for (const QString& word : words) {
        if (!word.isEmpty() && !page.find(word).isNull()) {
            return word;
        }
    }
    return {};
}

/// The first heading of a page, or its file name if it has none.
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

/// Thin lines, and padding around the text.
void dressTables(QTextDocument& page) {
    for (QTextFrame* frame : page.rootFrame()->childFrames()) {
        if (auto* const table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorderCollapse(true);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);  // other styles shade the line
            format.setBorderBrush(widgets::theme().border);
            format.setCellPadding(6);
            format.setCellSpacing(0);
            format.setBottomMargin(8);
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
    if (type == QTextDocument::MarkdownResource && found.isValid()) {
        read_ = QString::fromUtf8(found.toByteArray());
        return QByteArray(" ");
    }
    if (type != QTextDocument::ImageResource) {
        return found;
    }
    const QImage picture = QImage::fromData(found.toByteArray());
    const int room = viewport()->width() - 2 * static_cast<int>(document()->documentMargin());
    return picture.width() <= room ? picture : picture.scaledToWidth(room, Qt::SmoothTransformation);
}

/// In a document that is displayed, Qt lays out the whole table again for each cell that is read, which takes
/// minutes for a long table. So the page is read into a separate document first.
void DocsView::showRead() {
    if (read_.isEmpty()) {
        return;
    }
    QTextDocument page;
    page.setDefaultFont(document()->defaultFont());
    page.setMarkdown(std::exchange(read_, {}));
    dressTables(page);
    QTextCursor all(document());
    all.beginEditBlock();
    all.select(QTextCursor::Document);
    all.insertFragment(QTextDocumentFragment(&page));
    all.endEditBlock();
}

std::vector<DocsEntry> docsContents(const std::filesystem::path& folder) {
    const QDir docs(QString::fromStdString(folder.string()));
    QStringList left = docs.entryList({"*.md"}, QDir::Files, QDir::Name);
    std::vector<DocsEntry> contents;
    QFile index(docs.filePath("index.md"));
    if (index.open(QIODevice::ReadOnly | QIODevice::Text)) {
        static const QRegularExpression part("^## (.+)$"),
            page("^- \\[([^\\]]+)\\]\\(([\\w-]+\\.md)\\):? *(.*)$");
        contents.push_back({titleOfPage(index.fileName()), "index.md", {}});
        left.removeOne("index.md");
        for (const QString& line : QString::fromUtf8(index.readAll()).split('\n')) {
            if (const auto found = part.match(line); found.hasMatch()) {
                contents.push_back({found.captured(1), {}, {}});
            } else if (const auto link = page.match(line);
                       link.hasMatch() && left.removeOne(link.captured(2))) {
                contents.push_back({link.captured(1), link.captured(2), link.captured(3)});
            }
        }
    }
    std::vector<DocsEntry> others;
    for (const QString& file : left) {
        others.push_back({titleOfPage(docs.filePath(file)), file, {}});
    }
    std::sort(others.begin(), others.end(),
              [](const DocsEntry& a, const DocsEntry& b) { return a.title < b.title; });
    contents.insert(contents.end(), others.begin(), others.end());
    return contents;
}

DocsWindow::DocsWindow(const std::filesystem::path& folder, QWidget* parent)
    : QDialog(parent), folder_(folder), contents_(docsContents(folder)) {
    setWindowTitle(tr("Manual"));
    view_ = new DocsView(this);
    view_->setAccessibleName(tr("Page"));
    view_->setOpenExternalLinks(true);
    view_->document()->setDocumentMargin(16);
    view_->setSearchPaths({QString::fromStdString(folder.string())});
    auto* const parts = new QSplitter(this);
    none_ = textLabel(this);
    none_->setAlignment(Qt::AlignCenter);
    none_->setMargin(24);
    none_->setProperty("muted", true);
    right_ = new QStackedWidget(this);
    right_->addWidget(view_);
    right_->addWidget(none_);
    parts->addWidget(makeContents());
    parts->addWidget(right_);
    parts->setStretchFactor(1, 1);
    parts->setSizes({290, 770});
    auto* const buttons = new QDialogButtonBox(this);
    buttons->setContentsMargins(12, 8, 12, 12);
    auto* const back = buttons->addButton(tr("Back"), QDialogButtonBox::ActionRole);
    back->setEnabled(false);
    back->setAutoDefault(false);  // Return is for the search field
    buttons->addButton(QDialogButtonBox::Close)->setAutoDefault(false);
    auto* const layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(parts, 1);
    layout->addWidget(buttons);
    connect(back, &QPushButton::clicked, view_, &QTextBrowser::backward);
    connect(view_, &QTextBrowser::backwardAvailable, back, &QPushButton::setEnabled);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(view_, &QTextBrowser::sourceChanged, this, &DocsWindow::markShown);
    connect(pages_, &QListWidget::currentItemChanged, this, &DocsWindow::showCurrent);
    resize(widgets::onScreen(*this, {1060, 760}));
    search_->setFocus();
}

/// The search field above the list of parts and pages.
QWidget* DocsWindow::makeContents() {
    auto* const left = new QWidget(this);
    search_ = new QLineEdit(left);
    search_->setPlaceholderText(tr("search all pages"));
    search_->setAccessibleName(tr("Search all pages"));
    search_->setClearButtonEnabled(true);
    pages_ = new QListWidget(left);
    pages_->setAccessibleName(tr("Pages"));
    pages_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    pages_->setSpacing(1);
    listContents();
    auto* const layout = widgets::makeLayout<QVBoxLayout>(left, 0);
    auto* const room = widgets::makeLayout<QVBoxLayout>(nullptr, 0);
    room->setContentsMargins(8, 8, 8, 8);
    room->addWidget(search_);
    layout->addLayout(room);
    layout->addWidget(pages_, 1);
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this, [this] {
        search_->setFocus();
        search_->selectAll();
    });
    connect(search_, &QLineEdit::textChanged, this, &DocsWindow::search);
    connect(search_, &QLineEdit::returnPressed, this, &DocsWindow::findNext);
    return left;
}

void DocsWindow::listContents() {
    pages_->clear();
    for (const DocsEntry& entry : contents_) {
        auto* const item = new QListWidgetItem(entry.title, pages_);
        item->setToolTip(entry.title);
        if (entry.file.isEmpty()) {
            QFont bold = pages_->font();
            bold.setBold(true);
            item->setFont(bold);
            item->setFlags(Qt::NoItemFlags);
        } else {
            item->setData(kFile, entry.file);
        }
    }
}

void DocsWindow::listFound(const std::vector<page_search::PageSearch::Found>& found) {
    pages_->clear();
    for (const page_search::PageSearch::Found& page : found) {
        const QString file = QString::fromStdString(page.file), heading = shownHeading(page.heading);
        const auto entry = std::find_if(contents_.begin(), contents_.end(),
                                        [&](const DocsEntry& each) { return each.file == file; });
        const QString title = entry->title + (heading.isEmpty() ? QString() : "\n   " + heading);
        auto* const item = new QListWidgetItem(title, pages_);
        item->setToolTip(title);
        item->setData(kFile, file);
        item->setData(kHeading, heading);
    }
}

/// Reads all pages the first time the user searches.
void DocsWindow::readPages() {
    const QDir docs(QString::fromStdString(folder_.string()));
    found_ = std::make_unique<page_search::PageSearch>();
    double weight = 1;
    for (const DocsEntry& entry : contents_) {
        if (entry.file.isEmpty()) {
            // What these parts hold is looked up, or evidence; the other parts explain and give instructions.
            weight = entry.title == "Reference" || entry.title.startsWith("How far") ? 0.5 : 1;
        }
        QFile file(docs.filePath(entry.file));
        if (!entry.file.isEmpty() && entry.file != "index.md" &&
            file.open(QIODevice::ReadOnly | QIODevice::Text)) {
            found_->add(
                {entry.file.toStdString(), entry.title.toStdString(), entry.about.toStdString(), weight},
                file.readAll().toStdString());
        }
    }
}

void DocsWindow::search(const QString& text) {
    const QSignalBlocker quiet(pages_);
    if (text.trimmed().isEmpty()) {
        listContents();
        right_->setCurrentWidget(view_);
        markShown(view_->source());
        return;
    }
    if (!found_) {
        readPages();
    }
    const std::vector<page_search::PageSearch::Found> found = found_->search(text.toStdString());
    listFound(found);
    none_->setText(tr("No page has “%1”.").arg(text.trimmed()));
    right_->setCurrentWidget(found.empty() ? none_ : static_cast<QWidget*>(view_));
    if (!found.empty()) {
        pages_->setCurrentRow(0);
        showCurrent();
    }
}

/// Shows the page selected in the list.
void DocsWindow::showCurrent() {
    if (const QListWidgetItem* const item = pages_->currentItem()) {
        const QString file = item->data(kFile).toString();
        if (view_->source().fileName() == file) {
            showFirstFound();
        } else {
            view_->setSource(file, QTextDocument::MarkdownResource);
        }
    }
}

/// Selects the first match in the section that fits best.
void DocsWindow::showFirstFound() {
    view_->moveCursor(QTextCursor::Start);
    const QListWidgetItem* const item = pages_->currentItem();
    const QString heading = item ? item->data(kHeading).toString() : QString();
    for (QTextBlock block = view_->document()->begin(); !heading.isEmpty() && block.isValid();
         block = block.next()) {
        if (block.blockFormat().headingLevel() > 0 && block.text() == heading) {
            view_->moveCursor(QTextCursor::End);  // so that the heading is scrolled to the top
            view_->setTextCursor(QTextCursor(block));
            break;
        }
    }
    match_ = matchOn(*view_->document(), search_->text().simplified());
    if (!match_.isEmpty()) {
        view_->find(match_);
    }
}

/// Return moves to the next match on the page, and after the last one to the next page that was found.
void DocsWindow::findNext() {
    if (search_->text().trimmed().isEmpty() || pages_->count() == 0 ||
        (!match_.isEmpty() && view_->find(match_))) {
        return;
    }
    pages_->setCurrentRow((pages_->currentRow() + 1) % pages_->count());
}

/// The row of a page in the list; -1 if it is not there.
int DocsWindow::rowOf(const QString& file) const {
    for (int i = 0; i < pages_->count(); ++i) {
        if (pages_->item(i)->data(kFile) == file) {
            return i;
        }
    }
    return -1;
}

void DocsWindow::showPage(const QString& file) {
    if (rowOf(file) < 0) {
        search_->clear();
    }
    if (const int row = rowOf(file); row >= 0) {
        right_->setCurrentWidget(view_);
        pages_->setCurrentRow(row);
    }
}

/// Keeps the list in step when a link opens another page.
void DocsWindow::markShown(const QUrl& page) {
    const QSignalBlocker quiet(pages_);
    pages_->setCurrentRow(rowOf(page.fileName()));
    view_->showRead();
    showFirstFound();
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
        docs->showPage(page.isEmpty() ? "index.md" : page);
    }
    docs->show();
    docs->raise();
}

void addHelpKey(QWidget* window, const QString& page) {
    QObject::connect(new QShortcut(QKeySequence::HelpContents, window), &QShortcut::activated, window,
                     [window, page] { showDocs(window, page); });
}

}  // namespace highwater::widgets

#include "moc_docs_window.cpp"
