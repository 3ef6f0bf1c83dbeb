#include "app/desktop/study/claims/claims_list.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/study/claims/claim_delegate.h"
#include "app/desktop/study/study_words.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

ClaimsList::ClaimsList(QWidget* parent)
    : QWidget(parent), model_(new ClaimsModel(this)), shown_(new ClaimsFilter(this)) {
    shown_->setSourceModel(model_);
    filter_ = new QLineEdit(this);
    filter_->setPlaceholderText(tr("filter"));
    filter_->setToolTip(tr("Show the claims in which every word occurs, e.g. “checkpoint memory” (Ctrl+F)"));
    filter_->setAccessibleName(tr("Filter of the claims"));
    filter_->setClearButtonEnabled(true);
    verdict_ = new QComboBox(this);
    verdict_->setAccessibleName(tr("Verdicts shown"));
    verdict_->addItem(tr("all verdicts"));
    using V = ClaimVerdict;
    for (const V verdict : {V::Holds, V::DoesNotHold, V::Depends, V::NotTestable, V::NotRun}) {
        verdict_->addItem(verdictText(verdict), static_cast<int>(verdict));
    }
    buildView();
    auto* row = new QHBoxLayout;
    row->setContentsMargins(10, 8, 10, 8);
    row->setSpacing(8);
    row->addWidget(filter_, 1);
    row->addWidget(verdict_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(view_, 1);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        shown_->setText(text);
        keepCurrent();
    });
    connect(verdict_, &QComboBox::currentIndexChanged, this, [this] {
        const QVariant chosen = verdict_->currentData();
        shown_->setVerdict(chosen.isValid() ? std::optional(static_cast<V>(chosen.toInt())) : std::nullopt);
        keepCurrent();
    });
}

void ClaimsList::buildView() {
    view_ = new QTreeView(this);
    view_->setModel(shown_);
    view_->setItemDelegate(new ClaimDelegate(view_));
    view_->setHeaderHidden(true);
    view_->setRootIsDecorated(false);
    view_->setIndentation(0);
    view_->setItemsExpandable(false);
    view_->setExpandsOnDoubleClick(false);
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setAccessibleName(tr("Claims"));
    view_->viewport()->installEventFilter(this);
    widgets::offerTable(*view_, {.rows = [this](widgets::TablePart part) { return table(part); }});
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { emit currentChanged(current()); });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ClaimsList::selectionChanged);
    connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const QString id = index.data(ClaimsModel::kIdRole).toString(); !id.isEmpty()) {
            emit activated(id);
        }
    });
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, view_->viewport(),
            [this] { view_->viewport()->update(); });
}

void ClaimsList::setRows(const std::vector<ClaimRow>& rows) {
    const QString before = current();
    known_ = true;
    model_->setRows(rows);
    view_->expandAll();
    if (current().isEmpty() || current() != before) {
        setCurrent(before);
    }
    keepCurrent();
    emit selectionChanged();
}

/// Keeps some claim current as long as any is shown.
void ClaimsList::keepCurrent() {
    view_->expandAll();
    const QStringList ids = shownIds();
    if (!ids.isEmpty() && !ids.contains(current())) {
        setCurrent(ids.front());
    } else if (ids.isEmpty()) {
        emit currentChanged({});
    }
    view_->viewport()->update();
}

void ClaimsList::setCurrent(const QString& id) {
    const QModelIndex index = shown_->mapFromSource(model_->indexOf(id));
    if (!index.isValid()) {
        return;
    }
    view_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
    view_->scrollTo(index);
}

QString ClaimsList::current() const {
    return view_->currentIndex().data(ClaimsModel::kIdRole).toString();
}

QStringList ClaimsList::shownIds() const {
    QStringList ids;
    for (int g = 0; g < shown_->rowCount(); ++g) {
        const QModelIndex group = shown_->index(g, 0);
        for (int i = 0; i < shown_->rowCount(group); ++i) {
            ids << shown_->index(i, 0, group).data(ClaimsModel::kIdRole).toString();
        }
    }
    return ids;
}

std::vector<QStringList> ClaimsList::table(widgets::TablePart part) const {
    std::vector<QStringList> rows = {
        {tr("lever"), tr("claim"), tr("statement"), tr("verdict"), tr("why"), tr("measured on")}};
    const QStringList selected = part == widgets::TablePart::Selected ? selectedIds() : QStringList();
    for (const QString& id : selected.isEmpty() ? shownIds() : selected) {
        if (const ClaimRow* row = model_->row(id)) {
            rows.push_back({row->rowTitle.isEmpty() ? row->row : row->rowTitle, id, row->statement,
                            verdictText(row->verdict), row->why, row->measuredOn});
        }
    }
    return rows;
}

QStringList ClaimsList::selectedIds() const {
    QStringList selected;
    for (const QModelIndex& index : view_->selectionModel()->selectedIndexes()) {
        selected << index.data(ClaimsModel::kIdRole).toString();
    }
    QStringList ids = shownIds();
    ids.removeIf([&](const QString& id) { return !selected.contains(id); });
    return ids;
}

void ClaimsList::focusFilter() {
    filter_->setFocus();
    filter_->selectAll();
}

bool ClaimsList::eventFilter(QObject* watched, QEvent* event) {
    if (watched != view_->viewport() || event->type() != QEvent::Paint || shown_->rowCount() > 0) {
        return QWidget::eventFilter(watched, event);
    }
    QPainter painter(view_->viewport());
    painter.setPen(widgets::theme().mutedText);
    painter.drawText(view_->viewport()->rect(), Qt::AlignCenter,
                     !known_                  ? tr("Reading the claims…")
                     : model_->rows().empty() ? tr("No claims")
                                              : tr("No claim matches the filter"));
    return true;
}

}  // namespace highwater::desktop

#include "moc_claims_list.cpp"
