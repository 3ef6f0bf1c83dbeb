#pragma once

#include <QWidget>

namespace highwater::widgets {

/// A window of its own over the whole screen for a widget that lives elsewhere otherwise. Its owner takes the
/// widget back before deleting it.
class FullScreen : public QWidget {
    Q_OBJECT
public:
    /// On the screen of `owner`.
    explicit FullScreen(QWidget* owner);
    /// Shows the widget in it, with the focus.
    void take(QWidget* content);

signals:
    /// The user closed the window.
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;
};

}  // namespace highwater::widgets
