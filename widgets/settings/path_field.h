#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace highwater::widgets {

/// A path that is typed or looked for. It is handed on when the typing has ended (Enter, or leaving the
/// field), not letter by letter: each would be a file to read. Escape brings the last one back.
class PathField : public QWidget {
    Q_OBJECT
public:
    /// `what` titles the dialog: "Choose a scan"; `filter` as QFileDialog's.
    PathField(const QString& what, const QString& filter, QWidget* parent = nullptr);
    void showPath(const QString& path);
    QString path() const { return path_; }

signals:
    void chosen(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void choose(const QString& path);
    void browse();
    QString what_, filter_, path_;
    QLineEdit* edit_;
    QToolButton* browse_;
};

}  // namespace highwater::widgets
