#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace highwater::widgets {

/// Shown instead of the scan: an invitation to open one, progress, or an error, each with its buttons.
class ScanMessage : public QWidget {
    Q_OBJECT
public:
    explicit ScanMessage(QWidget* parent = nullptr);

    void showEmpty();
    /// `fraction` is 0 to 1; negative if unknown.
    void showLoading(const QString& text, double fraction);
    /// `canGoBack`: there is an earlier scan to return to.
    void showError(const QString& text, bool canGoBack);

signals:
    void openRequested();
    void sampleRequested();
    void cancelRequested();
    void backRequested();

private:
    void show(const QString& title, const QString& text, const QList<QWidget*>& parts);
    QLabel* title_;
    QLabel* text_;
    QProgressBar* progress_;
    QPushButton* open_;
    QPushButton* sample_;
    QPushButton* cancel_;
    QPushButton* back_;
};

}  // namespace highwater::widgets
