#pragma once

#include <QWidget>
#include <vector>

class QStackedWidget;
class QTabBar;

namespace highwater::widgets {

class ElidedLabel;
class Panel;

/// Pages that share one place, chosen by tabs in a strip as high as a panel's header, whose part it takes:
/// the panel's own header is hidden, its note shown in the strip.
class Pages : public QWidget {
    Q_OBJECT
public:
    explicit Pages(QWidget* parent = nullptr);
    /// Takes the page over. `head` is the panel in it whose header the strip stands for; the page itself, or
    /// its first part.
    void addPage(const QString& title, const QString& tip, QWidget* page, Panel* head);
    int current() const;
    void setCurrent(int page);
    /// The tab's text, such as its title with a count.
    void setTitle(int page, const QString& title);

signals:
    void currentChanged(int page);

private:
    void showNote();
    void paintEvent(QPaintEvent* event) override;
    QTabBar* tabs_;
    ElidedLabel* note_;
    QStackedWidget* stack_;
    std::vector<Panel*> heads_;
};

}  // namespace highwater::widgets
