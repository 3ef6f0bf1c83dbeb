#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace highwater::widgets {

/// A field for a path that is typed or chosen in a dialog. The path is emitted when the user has finished
/// typing (Enter, or leaving the field), not at every letter, because each path would be read as a file.
/// Escape restores the last path.
class PathField : public QWidget {
    Q_OBJECT
public:
    /// `what` is the title of the dialog: "Choose a scan". `filter` is as for QFileDialog.
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
