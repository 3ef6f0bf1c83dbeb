#include "app/desktop/study/claims/claims_model.h"

#include <algorithm>

#include "app/desktop/study/study_words.h"

namespace highwater::desktop {

namespace {

/// Sets only changed data, because a data change repaints and may filter again.
void set(QStandardItem* item, const QVariant& value, int role) {
    if (item->data(role) != value) {
        item->setData(value, role);
    }
}

void fill(QStandardItem* item, const ClaimRow& row) {
    set(item, row.statement, Qt::DisplayRole);
    set(item, row.id, ClaimsModel::kIdRole);
    set(item, static_cast<int>(row.verdict), ClaimsModel::kVerdictRole);
    set(item, static_cast<int>(row.activity), ClaimsModel::kActivityRole);
    set(item, row.statement + "\n" + row.id + ": " + verdictText(row.verdict), Qt::ToolTipRole);
    set(item, row.statement + ", " + verdictText(row.verdict), Qt::AccessibleTextRole);
    set(item,
        QStringList{row.id, row.rowTitle, row.statement, row.about, verdictText(row.verdict),
                    row.needsGpu ? "gpu" : ""}
            .join(' ')
            .toLower(),
        ClaimsModel::kSearchRole);
}

}  // namespace

ClaimsModel::ClaimsModel(QObject* parent) : QStandardItemModel(parent) {}

QStandardItem* ClaimsModel::group(const ClaimRow& row) {
    for (int i = 0; i < rowCount(); ++i) {
        if (item(i)->data(Qt::UserRole).toString() == row.row) {
            return item(i);
        }
    }
    auto* made = new QStandardItem(row.rowTitle.isEmpty() ? row.row : row.row + "  " + row.rowTitle);
    made->setData(row.row, Qt::UserRole);
    made->setFlags(Qt::NoItemFlags);  // the keyboard skips it
    appendRow(made);
    return made;
}

void ClaimsModel::setRows(const std::vector<ClaimRow>& rows) {
    const auto sameIds = std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                                    [](const ClaimRow& a, const ClaimRow& b) { return a.id == b.id; });
    if (!sameIds) {
        clear();
    }
    rows_ = rows;
    for (const ClaimRow& row : rows_) {
        QStandardItem* item = sameIds ? itemFromIndex(indexOf(row.id)) : new QStandardItem;
        fill(item, row);
        if (sameIds) {
            continue;
        }
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        group(row)->appendRow(item);
    }
}

const ClaimRow* ClaimsModel::row(const QString& id) const {
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const ClaimRow& r) { return r.id == id; });
    return found == rows_.end() ? nullptr : &*found;
}

QModelIndex ClaimsModel::indexOf(const QString& id) const {
    for (int g = 0; g < rowCount(); ++g) {
        for (int i = 0; i < item(g)->rowCount(); ++i) {
            if (item(g)->child(i)->data(kIdRole).toString() == id) {
                return item(g)->child(i)->index();
            }
        }
    }
    return {};
}

ClaimsFilter::ClaimsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setRecursiveFilteringEnabled(true);
}

void ClaimsFilter::setText(const QString& text) {
    words_ = text.toLower().split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void ClaimsFilter::setVerdict(std::optional<ClaimVerdict> verdict) {
    verdict_ = verdict;
    invalidateFilter();
}

bool ClaimsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (index.data(ClaimsModel::kIdRole).toString().isEmpty()) {
        return false;  // a group is shown only for its claims
    }
    if (verdict_ && index.data(ClaimsModel::kVerdictRole).toInt() != static_cast<int>(*verdict_)) {
        return false;
    }
    const QString all = index.data(ClaimsModel::kSearchRole).toString();
    return std::all_of(words_.begin(), words_.end(), [&](const QString& word) { return all.contains(word); });
}

QString verdictCounts(const std::vector<ClaimRow>& rows) {
    using V = ClaimVerdict;
    const auto count = [&](V verdict) {
        return std::count_if(rows.begin(), rows.end(),
                             [&](const ClaimRow& r) { return r.verdict == verdict; });
    };
    QStringList parts;
    const auto add = [&](V verdict, const QString& one, const QString& more) {
        if (const auto n = count(verdict); n > 0) {
            parts << (n == 1 ? one : more).arg(n);
        }
    };
    add(V::Holds, QObject::tr("%1 holds"), QObject::tr("%1 hold"));
    add(V::DoesNotHold, QObject::tr("%1 does not"), QObject::tr("%1 do not"));
    add(V::Depends, QObject::tr("%1 depends"), QObject::tr("%1 depend"));
    add(V::NotTestable, QObject::tr("%1 not testable here"), QObject::tr("%1 not testable here"));
    add(V::NotRun, QObject::tr("%1 not yet run"), QObject::tr("%1 not yet run"));
    return parts.join(", ");
}

}  // namespace highwater::desktop

#include "moc_claims_model.cpp"
