#pragma once

#include <QWidget>
#include <functional>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace highwater::widgets {

/// The page shown while there is no trace: a title, instructions, progress, buttons.
class StatePage : public QWidget {
    Q_OBJECT
public:
    explicit StatePage(QWidget* parent = nullptr);

    struct Action {
        QString text;
        std::function<void()> act;
    };
    /// `fraction` is 0..1; negative if unknown. The first action gets the focus.
    void showProgress(const QString& title, const QString& detail, double fraction, const Action& cancel);
    void showMessage(const QString& title, const QString& detail, const std::vector<Action>& actions = {},
                     bool bad = false);
    QString title() const;
    QString detail() const;

private:
    void setTexts(const QString& title, const QString& detail, bool bad);
    void setActions(const std::vector<Action>& actions);
    QLabel *title_, *detail_;
    QProgressBar* bar_;
    QHBoxLayout* row_;
    QList<QPushButton*> buttons_;
};

}  // namespace highwater::widgets
