#pragma once

#include <QString>

#include "core/base/result.h"
#include "core/stack/experiment.h"

class QWidget;

/// File > Export > PyTorch: the experiment as a Python program (core/stack/export/export_pytorch.h).
namespace highwater::desktop {

/// Where to write it, as the user says; empty where they thought better of it. `title`: the experiment's.
QString choosePytorchFile(QWidget* parent, const QString& title);

/// Writes it there, and beside it the head phantom where the program reads that, which takes seconds. Errors
/// are one line for the user.
base::Status exportPytorchTo(const stack::Experiment& experiment, const QString& path);

}  // namespace highwater::desktop
