#pragma once

#include <QWidget>

#include "app/desktop/study/claims/claims_model.h"
#include "widgets/controls/table_text.h"

class QComboBox;
class QLineEdit;
class QTreeView;

namespace highwater::desktop {

/// The list of claims in groups, each with its verdict. Above it are a text filter and a verdict filter.
class ClaimsList : public QWidget {
    Q_OBJECT
public:
    explicit ClaimsList(QWidget* parent = nullptr);

    void setRows(const std::vector<ClaimRow>& rows);
    const ClaimsModel& model() const { return *model_; }
    void setCurrent(const QString& id);
    QString current() const;  ///< empty if none is chosen
    /// In the order of the list. Claims that the filter hides are not included.
    QStringList selectedIds() const;
    QStringList shownIds() const;
    QTreeView& view() { return *view_; }
    void focusFilter();

signals:
    void currentChanged(const QString& id);
    void selectionChanged();
    void activated(const QString& id);  ///< double-click, Return

private:
    void buildView();
    void keepCurrent();
    std::vector<QStringList> table(widgets::TablePart part) const;
    bool eventFilter(QObject* watched, QEvent* event) override;
    ClaimsModel* model_;
    ClaimsFilter* shown_;
    QTreeView* view_;
    QLineEdit* filter_;
    QComboBox* verdict_;
    bool known_ = false;  ///< rows have been set
};

}  // namespace highwater::desktop
