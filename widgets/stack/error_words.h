#pragma once

#include <QString>

/// What an error about an experiment is about, so that a click leads there.
namespace highwater::widgets {

/// The path of the setting that an error names: "/step/precision" from "/step/precision other than ...",
/// "/step/micro_batches" from "step: micro_batches 3 does not divide ..."; empty where it names none.
QString settingNamedBy(const QString& error);
/// The layer that an error names, counted from 0: 2 from "layer 3 `conv`: ..."; -1 where it names none.
int layerNamedBy(const QString& error);
/// The error as people read it: "precision other than ..." from "/step/precision other than ...".
QString plainError(const QString& error);

}  // namespace highwater::widgets
