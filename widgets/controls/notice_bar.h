#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace highwater::widgets {

/// One line across the window that says what happened and may offer an action. Done and Info messages without
/// an action disappear by themselves; the others stay until they are dismissed or replaced.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Done, Info, Warning, Error };
    /// The subject of a message, so that the message can be withdrawn once it no longer applies.
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
    /// Queues a message that is shown when the current one is gone.
    void showNext(Kind kind, const QString& text, About about, const QString& action = {},
                  std::function<void()> act = {});
    /// The subject of the current message; Other after show().
    void setAbout(About about) { about_ = about; }
    About about() const { return isHidden() ? About::Other : about_; }
    /// Dismisses the current message if it is about one of these, and drops a queued one that is.
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
    std::function<void()> next_;  ///< shows the queued message
    About nextAbout_ = About::Other;
    QTimer* timer_;
};

}  // namespace highwater::widgets
