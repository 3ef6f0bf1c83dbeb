#include "app/desktop/prediction/device_page.h"

#include <QSettings>
#include <algorithm>
#include <utility>

#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/run_controller.h"
#include "core/base/text.h"
#include "core/hosts/hosts.h"
#include "core/hosts/known.h"
#include "core/python/trainer.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr auto kSetting = "run/gpu";  // the UUID; empty: the CPU

/// "RTX 4090"; if there are several of the kind, "RTX 4090 (1)", with nvidia-smi's number.
QString titleOf(const std::string& gpu, int number, std::ptrdiff_t alike) {
    QString name = widgets::fromUtf8(gpu).remove("NVIDIA ").remove("GeForce ").remove("Tesla ");
    if (name.isEmpty()) {
        name = QStringLiteral("GPU");
    }
    return alike > 1 ? QString("%1 (%2)").arg(name).arg(number) : name;
}

QString detailsOf(const devices::GpuHere& here) {
    QString details = widgets::fromUtf8(here.gpu.name);
    if (here.gpu.memory > 0) {
        details += ", " + widgets::fromUtf8(base::formatBytes(here.gpu.memory));
    }
    if (here.use) {
        details += QString(" (%1 in use when Highwater started)")
                       .arg(widgets::fromUtf8(base::formatBytes(here.use->used)));
    }
    return details;
}

std::vector<DeviceChoice> choicesOf(const devices::GpusHere& here) {
    std::vector<DeviceChoice> choices;
    for (const devices::GpuHere& gpu : here.gpus) {
        const auto alike =
            std::ranges::count(here.gpus, gpu.gpu.name, [](const auto& g) { return g.gpu.name; });
        choices.push_back({widgets::fromUtf8(gpu.id), titleOf(gpu.gpu.name, gpu.gpu.index, alike),
                           detailsOf(gpu), widgets::fromUtf8(gpu.whyNot)});
    }
    return choices;
}

/// The GPUs of a host. Before its first check they are unknown, and so is whether there are any.
void addGpusOf(const hosts::Host& host, const QString& where, std::vector<DeviceChoice>& choices) {
    const QString name = widgets::fromUtf8(host.name);
    const auto known = hosts::knownOf(host);
    if (!known) {
        choices.push_back(
            {"cuda",
             name + ": GPU",
             QObject::tr("The first GPU %1; check it in Run > Hosts… to see its GPUs").arg(where),
             {},
             name});
        return;
    }
    for (std::size_t i = 0; i < known->gpus.size(); ++i) {
        const hosts::HostFacts::Gpu& gpu = known->gpus[i];
        const auto alike = std::ranges::count(known->gpus, gpu.name, &hosts::HostFacts::Gpu::name);
        QString details = widgets::fromUtf8(gpu.name);
        if (gpu.memory > 0) {
            details += ", " + widgets::fromUtf8(base::formatBytes(gpu.memory));
        }
        choices.push_back({QString("cuda:%1").arg(i),
                           name + ": " + titleOf(gpu.name, static_cast<int>(i), alike),
                           details + ' ' + where,
                           {},
                           name});
    }
}

void addHosts(std::vector<DeviceChoice>& choices) {
    const auto list = hosts::readHosts(hosts::hostsFile());
    for (const hosts::Host& host : list ? *list : std::vector<hosts::Host>()) {
        const QString name = widgets::fromUtf8(host.name),
                      where =
                          host.destination == hosts::kHere
                              ? QObject::tr("on this machine, with the engine built for it")
                              : QObject::tr("on %1, through ssh").arg(widgets::fromUtf8(host.destination));
        addGpusOf(host, where, choices);
        choices.push_back({"cpu", name + ": CPU", QObject::tr("The CPU ") + where, {}, name});
    }
}

/// The devices of this machine through a Python's own PyTorch.
void addPython(const wire::PythonSource& python, const devices::GpusHere& here,
               std::vector<DeviceChoice>& choices) {
    const QString torch = ", PyTorch " + widgets::fromUtf8(python.torch.substr(0, python.torch.find('+'))),
                  through =
                      QObject::tr("through PyTorch %1 of %2; nothing is compiled")
                          .arg(widgets::fromUtf8(python.torch), widgets::fromUtf8(python.python.string()));
    for (const DeviceChoice& gpu : choicesOf(here)) {
        choices.push_back(
            {gpu.id, gpu.title + torch, gpu.details + ' ' + through, gpu.whyNot, kThroughPython});
    }
    choices.push_back({"cpu", "CPU" + torch, QObject::tr("The CPU ") + through, {}, kThroughPython});
    choices.push_back({"cuda",
                       QObject::tr("pretended") + torch,
                       QObject::tr("The GPU under Predict for, pretended: nothing is executed, ") + through,
                       {},
                       kPretended});
}

/// The part of a LibTorch version that matters: "2.11"; empty if it is not a version.
QString shortTorch(const std::string& libtorch) {
    const auto version = predict::parseTorchVersion(libtorch);
    return version ? widgets::fromUtf8(predict::toText(*version)) : QString();
}

