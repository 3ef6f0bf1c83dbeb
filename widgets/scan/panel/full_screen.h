#pragma once

#include <QWidget>

namespace highwater::widgets {

/// A full-screen window that holds a widget which normally lives elsewhere. The owner takes the widget back
/// before deleting this window.
class FullScreen : public QWidget {
    Q_OBJECT
public:
    /// Opens on the screen of `owner`.
    explicit FullScreen(QWidget* owner);
    /// Shows the widget in this window and gives it the focus.
    void take(QWidget* content);

signals:
    /// The user closed the window.
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;
};

}  // namespace highwater::widgets
