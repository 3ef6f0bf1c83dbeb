#pragma once

#include <QWidget>
#include <vector>

class QStackedWidget;
class QTabBar;

namespace highwater::widgets {

class ElidedLabel;
class Mark;
class Panel;

/// Pages in one place, chosen by tabs in a strip. The strip is as high as a panel's header and replaces it:
/// the panel's own header is hidden, and its mark and note are shown in the strip.
class Pages : public QWidget {
    Q_OBJECT
public:
    explicit Pages(QWidget* parent = nullptr);
    /// Adds a page and takes ownership. `head` is the panel whose header the strip replaces: the page itself,
    /// or the first panel in it.
    void addPage(const QString& title, const QString& tip, QWidget* page, Panel* head);
    int current() const;
    void setCurrent(int page);
    /// Sets the text of the tab, for example its title with a count.
    void setTitle(int page, const QString& title);
    /// Shows or hides the tab of a page. Hiding the current one shows the first.
    void setPageVisible(int page, bool visible);

signals:
    void currentChanged(int page);

private:
    void showNote();
    void paintEvent(QPaintEvent* event) override;
    QTabBar* tabs_;
    Mark* mark_;
    ElidedLabel* note_;
    QStackedWidget* stack_;
    std::vector<Panel*> heads_;
};

}  // namespace highwater::widgets
