#pragma once

#include <QScrollArea>
#include <map>

#include "app/desktop/study/study_values.h"

class QCheckBox;
class QVBoxLayout;

namespace highwater::desktop {

/// Check boxes for the levers. The tooltip of a lever that cannot be switched on says why.
class ToggleList : public QScrollArea {
    Q_OBJECT
public:
    explicit ToggleList(QWidget* parent = nullptr);
    /// Selected levers stay selected if they still can be.
    void setToggles(const std::vector<ToggleRow>& toggles);
    /// In the order of the list.
    QStringList chosen() const;
    void setChosen(const QStringList& ids);
    /// Locks the check boxes while a study runs.
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

}  // namespace highwater::desktop
