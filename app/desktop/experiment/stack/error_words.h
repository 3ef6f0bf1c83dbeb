#pragma once

#include <QString>

#include "core/base/result.h"

/// Finds out what part of an experiment an error refers to, so that a click on the error leads there.
namespace highwater::desktop {

/// Returns the path of the setting that an error names: "/step/precision" for "/step/precision other than
/// ...", "/step/micro_batches" for "step: micro_batches 3 does not divide ...". Returns an empty string if it
/// names none.
QString settingNamedBy(const QString& error);
/// Returns the layer that an error names, counted from 0: 2 for "layer 3 `conv`: ...". Returns -1 if it names
/// none.
int layerNamedBy(const QString& error);
/// Returns an error or a note in the window's words: "precision other than ..." for "/step/precision other
/// than ...", "layer 3, conv: ..." for "layer 3 `conv`: ...", a menu command instead of a program's.
QString plainError(const QString& error);
QString plainError(const base::Error& error);

}  // namespace highwater::desktop
