#pragma once

#include <QString>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Functions over settings: defaults, changes that touch more than one setting, and parsing of typed text.
namespace highwater::desktop {

/// The experiment with every setting at its default. Settings without a default stay as they are: the kinds
/// of input, target and optimizer, the shape and the paths of the data.
stack::Experiment settingDefaults(const stack::Experiment& experiment);

/// Changes the kind of the optimizer. The learning rate stays, and so does a weight_decay that the user has
/// set.
stack::Optimizer withKind(const stack::Optimizer& optimizer, stack::Optimizer::Kind kind);
/// Switches between synthetic input and the patch of a scan. Sizes are kept where possible.
void setSynthetic(stack::Experiment& experiment, bool synthetic);
/// Turns sliding windows on or off. When turned on, the windows have half the data's size along each axis, or
/// the largest size below it that the stack accepts.
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
/// Parses a patch of a scan: one number or three.
base::Result<stack::Sizes> parseScanPatch(const QString& text);
/// Parses the shape of synthetic input: channels, then one to three spatial sizes.
base::Result<stack::Sizes> parseSynthetic(const QString& text);
/// Parses a memory limit. Empty text means no limit.
base::Result<std::optional<base::Bytes>> parseLimit(const QString& text);
QString limitText(const std::optional<base::Bytes>& bytes);

}  // namespace highwater::desktop
