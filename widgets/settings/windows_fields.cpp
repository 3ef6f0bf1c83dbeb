#include "core/stack/limits.h"
#include "widgets/settings/settings_fields.h"
#include "widgets/settings/settings_values.h"
#include "widgets/stack/part_fields.h"

namespace highwater::widgets {

using stack::Experiment;
using stack::Windows;

void addWindowsFields(OptionForm& form) {
    form.setPath("/");
    form.addToggle(
        "windows",
        "The network sees the data window by window: its memory is bounded by the window. In inference\n"
        "(train: no) overlapping results are blended",
        [](const Experiment& e) { return e.windows.has_value(); },
        [](Experiment& e, const bool& on) { setWindows(e, on); });
    form.defaultsFrom([](const Experiment&) { return Experiment(); });
    form.setPath("/windows/");
    PartFields<Windows> f(form, [](const Experiment& e) { return e.windows ? &*e.windows : nullptr; });
    const auto withWindows = [](const Experiment& e) { return Availability{.shown = e.windows.has_value()}; };
    f.sizes("size", "One window, in voxels; at most the data's size. Memory grows with its volume",
            {.low = 1, .high = stack::kMostSize}, &Windows::size);
    form.when(withWindows);
    f.number("overlap",
             "How much neighbouring windows overlap, 0 to 0.9 of a window: more means more windows and "
             "smoother seams",
             0, 0.9, &Windows::overlap);
    form.when(withWindows);
    f.choice("blend", "How overlapping results are weighed: gaussian trusts a window's middle most",
             {"gaussian", "constant"}, &Windows::blend);
    form.when(withWindows);
}

}  // namespace highwater::widgets
