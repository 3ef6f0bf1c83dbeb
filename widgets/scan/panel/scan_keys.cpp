#include "widgets/scan/panel/scan_keys.h"

#include <QGridLayout>
#include <QLabel>
#include <array>

#include "widgets/scan/panel/popup.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/utf8.h"

namespace highwater::widgets {
namespace {

constexpr std::array kKeys{
    ScanKey{"Left click or drag", "move the crosshair in all views"},
    ScanKey{"Arrow keys", "move the crosshair by a voxel; with Shift by ten"},
    ScanKey{"X", "show or hide the crosshair"},
    ScanKey{"Wheel, Page Up and Page Down", "next and previous slice; with Shift ten"},
    ScanKey{"Shift and left drag up or down", "scroll through the slices"},
    ScanKey{"Home, End", "first and last slice"},
    ScanKey{"Right drag", "change the window: sideways its width, up and down its level"},
    ScanKey{"W", "the left button changes the window too, until W again"},
    ScanKey{"I", "invert: low values white"},
    ScanKey{"S", "smooth magnified slices, or show voxels as they are"},
    ScanKey{"Ctrl and wheel, + and −", "zoom at the mouse"},
    ScanKey{"Middle drag, Space and left drag, Ctrl and arrow keys", "move the picture"},
    ScanKey{"Double click, 1 to 4", "one view alone, or all four again"},
    ScanKey{"F", "enter or leave full screen"},
    ScanKey{"R", "reset zoom, position and window"},
    ScanKey{"Drag the patch box by its edge or its tab, or with Alt inside", "move the patch box"},
    ScanKey{"Alt and arrow keys, Alt and Page Up or Down",
            "move the patch box by a voxel; with Shift by ten"},
    ScanKey{"C", "crop: drag its edges and corners; C or Esc hides the handles"},
    ScanKey{"Shift and arrow keys, while cropping", "move the crop's right or lower edge"},
    ScanKey{"Ctrl, Shift and arrow keys, while cropping", "move the crop's left or upper edge"},
    ScanKey{"Shift and C", "show the whole volume again"},
    ScanKey{"L", "show or hide the labels"},
    ScanKey{"M", "measure: drag, or click at both ends; drag an end to move it; M or Esc ends"},
    ScanKey{"Enter, while measuring", "one end of a distance at the crosshair, then the other"},
    ScanKey{"Delete", "remove the distance chosen or made last on this slice"},
    ScanKey{"Tab", "the next view or button"},
    ScanKey{"Esc", "back: from measuring, from the crop's handles, from one view, from the whole screen"},
    ScanKey{"?", "this list"},
};

}  // namespace

std::span<const ScanKey> scanKeys() {
    return kKeys;
}

ScanKeyList::ScanKeyList(QWidget* parent) : QFrame(parent, Qt::Popup) {
    setObjectName("scanKeys");
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Mouse and keys in the views"));
    auto* const layout = new QGridLayout(this);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->setHorizontalSpacing(16);
    layout->setVerticalSpacing(3);
    const auto add = [&](const QString& words, int row, int column, bool muted) {
        auto* const label = new QLabel(words);
        label->setFont(smallFont(font()));
        label->setProperty("muted", muted);
        layout->addWidget(label, row, column);
    };
    int row = 0;
    for (const ScanKey& key : kKeys) {
        add(fromUtf8(key.keys), row, 0, false);
        add(fromUtf8(key.meaning), row++, 1, true);
    }
}

void ScanKeyList::open(const QWidget* under) {
    openPopup(this, under);
    setFocus();
}

}  // namespace highwater::widgets

#include "moc_scan_keys.cpp"
