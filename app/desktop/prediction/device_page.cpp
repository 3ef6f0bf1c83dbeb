#include "app/desktop/prediction/device_page.h"

#include <QSettings>
#include <algorithm>

#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/window/text.h"
#include "core/base/text.h"
#include "core/hosts/hosts.h"

namespace highwater::desktop {

namespace {

constexpr auto kSetting = "run/gpu";  // the UUID; empty: the CPU

/// "RTX 4090"; of several alike "RTX 4090 (1)", with nvidia-smi's number.
QString titleOf(const devices::GpuHere& here, const std::vector<devices::GpuHere>& all) {
    QString name = text(here.gpu.name).remove("NVIDIA ").remove("GeForce ").remove("Tesla ");
    if (name.isEmpty()) {
        name = QStringLiteral("GPU");
    }
    const auto alike = std::count_if(all.begin(), all.end(), [&](const devices::GpuHere& other) {
        return other.gpu.name == here.gpu.name;
    });
    return alike > 1 ? QString("%1 (%2)").arg(name).arg(here.gpu.index) : name;
}

QString detailsOf(const devices::GpuHere& here) {
    QString details = text(here.gpu.name);
    if (here.gpu.memory > 0) {
        details += ", " + text(base::formatBytes(here.gpu.memory));
    }
    if (here.use) {
        details +=
            QString(" (%1 in use when Highwater started)").arg(text(base::formatBytes(here.use->used)));
    }
    return details;
}

std::vector<widgets::DeviceChoice> choicesOf(const devices::GpusHere& here) {
    std::vector<widgets::DeviceChoice> choices;
    for (const devices::GpuHere& gpu : here.gpus) {
        choices.push_back({text(gpu.id), titleOf(gpu, here.gpus), detailsOf(gpu), text(gpu.whyNot)});
    }
    return choices;
}

/// Which GPU a host has is not known here, nor whether it has one.
void addHosts(std::vector<widgets::DeviceChoice>& choices) {
    const auto list = hosts::readHosts(hosts::hostsFile());
    for (const hosts::Host& host : list ? *list : std::vector<hosts::Host>()) {
        const QString name = text(host.name),
                      where = QObject::tr("on %1, through ssh").arg(text(host.destination));
        choices.push_back({"cuda", name + ": GPU", QObject::tr("The first GPU ") + where, {}, name});
        choices.push_back({"cpu", name + ": CPU", QObject::tr("The CPU ") + where, {}, name});
    }
}

/// The engine's LibTorch, as far as it decides: "2.11".
QString engineTorch() {
    const auto engine = predict::engineVersions();
    const auto version = engine ? predict::parseTorchVersion(engine->libtorch) : engine.error();
    return version ? text(predict::toText(*version)) : QString();
}

}  // namespace

DevicePage::DevicePage(widgets::ControlBar& controls, PredictionPage& predictions, Look look, QObject* parent)
    : QObject(parent), controls_(controls), predictions_(predictions), look_(std::move(look)) {
    connect(&controls_, &widgets::ControlBar::runOptionsChanged, this,
            [this](const widgets::RunOptions& options) {
                if (!options.host.isEmpty()) {
                    device_.clear();  // what is predicted for stays
                } else if (options.device != device_) {
                    follow(options.device);
                }
            });
}

void DevicePage::look() {
    if (looking_) {
        return;
    }
    looking_ = true;
    worker_.run(look_, this, [this](devices::GpusHere here) {
        looking_ = false;
        take(std::move(here));
    });
}

void DevicePage::take(devices::GpusHere here) {
    here_ = std::move(here);
    auto choices = choicesOf(here_);
    addHosts(choices);
    controls_.setDevices(choices);
    if (remembers_) {
        restore();
    }
}

void DevicePage::restore() {
    const std::string uuid = QSettings().value(kSetting).toString().toStdString();
    for (const devices::GpuHere& gpu : here_.gpus) {
        if (!uuid.empty() && gpu.gpu.uuid == uuid && gpu.whyNot.empty()) {
            widgets::RunOptions options = controls_.runOptions();
            options.device = text(gpu.id);
            controls_.setRunOptions(options);
            follow(options.device);
        }
    }
}

const devices::GpuHere* DevicePage::gpuOf(const QString& device) const {
    for (const devices::GpuHere& gpu : here_.gpus) {
        if (!device.isEmpty() && text(gpu.id) == device) {
            return &gpu;
        }
    }
    return nullptr;
}

/// A target that the device before did not bring was chosen by somebody: it stays.
void DevicePage::follow(const QString& device) {
    device_ = device;
    const devices::GpuHere* gpu = gpuOf(device);
    if (remembers_) {
        QSettings().setValue(kSetting, gpu ? text(gpu->gpu.uuid) : QString());
    }
    if (gpu && gpu->profile.empty()) {
        emit notice(NoticeBar::Kind::Info,
                    tr("There is no profile of %1 to predict with: the prediction is still for %2.")
                        .arg(text(gpu->gpu.name), controls_.target().title()));
        return;
    }
    const bool own = controls_.target().choice().id != followed_;
    followed_ = gpu ? text(gpu->profile) : QStringLiteral("cpu");
    if (!own) {
        predictions_.predictFor({followed_, gpu ? engineTorch() : QString(), {}});
    }
}

}  // namespace highwater::desktop

#include "moc_device_page.cpp"
