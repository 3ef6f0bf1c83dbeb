#pragma once

#include <QFrame>
#include <QStringList>

class QLabel;
class QToolButton;

namespace highwater::widgets {

class ElidedLabel;

/// Warnings about what is on show: how many and the first in one line; a click unfolds them all. Hidden while
/// there are none; nothing makes it go away but the warnings going.
class WarningLine : public QFrame {
    Q_OBJECT
public:
    explicit WarningLine(QWidget* parent = nullptr);
    void setWarnings(const QStringList& warnings);
    const QStringList& warnings() const { return warnings_; }
    QString text() const;  ///< the line
    bool unfolded() const { return unfolded_; }
    void setUnfolded(bool unfolded);

private:
    void refresh();
    void paint();
    void mouseReleaseEvent(QMouseEvent* event) override;
    QStringList warnings_;
    bool unfolded_ = false;
    QLabel* mark_;
    ElidedLabel* line_;
    QToolButton* toggle_;
    QLabel* all_;
};

}  // namespace highwater::widgets
