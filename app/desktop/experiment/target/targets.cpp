#include "app/desktop/experiment/target/targets.h"

#include "core/base/text.h"
#include "core/predict/tables/profile.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// Releases of LibTorch, newest first.
QStringList torchVersions() {
    return {"2.15", "2.14", "2.13", "2.12", "2.11", "2.10", "2.9", "2.8", "2.7",
            "2.6",  "2.5",  "2.4",  "2.3",  "2.2",  "2.1",  "2.0", "1.13"};
}
/// Releases of cuDNN that LibTorch's wheels bring, and those just before and after its cliffs, newest first.
QStringList cudnnVersions() {
    return {"9.26", "9.24", "9.20", "9.19", "9.15", "9.14",  "9.10.2",
            "9.8",  "9.7",  "9.3",  "9.2",  "9.1",  "8.9.7", "8.5"};
}

}  // namespace

QString shortDeviceName(const std::string& name) {
    return widgets::fromUtf8(name).remove("NVIDIA ").remove("GeForce ");
}

QString offerGpus(QComboBox& box) {
    const auto profiles = predict::loadProfiles();
    if (!profiles) {
        return widgets::fromUtf8(profiles.error().message);
    }
    for (const predict::DeviceProfile& profile : *profiles) {
        box.addItem(shortDeviceName(profile.name), widgets::fromUtf8(profile.id));
    }
    return {};
}

QString offerTargets(TargetField& field) {
    std::vector<TargetItem> items;
    const auto profiles = predict::loadProfiles();
    if (profiles) {
        for (const predict::DeviceProfile& profile : *profiles) {
            items.push_back({widgets::fromUtf8(profile.id), shortDeviceName(profile.name)});
        }
    }
    field.setTargets(items);
    showDefaultCudnn(field);
    return profiles ? QString() : widgets::fromUtf8(profiles.error().message);
}

void offerVersions(TargetField& field) {
    field.setVersions(torchVersions(), widgets::fromUtf8(predict::toText(predict::kDefaultTorch)),
                      cudnnVersions());
}

void showDefaultCudnn(TargetField& field) {
    const auto version = predict::parseTorchVersion(field.choice().libtorch.toStdString());
    field.setDefaultCudnn(widgets::fromUtf8(
        predict::toText(predict::bundledCudnn(version ? *version : predict::kDefaultTorch))));
}

void showContext(TargetField& field) {
    const auto profile = predict::loadProfile(field.choice().id.toStdString());
    if (!profile) {
        return;
    }
    using Kept = predict::DeviceProfile::Kept;
    const predict::Estimate& context = profile->context;
    const bool given = profile->contextKept == Kept::Given;
    const QString low = widgets::fromUtf8(base::formatBytes(context.low)),
                  high = widgets::fromUtf8(base::formatBytes(context.high));
    const QString size = low == high ? low : QObject::tr("%1 to %2").arg(low, high);
    field.setContext(given ? std::optional(context.expected) : std::nullopt,
                     given                                    ? QString()
                     : profile->contextKept == Kept::Measured ? QObject::tr("%1, measured here").arg(size)
                                                              : size);
}

}  // namespace highwater::desktop
