#pragma once

#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <optional>

#include "app/desktop/study/study_values.h"

namespace highwater::desktop {

/// Claims grouped by lever (S1, S2, ...). Updating keeps the items, so that the selection and folded groups
/// stay.
class ClaimsModel : public QStandardItemModel {
    Q_OBJECT
public:
    static constexpr int kIdRole = Qt::UserRole + 1;        ///< empty for a group
    static constexpr int kVerdictRole = Qt::UserRole + 2;   ///< int of ClaimVerdict
    static constexpr int kActivityRole = Qt::UserRole + 3;  ///< int of ClaimActivity
    /// The text that a search matches, in lower case.
    static constexpr int kSearchRole = Qt::UserRole + 4;

    explicit ClaimsModel(QObject* parent = nullptr);
    void setRows(const std::vector<ClaimRow>& rows);
    const ClaimRow* row(const QString& id) const;
    const std::vector<ClaimRow>& rows() const { return rows_; }
    QModelIndex indexOf(const QString& id) const;

private:
    QStandardItem* group(const ClaimRow& row);
    std::vector<ClaimRow> rows_;
};

/// Accepts a claim if it contains every word and has the selected verdict. A group is shown if one of its
/// claims is.
class ClaimsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit ClaimsFilter(QObject* parent = nullptr);
    void setText(const QString& text);
    void setVerdict(std::optional<ClaimVerdict> verdict);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList words_;
    std::optional<ClaimVerdict> verdict_;
};

/// "4 hold, 2 do not, 1 depends, 3 not testable here, 5 not yet run". Verdicts that do not occur are omitted.
QString verdictCounts(const std::vector<ClaimRow>& rows);

}  // namespace highwater::desktop
