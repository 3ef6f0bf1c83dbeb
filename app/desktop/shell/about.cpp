#include "app/desktop/shell/about.h"

#include <QGuiApplication>
#include <QSysInfo>
#include <QtGlobal>

#include "core/base/processor.h"
#include "core/base/text.h"
#include "core/nvml/nvml.h"
#include "core/predict/target/target.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {
namespace {

struct Linked {
    const char *name, *version, *license;
};
constexpr Linked kLinked[] = {
#include "about_libraries.inc"
};
constexpr const char* kCommit =
#include "about_commit.inc"
    ;

QString lines(const std::vector<AboutPart>& parts) {
    QString out;
    for (const AboutPart& part : parts) {
        out += QStringLiteral("%1: %2\n").arg(part.name, part.version);
    }
    return out;
}

}  // namespace

QString aboutVersion() {
    const QString commit(kCommit);
    return commit.isEmpty() ? QStringLiteral(HIGHWATER_VERSION)
                            : QObject::tr("%1, commit %2").arg(HIGHWATER_VERSION, commit);
}

std::vector<AboutPart> aboutLibraries() {
    std::vector<AboutPart> parts;
    if (const auto engine = predict::engineVersions()) {
        const auto addEngine = [&parts](const char* name, const std::string& version, const char* license) {
            if (!version.empty()) {
                parts.push_back({name, widgets::fromUtf8(version), license});
            }
        };
        addEngine("LibTorch", engine->libtorch, "BSD-3-Clause");
        addEngine("oneDNN", engine->onednn, "Apache-2.0");
        addEngine("CUDA", engine->cuda, "NVIDIA's");
        addEngine("cuDNN", engine->cudnn, "NVIDIA's");
    }
    parts.push_back({"Qt", qVersion(), "LGPL-3.0-only or GPL"});
    for (const Linked& each : kLinked) {
        parts.push_back({each.name, each.version, each.license});
    }
    return parts;
}

std::vector<AboutPart> aboutMachine() {
    const int count = base::defaultThreads();
    const QString threads = count == 1 ? QObject::tr("1 thread") : QObject::tr("%n threads", nullptr, count);
    std::vector<AboutPart> parts = {
        {QObject::tr("System"),
         QSysInfo::prettyProductName() + ", " + QSysInfo::kernelType() + ' ' + QSysInfo::kernelVersion(),
         {}},
        {QObject::tr("Display"), QGuiApplication::platformName(), {}},
        {QObject::tr("Processor"),
         QStringLiteral("%1, %2, %3")
             .arg(widgets::fromUtf8(base::processorName()), widgets::fromUtf8(base::instructionSet()),
                  threads),
         {}},
        {QObject::tr("Memory"), widgets::fromUtf8(base::formatBytes(base::machineMemory())), {}}};
    if (const auto gpus = nvml::gpus()) {
        for (const nvml::Gpu& gpu : *gpus) {
            parts.push_back({"GPU", widgets::fromUtf8(gpu.name), {}});
        }
        if (const std::string driver = nvml::driverVersion(); !driver.empty()) {
            parts.push_back({QObject::tr("NVIDIA driver"), widgets::fromUtf8(driver), {}});
        }
    }
    return parts;
}

QString aboutText(const std::vector<AboutPart>& libraries, const std::vector<AboutPart>& machine) {
    return QStringLiteral("Highwater %1\n\n").arg(aboutVersion()) + lines(machine) + '\n' + lines(libraries);
}

}  // namespace highwater::desktop
