#pragma once

#include <QString>
#include <QStringList>

#include "core/stack/experiment.h"

namespace highwater::desktop {

/// The names "flip", "rotate90", ... as in the file format, in the order of the enumeration.
const QStringList& augmentationNames();

struct AmountWords {
    QString unit;     ///< "°", "±", "σ", "vx"; empty if the augmentation has no amount
    QString meaning;  ///< a sentence for the tooltip
};
AmountWords amountWords(stack::Augmentation::Kind kind);
/// The amount that is used for 0.
QString defaultAmountText(stack::Augmentation::Kind kind);
/// One sentence about the effect on a patch.
QString augmentationTip(stack::Augmentation::Kind kind);

}  // namespace highwater::desktop
