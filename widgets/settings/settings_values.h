#pragma once

#include <QString>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Settings as values: defaults, changes that touch more than one of them, and what is typed for them.
namespace highwater::widgets {

/// The experiment with every setting at its default; what has none (kinds of input, target and optimizer, the
/// data's own shape and paths) stays as it is.
stack::Experiment settingDefaults(const stack::Experiment& experiment);

/// Another kind of optimizer: the learning rate stays, and so does a weight_decay that was chosen.
stack::Optimizer withKind(const stack::Optimizer& optimizer, stack::Optimizer::Kind kind);
/// A shape made by the program instead of a scan's patch, or the other way round; sizes stay where they can.
void setSynthetic(stack::Experiment& experiment, bool synthetic);
/// Windows of half the data's size along each axis, or the largest the stack takes below it; or none.
void setWindows(stack::Experiment& experiment, bool on);

base::Result<std::uint64_t> parseSeed(const QString& text);
struct Betas {
    double first = 0.9, second = 0.999;
    bool operator==(const Betas&) const = default;
};
base::Result<Betas> parseBetas(const QString& text);
QString betasText(const Betas& betas);
struct ValueWindow {
    double low = 0, high = 1;
    bool operator==(const ValueWindow&) const = default;
};
base::Result<ValueWindow> parseWindow(const QString& text);
QString windowText(const ValueWindow& window);
/// A patch of a scan: one number or three.
base::Result<stack::Sizes> parseScanPatch(const QString& text);
/// Channels, then one to three spatial sizes.
base::Result<stack::Sizes> parseSynthetic(const QString& text);
/// Empty text for none.
base::Result<std::optional<base::Bytes>> parseLimit(const QString& text);
QString limitText(const std::optional<base::Bytes>& bytes);

}  // namespace highwater::widgets
