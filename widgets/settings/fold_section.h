#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace highwater::widgets {

/// A titled part of a form that folds. A small count beside its title says how much is set within, so that
/// nothing is hidden while it is folded.
class FoldSection : public QWidget {
    Q_OBJECT
public:
    explicit FoldSection(const QString& title, QWidget* parent = nullptr);
    /// Once; takes it over.
    void setBody(QWidget* body);

    QString title() const;
    bool isOpen() const { return open_; }
    void setOpen(bool open);
    /// Open for as long as something is looked for, whatever the user chose.
    void setForced(bool forced);
    /// 0 shows none. `wrong`: something within cannot be run as it is.
    void setCount(int count, bool wrong);

private:
    void showState();
    void paintEvent(QPaintEvent* event) override;
    QToolButton* head_;
    QLabel* count_;
    QWidget* body_ = nullptr;
    bool open_ = true, forced_ = false;
};

}  // namespace highwater::widgets
