#pragma once

#include <QFrame>
#include <vector>

/// Descriptions of what mouse and keys do in the views, for the screen and for docs/scan-views.md.
namespace highwater::widgets {

struct ScanKey {
    QString keys;     ///< "Right drag"
    QString meaning;  ///< "change the window: sideways its width, up and down its level"
};

/// The list of keys as a popup.
class ScanKeyList : public QFrame {
    Q_OBJECT
public:
    explicit ScanKeyList(QWidget* parent);
    static std::vector<ScanKey> keys();
    void open(const QWidget* under);
};

}  // namespace highwater::widgets
