#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace highwater::desktop {

/// A titled, foldable part of a form. A small count beside its title says how many of its values are set, so
/// that no change is hidden while it is folded.
class FoldSection : public QWidget {
    Q_OBJECT
public:
    explicit FoldSection(const QString& title, QWidget* parent = nullptr);
    /// To be called once. Takes ownership.
    void setBody(QWidget* body);

    QString title() const;
    bool isOpen() const { return open_; }
    void setOpen(bool open);
    /// Keeps the section open during a search, even if the user has folded it.
    void setForced(bool forced);
    /// A count of 0 is not shown. `wrong`: one of its values prevents a run.
    void setCount(int count, bool wrong);

private:
    void showState();
    void paintEvent(QPaintEvent* event) override;
    QToolButton* head_;
    QLabel* count_;
    QWidget* body_ = nullptr;
    bool open_ = true, forced_ = false;
};

}  // namespace highwater::desktop
