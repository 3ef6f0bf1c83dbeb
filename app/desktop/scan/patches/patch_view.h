#pragma once

#include <QString>

#include "core/volume/volume.h"

namespace highwater::widgets {
class ScanPanel;
}

namespace highwater::desktop {

/// Shows the patch page's content in the scan's panel. Only changes are passed on, so that nothing is
/// prepared twice.
class PatchView {
public:
    explicit PatchView(widgets::ScanPanel& panel) : panel_(panel) {}

    /// Shows the scan, with `heat` over it (values 0 to 1; empty for none). The legend gives `most` for 1.
    void showScan(const volume::Volume& heat, double most);
    /// Shows a patch instead of the scan, with its own overlay.
    void showPatch(const volume::Volume& patch, const QString& name, const volume::Volume& overlay);

private:
    widgets::ScanPanel& panel_;
    /// The volumes passed on last. They are kept alive, so that a new volume cannot have the same address.
    volume::Volume scan_, heat_, patch_, overlay_;
};

}  // namespace highwater::desktop
