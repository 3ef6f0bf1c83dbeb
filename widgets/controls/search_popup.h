#pragma once

#include <QFrame>
#include <vector>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace highwater::widgets {

/// A list that opens below a button and is searched by typing: it shows the entries that contain every typed
/// word. Up and Down choose, Return or a click takes the entry, Escape closes.
class SearchPopup : public QFrame {
    Q_OBJECT
public:
    struct Entry {
        QString text;
        QString tip = {};
        bool enabled = true;
        bool always = false;  ///< listed whatever is typed
    };
    /// `placeholder` says what to type.
    SearchPopup(const QString& placeholder, QWidget* parent);
    void setEntries(const std::vector<Entry>& entries);
    void openBelow(const QWidget& button);
    QString typed() const;
    QLineEdit& field() { return *field_; }
    QListView& list() { return *list_; }

signals:
    /// The index of an entry in setEntries()' list. The popup is closed.
    void taken(int entry);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void take(const QModelIndex& index);
    QLineEdit* field_;
    QListView* list_;
    QStandardItemModel* model_;
    class WordsFilter;
    WordsFilter* shown_;
};

}  // namespace highwater::widgets
