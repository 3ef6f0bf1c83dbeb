#pragma once

#include <QFrame>
#include <QStringList>

class QLabel;
class QToolButton;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

/// Warnings about the displayed scan. One line gives their number and the first one; a click unfolds all of
/// them. Hidden if there are none. It cannot be dismissed while there are warnings.
class WarningLine : public QFrame {
    Q_OBJECT
public:
    explicit WarningLine(QWidget* parent = nullptr);
    void setWarnings(const QStringList& warnings);
    const QStringList& warnings() const { return warnings_; }
    QString text() const;  ///< the text of the line
    bool unfolded() const { return unfolded_; }
    void setUnfolded(bool unfolded);

private:
    void refresh();
    void paint();
    void mouseReleaseEvent(QMouseEvent* event) override;
    QStringList warnings_;
    bool unfolded_ = false;
    QLabel* mark_;
    widgets::ElidedLabel* line_;
    QToolButton* toggle_;
    QLabel* all_;
};

}  // namespace highwater::desktop
