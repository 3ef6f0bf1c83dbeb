#pragma once

#include <QString>

#include "core/base/result.h"
#include "core/stack/experiment.h"

class QWidget;

/// File > Export > PyTorch: writes the experiment as a Python program (core/stack/export/export_pytorch.h).
namespace highwater::desktop {

/// Asks the user where to write the program. Returns an empty string if the user cancels. `title` is the
/// experiment's title.
QString choosePytorchFile(QWidget* parent, const QString& title);

/// Writes the program to `path` and, if the program reads it, the head phantom to the same folder. This takes
/// seconds. Errors are one line for the user.
base::Status exportPytorchTo(const stack::Experiment& experiment, const QString& path);

}  // namespace highwater::desktop
