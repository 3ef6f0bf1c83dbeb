#pragma once

#include <QTableView>
#include <QWidget>

#include "widgets/theme/table_model.h"
#include "widgets/timeline/stack_groups.h"

class QComboBox;

namespace highwater::widgets {

class ElidedLabel;

/// Memory in use, grouped by the code that allocated it; compared with another capture if there is one.
class GroupsModel : public TableModel<GroupDifference> {
    Q_OBJECT
public:
    explicit GroupsModel(QObject* parent = nullptr);
    /// `otherName` is empty if nothing is compared.
    void setGroups(std::vector<GroupDifference> rows, const QString& name, const QString& otherName);
    bool comparing() const { return comparing_; }
    void sort(int column, Qt::SortOrder order) override;

private:
    QString text(const GroupDifference& row, int column) const override;
    QVariant look(const GroupDifference& row, int column, int role) const override;
    double value(const GroupDifference& row, int column) const;
    base::Bytes total_ = 0;
    bool comparing_ = false;
};

/// The table of groups, with a choice of the grouping and, if there are several, of the moment.
class GroupsPage : public QWidget {
    Q_OBJECT
public:
    explicit GroupsPage(QWidget* parent = nullptr);

    Grouping grouping() const;
    void setGrouping(Grouping grouping);
    /// Grouping needs call stacks; without them, the table lists labels only.
    void setGroupingOffered(bool offered);
    /// The moments to choose from; the chooser is hidden if there are fewer than two.
    void setMoments(const QStringList& moments, int current);
    int moment() const;
    void setNote(const QString& note);
    QString note() const;
    /// Rows that are compared with another capture's (`otherName`), or not compared if it is empty.
    void setGroups(std::vector<GroupDifference> rows, const QString& name, const QString& otherName = {});

    GroupsModel& model() { return *model_; }
    QTableView& table() { return *table_; }

signals:
    void groupingChanged();
    void momentChanged();
    /// A group was clicked.
    void groupChosen(const highwater::widgets::GroupDifference& group);

private:
    GroupsModel* model_;
    QTableView* table_;
    QComboBox *grouping_, *moment_;
    QWidget* groupingLabel_;
    ElidedLabel* note_;
};

}  // namespace highwater::widgets
