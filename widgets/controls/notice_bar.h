#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace highwater::widgets {

/// One line across the window that says what happened and offers an action. What was done,
/// and information, disappear by themselves where they offer no action; the rest stays until it is dismissed
/// or replaced.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Done, Info, Warning, Error };
    /// What a message is about: it goes when that does.
    enum class About {
        Other,
        File,
        Scan,
        Run,
        TakenRun,
        Refusal,
        Prediction,
        Opened,
        Selection,
        Session,
        Store
    };
    explicit NoticeBar(QWidget* parent = nullptr);

    void show(Kind kind, const QString& text, const QString& action = {}, std::function<void()> act = {});
    /// Shows a message that can wait: once the one on show is gone.
    void showNext(Kind kind, const QString& text, About about, const QString& action = {},
                  std::function<void()> act = {});
    /// What the message on show is about; Other after show().
    void setAbout(About about) { about_ = about; }
    About about() const { return isHidden() ? About::Other : about_; }
    /// Dismisses the message on show if it is about one of these, and drops one that waits.
    void withdraw(std::initializer_list<About> abouts);
    void dismiss();
    QString text() const;

private:
    void paint();
    Kind kind_ = Kind::Info;
    About about_ = About::Other;
    QLabel* icon_;
    QLabel* text_;
    QPushButton* action_;
    std::function<void()> act_;
    std::function<void()> next_;  ///< shows the message that waits
    About nextAbout_ = About::Other;
    QTimer* timer_;
};

}  // namespace highwater::widgets
