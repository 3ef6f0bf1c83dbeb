#pragma once

#include <QSortFilterProxyModel>
#include <functional>

#include "app/desktop/run/runs_model.h"

namespace highwater::desktop {

/// The runs that pass a test, and the studies of such runs, in order.
class RunsProxy : public QSortFilterProxyModel {
public:
    RunsProxy(RunsModel& model, QObject* parent) : QSortFilterProxyModel(parent), model_(model) {
        setSourceModel(&model);
        setSortRole(RunsModel::kSortRole);
        setRecursiveFilteringEnabled(true);
    }
    /// An empty test accepts all runs.
    void setTest(std::function<bool(const QString& id)> test) {
        test_ = std::move(test);
        invalidateFilter();
    }
    bool filters() const { return static_cast<bool>(test_); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const RunRow* run = model_.run(model_.index(row, 0, parent));
        return run && (!test_ || test_(run->id));
    }

private:
    RunsModel& model_;
    std::function<bool(const QString&)> test_;
};

}  // namespace highwater::desktop
