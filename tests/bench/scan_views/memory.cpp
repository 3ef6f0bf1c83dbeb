// How much memory the desktop's scan panel needs for a large scan: scan_memory [MiB]. Writes a sparse
// handover file of that size (2048 by default) with a body in its middle, shows it in a ScanPanel until the
// finest 3D picture is shown, scrolls all three planes from end to end, and prints the process's peak (VmHWM,
// including mapped voxels) and the volume's size. Prints JSON; asserts nothing. Needs a display (xvfb-run)
// for the 3D picture.
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/volume3d/volume_view.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;

/// A line of /proc/self/status in MiB.
double statusMiB(const std::string& field) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(field + ":")) {
            return static_cast<double>(std::atoll(line.c_str() + field.size() + 1)) / 1024;
        }
    }
    return 0;
}

/// Int16, 1024 x 1024 x as many slices as the size requires; a box of tissue in the middle third.
base::Result<volume::Volume> sparseVolume(std::int64_t mib) {
    constexpr std::int64_t kSide = 1024;
    volume::Header h;
    h.format = "bench";
    h.type = volume::VoxelType::I16;
    h.pixelType = "int16";
    h.geometry.size = {kSide, kSide, std::max<std::int64_t>(1, mib / 2)};
    h.geometry.spacing = {0.3, 0.3, 0.3};
    h.max = 900;
    h.mean = 30;
    auto fd = volume::temporaryFile();
    if (!fd) {
        return fd.error();
    }
    const base::Bytes start = volume::voxelStart(h);
    const auto& size = h.geometry.size;
    if (ftruncate(*fd, start + h.geometry.voxels() * 2) != 0) {
        return base::Error{"no room for the sparse file"};
    }
    std::vector<std::int16_t> row(kSide / 3);
    for (std::size_t n = 0; n < row.size(); ++n) {
        row[n] = static_cast<std::int16_t>(600 + 300 * std::sin(static_cast<double>(n) / 20));
    }
    for (std::int64_t k = size[2] / 3; k < size[2] * 2 / 3; ++k) {
        for (std::int64_t j = kSide / 3; j < kSide * 2 / 3; ++j) {
            const base::Bytes at = start + 2 * ((k * size[1] + j) * size[0] + kSide / 3);
            if (auto written = volume::writeAt(*fd, std::as_bytes(std::span(row)), at); !written) {
                return written.error();
            }
        }
    }
    if (auto written = volume::writeVolumeHeader(*fd, h, start); !written) {
        return written.error();
    }
    auto mapped = volume::mapVolume(*fd, "sparse");
    close(*fd);
    return mapped;
}

bool waitUntil(const std::function<bool()>& met, int ms = 300000) {
    QElapsedTimer clock;
    clock.start();
    while (!met()) {
        if (clock.elapsed() > ms) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    widgets::applyTheme(app, widgets::ThemeMode::Dark);
    const std::int64_t mib = argc > 1 ? std::max(2, std::atoi(argv[1])) : 2048;
    auto volume = sparseVolume(mib);
    if (!volume) {
        std::fprintf(stderr, "%s\n", volume.error().message.c_str());
        return 1;
    }
    widgets::ScanPanel panel;
    panel.resize(1000, 900);
    panel.show();
    QCoreApplication::processEvents();
    const double empty = statusMiB("VmHWM");
    QElapsedTimer clock;
    clock.start();
    const auto size = volume->geometry().size;
    const double bytes = static_cast<double>(size[0] * size[1] * size[2]) * 2 / 1048576;
    panel.setVolume(*volume);
    panel.setPatchExtent({96, 96, 96});
    QCoreApplication::processEvents();
    panel.grab();
    const double slicesMs = static_cast<double>(clock.elapsed());
    const bool settled = waitUntil([&] { return panel.settled(); });
    const double settledMs = static_cast<double>(clock.elapsed());
    const double prepared = statusMiB("VmHWM");
    auto* const scene = panel.findChild<widgets::ScanScene*>();
    for (int n = 0; n <= 40; ++n) {
        scene->setCursor({size[0] * n / 40, size[1] * n / 40, size[2] * n / 40});
        panel.grab();
    }
    const double peak = statusMiB("VmHWM");
    std::printf(
        "{\"volume_mib\": %.0f, \"opengl\": %s, \"settled\": %s, \"slices_after_ms\": %.0f, "
        "\"settled_after_ms\": %.0f, \"empty_panel_mib\": %.0f, \"peak_prepared_mib\": %.0f, "
        "\"peak_mib\": %.0f, \"peak_over_volume\": %.3f, \"prepared_over_volume\": %.3f}\n",
        bytes, panel.findChild<widgets::VolumeView*>()->available() ? "true" : "false",
        settled ? "true" : "false", slicesMs, settledMs, empty, prepared, peak, peak / bytes,
        prepared / bytes);
    return 0;
}
