#pragma once

#include <QFrame>
#include <span>
#include <string_view>

/// Descriptions of what mouse and keys do in the views, for the screen and for docs/scan-views.md.
namespace highwater::widgets {

struct ScanKey {
    std::string_view keys;     ///< "Right drag"
    std::string_view meaning;  ///< "change the window: sideways its width, up and down its level"
};
std::span<const ScanKey> scanKeys();

/// The list of keys as a popup.
class ScanKeyList : public QFrame {
    Q_OBJECT
public:
    explicit ScanKeyList(QWidget* parent);
    void open(const QWidget* under);
};

}  // namespace highwater::widgets
