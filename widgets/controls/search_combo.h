#pragma once

#include <QComboBox>

namespace highwater::widgets {

/// A list of which an entry is found by typing a part of it: it offers the entries that contain the typed
/// text, of which Return or leaving the field selects the first one. Text that no entry contains changes
/// nothing.
class SearchCombo : public QComboBox {
    Q_OBJECT
public:
    explicit SearchCombo(QWidget* parent);
    /// Shows the name of the chosen entry, scrolled to its start.
    void showName();

protected:
    void focusInEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void selectName();
    void takeTyped();
    bool arrived_ = false;  ///< it has the focus and has not been clicked since
};

}  // namespace highwater::widgets
