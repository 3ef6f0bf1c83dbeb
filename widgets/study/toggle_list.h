#pragma once

#include <QScrollArea>
#include <map>

#include "widgets/study/study_values.h"

class QCheckBox;
class QVBoxLayout;

namespace highwater::widgets {

/// Check boxes of the levers; those that cannot be switched on say why in their tooltip.
class ToggleList : public QScrollArea {
    Q_OBJECT
public:
    explicit ToggleList(QWidget* parent = nullptr);
    /// What was chosen stays chosen where it still can be.
    void setToggles(const std::vector<ToggleRow>& toggles);
    /// In the list's order.
    QStringList chosen() const;
    void setChosen(const QStringList& ids);
    /// While a study runs nothing can be changed.
    void setLocked(bool locked);
    QCheckBox* box(const QString& id) const;

signals:
    void changed();

private:
    void add(const ToggleRow& toggle, bool checked);
    std::vector<ToggleRow> toggles_;
    std::map<QString, QCheckBox*> boxes_;
    QVBoxLayout* column_;
};

}  // namespace highwater::widgets
