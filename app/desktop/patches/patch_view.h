#pragma once

#include <QString>

#include "core/volume/volume.h"

namespace highwater::widgets {
class ScanPanel;
}

namespace highwater::desktop {

/// What the patch page puts on the scan's panel. Says only what differs from what is on show, so that nothing
/// is prepared twice.
class PatchView {
public:
    explicit PatchView(widgets::ScanPanel& panel) : panel_(panel) {}

    /// The scan, with heat over it (values 0 to 1; empty: none), where 1 stands for `most`.
    void showScan(const volume::Volume& heat, double most);
    /// A patch instead, with an overlay of its own.
    void showPatch(const volume::Volume& patch, const QString& name, const volume::Volume& overlay);

private:
    widgets::ScanPanel& panel_;
    volume::Volume scan_, heat_, patch_, overlay_;  ///< as told last; kept, so that no address comes back
};

}  // namespace highwater::desktop
