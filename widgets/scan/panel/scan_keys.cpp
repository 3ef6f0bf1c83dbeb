#include "widgets/scan/panel/scan_keys.h"

#include <QGridLayout>
#include <QLabel>

#include "widgets/scan/panel/popup.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
std::vector<ScanKey> ScanKeyList::keys() {
    return {
        {tr("Left click or drag"), tr("move the crosshair in all views")},
        {tr("Arrow keys"), tr("move the crosshair by a voxel; with Shift by ten")},
        {tr("X"), tr("show or hide the crosshair")},
        {tr("Wheel, Page Up and Page Down"), tr("next and previous slice; with Shift ten")},
        {tr("Shift and left drag up or down"), tr("scroll through the slices")},
        {tr("Home, End"), tr("first and last slice")},
        {tr("Right drag"), tr("change the window: sideways its width, up and down its level")},
        {tr("W"), tr("the left button changes the window too, until W again")},
        {tr("I"), tr("invert: low values white")},
        {tr("S"), tr("smooth magnified slices, or show voxels as they are")},
        {tr("Ctrl and wheel, + and −"), tr("zoom at the mouse")},
        {tr("Middle drag, Space and left drag, Ctrl and arrow keys"), tr("move the picture")},
        {tr("Double click, 1 to 4"), tr("one view alone, or all four again")},
        {tr("F"), tr("enter or leave full screen")},
        {tr("R"), tr("reset zoom, position and window")},
        {tr("Drag the patch box by its edge or its tab, or with Alt inside"), tr("move the patch box")},
        {tr("Alt and arrow keys, Alt and Page Up or Down"),
         tr("move the patch box by a voxel; with Shift by ten")},
        {tr("C"), tr("crop: drag its edges and corners; C or Esc hides the handles")},
        {tr("Shift and arrow keys, while cropping"), tr("move the crop's right or lower edge")},
        {tr("Ctrl, Shift and arrow keys, while cropping"), tr("move the crop's left or upper edge")},
        {tr("Shift and C"), tr("show the whole volume again")},
        {tr("L"), tr("show or hide the labels")},
        {tr("M"), tr("measure: drag, or click at both ends; drag an end to move it; M or Esc ends")},
        {tr("Enter, while measuring"), tr("one end of a distance at the crosshair, then the other")},
        {tr("Delete"), tr("remove the distance chosen or made last on this slice")},
        {tr("Tab"), tr("the next view or button")},
        {tr("Esc"),
         tr("back: from measuring, from the crop's handles, from one view, from the whole screen")},
        {tr("?"), tr("this list")},
    };
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
    for (const ScanKey& key : keys()) {
        add(key.keys, row, 0, false);
        add(key.meaning, row++, 1, true);
    }
}

void ScanKeyList::open(const QWidget* under) {
    openPopup(this, under);
    setFocus();
}

}  // namespace highwater::widgets

#include "moc_scan_keys.cpp"