QString engineTorch() {
    const auto engine = predict::engineVersions();
    return engine ? shortTorch(engine->libtorch) : QString();
}

}  // namespace

DevicePage::DevicePage(ControlBar& controls, PredictionPage& predictions, Look look, QObject* parent)
    : QObject(parent), controls_(controls), predictions_(predictions), look_(std::move(look)) {
    connect(&controls_, &ControlBar::runOptionsChanged, this, [this](const RunOptions& options) {
        if (!options.host.isEmpty()) {
            followHost(options);
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

void DevicePage::lookForPython() {
    worker_.run([] { return python::findTrainer({}); }, this,
                [this](base::Result<wire::PythonSource> found) {
                    if (found) {
                        python_ = std::move(*found);
                        offer();
                    }
                });
}

void DevicePage::take(devices::GpusHere here) {
    here_ = std::move(here);
    offer();
}

void DevicePage::offer() {
    auto choices = choicesOf(here_);
    if (python_) {
        addPython(*python_, here_, choices);
    }
    addHosts(choices);
    nameFirstGpu(choices);
    controls_.setDevices(choices);
    if (remembers_) {
        restore();
    }
}

/// Gives "the first GPU" of a host, selected before the host's check, its number.
void DevicePage::nameFirstGpu(const std::vector<DeviceChoice>& choices) {
    RunOptions options = controls_.runOptions();
    const bool numbered = std::ranges::any_of(choices, [&](const DeviceChoice& choice) {
        return choice.host == options.host && choice.id == "cuda:0";
    });
    if (!options.host.isEmpty() && options.device == "cuda" && numbered) {
        options.device = "cuda:0";
        controls_.setRunOptions(options);
    }
    if (!options.host.isEmpty()) {
        followHost(options);
    }
}

void DevicePage::restore() {
    const std::string uuid = QSettings().value(kSetting).toString().toStdString();
    for (const devices::GpuHere& gpu : here_.gpus) {
        if (!uuid.empty() && gpu.gpu.uuid == uuid && gpu.whyNot.empty()) {
            RunOptions options = controls_.runOptions();
            options.device = widgets::fromUtf8(gpu.id);
            controls_.setRunOptions(options);
            follow(options.device);
        }
    }
}

const devices::GpuHere* DevicePage::gpuOf(const QString& device) const {
    for (const devices::GpuHere& gpu : here_.gpus) {
        if (!device.isEmpty() && widgets::fromUtf8(gpu.id) == device) {
            return &gpu;
        }
    }
    return nullptr;
}

/// A target that does not come from the previous device was chosen by the user, and is kept.
void DevicePage::follow(const QString& device) {
    device_ = device;
    const devices::GpuHere* gpu = gpuOf(device);
    if (remembers_) {
        QSettings().setValue(kSetting, gpu ? widgets::fromUtf8(gpu->gpu.uuid) : QString());
    }
    if (gpu && gpu->profile.empty()) {
        emit notice(widgets::NoticeBar::Kind::Info,
                    tr("There is no profile of %1; the prediction is still for %2.")
                        .arg(widgets::fromUtf8(gpu->gpu.name), controls_.target().title()));
        return;
    }
    predictFor(
        {gpu ? widgets::fromUtf8(gpu->profile) : QStringLiteral("cpu"), gpu ? engineTorch() : QString(), {}});
}

void DevicePage::predictFor(const TargetChoice& target) {
    const bool own = controls_.target().choice().id != followed_;
    followed_ = target.id;
    if (!own) {
        TargetChoice next = target;
        next.others = controls_.target().choice().others;  // the new device does not determine it
        predictions_.predictFor(next);
    }
}

/// The target stays the same if nothing is known about the host's GPUs.
void DevicePage::followHost(const RunOptions& options) {
    const QString device = options.host + '/' + options.device;
    const auto host = hosts::findHost(hosts::hostsFile(), options.host.toStdString());
    const auto known = host ? hosts::knownOf(*host) : std::nullopt;
    const auto index = options.device.section(':', 1).toUInt();
    if (std::exchange(device_, device) == device) {
        return;
    }
    if (options.device == "cpu") {
        predictFor({});
        return;
    }
    if (!known || index >= known->gpus.size()) {
        return;
    }
    const hosts::HostFacts::Gpu& gpu = known->gpus[index];
    const auto profiles = predict::loadProfiles();
    const auto* profile = profiles ? predict::profileOf(*profiles, gpu.name, gpu.memory) : nullptr;
    if (!profile) {
        emit notice(widgets::NoticeBar::Kind::Info,
                    tr("There is no profile of %1; the prediction is still for %2.")
                        .arg(widgets::fromUtf8(gpu.name), controls_.target().title()));
        return;
    }
    predictFor({widgets::fromUtf8(profile->id), shortTorch(known->torch), {}});
    emit notice(widgets::NoticeBar::Kind::Info,
                tr("%1 has %2: the prediction is for %3.")
                    .arg(options.host, widgets::fromUtf8(gpu.name), controls_.target().title()));
}

}  // namespace highwater::desktop

#include "moc_device_page.cpp"
