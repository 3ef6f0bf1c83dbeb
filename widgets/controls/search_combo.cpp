#include "widgets/controls/search_combo.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTimer>
#include <QToolTip>
#include <algorithm>

namespace highwater::widgets {

namespace {

constexpr int kListMargins = 40;

}  // namespace

SearchCombo::SearchCombo(QWidget* parent) : QComboBox(parent) {
    constexpr int kShown = 16;  // characters; the list is as wide as its entries
    setEditable(true);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(kShown);
    setInsertPolicy(QComboBox::NoInsert);
    completer()->setCompletionMode(QCompleter::PopupCompletion);
    completer()->setFilterMode(Qt::MatchContains);
    completer()->setCaseSensitivity(Qt::CaseInsensitive);
    completer()->popup()->setProperty("popup", true);
    view()->setTextElideMode(Qt::ElideNone);
    completer()->popup()->setTextElideMode(Qt::ElideNone);
    QLineEdit* const line = lineEdit();
    line->setPlaceholderText(tr("type to search"));
    line->installEventFilter(this);
    connect(line, &QLineEdit::editingFinished, this, &SearchCombo::takeTyped);  // Return, too
    connect(this, &QComboBox::currentIndexChanged, line, [line] { line->setCursorPosition(0); });
    connect(model(), &QAbstractItemModel::rowsInserted, this, [this](const auto&, int from, int to) {
        for (int i = from; i <= to; ++i) {
            const int width = fontMetrics().horizontalAdvance(itemText(i)) + kListMargins;
            for (QAbstractItemView* list : {view(), completer()->popup()}) {
                list->setMinimumWidth(std::max(list->minimumWidth(), width));
            }
        }
    });
}

void SearchCombo::showName() {
    setEditText(itemText(currentIndex()));
    lineEdit()->setCursorPosition(0);
}

void SearchCombo::takeTyped() {
    QLineEdit* const line = lineEdit();
    const QString typed = line->text();
    const int same = findText(typed);
    const int found = same >= 0 || typed.isEmpty() ? same : findText(typed, Qt::MatchContains);
    if (found >= 0) {
        setCurrentIndex(found);
    } else if (!typed.isEmpty()) {
        QToolTip::showText(line->mapToGlobal(QPoint(0, line->height())),
                           tr("Nothing in this list contains “%1”").arg(typed), line);
    }
    showName();
}

/// Typing after keyboard focus or a first click starts a search: the text replaces the name.
void SearchCombo::selectName() {
    QTimer::singleShot(0, lineEdit(), &QLineEdit::selectAll);
}

void SearchCombo::focusInEvent(QFocusEvent* event) {
    QComboBox::focusInEvent(event);
    arrived_ = true;
    selectName();
}

bool SearchCombo::eventFilter(QObject* watched, QEvent* event) {
    if (arrived_ && watched == lineEdit() && event->type() == QEvent::MouseButtonRelease) {
        arrived_ = false;
        selectName();
    }
    if (watched == lineEdit() && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) &&
            lineEdit()->text() != itemText(currentIndex())) {
            takeTyped();  // a dialog's default button would be pressed, too
            return true;
        }
    }
    return QComboBox::eventFilter(watched, event);
}

}  // namespace highwater::widgets

#include "moc_search_combo.cpp"
