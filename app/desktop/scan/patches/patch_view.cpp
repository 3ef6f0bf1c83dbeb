#include "app/desktop/scan/patches/patch_view.h"

#include "widgets/scan/panel/scan_panel.h"

namespace highwater::desktop {

namespace {

bool same(const volume::Volume& a, const volume::Volume& b) {
    return a.data() == b.data();
}

}  // namespace

void PatchView::showScan(const volume::Volume& heat, double most) {
    if (panel_.showsInstead()) {
        panel_.showInstead({}, {});
    }
    patch_ = {};
    const bool replaced = !same(scan_, panel_.volume());  // which removed the overlay
    scan_ = panel_.volume();
    if (replaced || !same(heat_, heat)) {
        panel_.setOverlay(heat, most);
    }
    heat_ = heat;
}

void PatchView::showPatch(const volume::Volume& patch, const QString& name, const volume::Volume& overlay) {
    if (!heat_.empty()) {
        panel_.setOverlay({});
    }
    heat_ = {};
    const bool another = !panel_.showsInstead() || !same(patch_, patch);
    if (another) {
        panel_.showInstead(patch, name);
    }
    patch_ = patch;
    if (another || !same(overlay_, overlay)) {
        panel_.setInsteadOverlay(overlay);
    }
    overlay_ = overlay;
}

}  // namespace highwater::desktop
