#pragma once

#include <QString>
#include <QStringList>

#include "core/stack/experiment.h"

namespace highwater::widgets {

/// "flip", "rotate90", ...: the contract's, in the order of the enumeration.
const QStringList& augmentationNames();

struct AmountWords {
    QString unit;     ///< "°", "±", "σ", "vx"; empty: it has no amount
    QString meaning;  ///< a sentence for the tooltip
};
AmountWords amountWords(stack::Augmentation::Kind kind);
/// What an amount of 0 stands for.
QString defaultAmountText(stack::Augmentation::Kind kind);
/// What it does to a patch, in a sentence.
QString augmentationTip(stack::Augmentation::Kind kind);

}  // namespace highwater::widgets
