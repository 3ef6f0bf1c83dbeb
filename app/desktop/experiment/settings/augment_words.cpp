#include "app/desktop/experiment/settings/augment_words.h"

#include <QObject>

#include "app/desktop/experiment/stack/sizes_text.h"
#include "core/volume/augment.h"

namespace highwater::desktop {

using Kind = stack::Augmentation::Kind;

const QStringList& augmentationNames() {
    static const QStringList names = {"flip",  "rotate90", "rotate",     "scale",
                                      "noise", "blur",     "brightness", "gamma"};
    return names;
}

AmountWords amountWords(Kind kind) {
    switch (kind) {
        case Kind::Flip:
        case Kind::Rotate90:
            return {};
        case Kind::Rotate:
            return {QStringLiteral("°"), QObject::tr("The largest angle, to either side, in degrees")};
        case Kind::Scale:
            return {QStringLiteral("±"),
                    QObject::tr("The largest change of size, as a fraction: 0.2 is 0.8 to 1.2 times")};
        case Kind::Noise:
            return {QStringLiteral("σ"),
                    QObject::tr("The noise's standard deviation, in the patch's normalized values")};
        case Kind::Blur:
            return {"vx", QObject::tr("The blur's standard deviation, in voxels")};
        case Kind::Brightness:
            return {
                QStringLiteral("±"),
                QObject::tr("The largest change of the values, as a fraction: 0.25 is 0.75 to 1.25 times")};
        case Kind::Gamma:
            return {QStringLiteral("±"),
                    QObject::tr("The largest change of the exponent: 0.3 is a power of 0.7 to 1.3")};
    }
    return {};
}

QString defaultAmountText(Kind kind) {
    return numberText(volume::defaultAmount(static_cast<volume::Augmentation::Kind>(kind)));
}

QString augmentationTip(Kind kind) {
    switch (kind) {
        case Kind::Flip:
            return QObject::tr("Each axis is mirrored with probability p");
        case Kind::Rotate90:
            return QObject::tr("Quarter turns in a plane whose sides are equally long");
        case Kind::Rotate:
            return QObject::tr(
                "Turned about a random axis. The patch is resampled, which takes the longest of these");
        case Kind::Scale:
            return QObject::tr("Scaled about its center. The patch is resampled");
        case Kind::Noise:
            return QObject::tr("Gaussian noise, drawn independently for each voxel");
        case Kind::Blur:
            return QObject::tr("A Gaussian blur");
        case Kind::Brightness:
            return QObject::tr("All values times one factor");
        case Kind::Gamma:
            return QObject::tr("The values raised to a power, within their range");
    }
    return {};
}

}  // namespace highwater::desktop
