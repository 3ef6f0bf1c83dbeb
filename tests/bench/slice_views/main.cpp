// The cost of one move in the three slice views, painted into memory: the crosshair through a volume of 512^3
// int16, the window, the overlay, and slices of 4096 x 4096. Prints processor time as well as wall-clock
// time, because they differ on a busy machine.
#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_view.h"
#include "widgets/theme/theme.h"

namespace {

using namespace highwater;
using widgets::Index3;

volume::Volume made(Index3 size) {
    volume::Header header;
    header.type = volume::VoxelType::I16;
    header.geometry.size = size;
    header.min = 0;
    header.max = 1023;
    auto voxels =
        std::make_shared<std::vector<std::int16_t>>(static_cast<std::size_t>(size[0] * size[1] * size[2]));
    std::uint32_t state = 1;
    for (std::int16_t& v : *voxels) {
        v = static_cast<std::int16_t>((state = state * 1664525U + 1013904223U) >> 22);
    }
    return {header, std::shared_ptr<const std::byte>(voxels, reinterpret_cast<std::byte*>(voxels->data()))};
}

struct Views {
    widgets::ScanScene scene;
    std::vector<std::unique_ptr<widgets::SliceView>> views;
    QImage target;

    Views(const volume::Volume& volume, QSize size) : target(size, QImage::Format_RGB32) {
        for (const auto plane : {volume::Plane::Axial, volume::Plane::Coronal, volume::Plane::Sagittal}) {
            views.push_back(std::make_unique<widgets::SliceView>(scene, plane));
            views.back()->resize(size);
        }
        scene.setVolume(volume);
        scene.setWindow({0, 1023});
        scene.setPatchExtent({96, 96, 96});
    }
    void paint() {
        for (const auto& view : views) {
            view->render(&target);
        }
    }
    void report(const char* what, const std::function<void(int)>& move, int moves = 60) {
        std::vector<double> millis, used;
        for (int n = 0; n < moves; ++n) {
            QElapsedTimer timer;
            timer.start();
            const std::clock_t before = std::clock();
            move(n);
            paint();
            used.push_back(1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
            millis.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
        std::ranges::sort(millis);
        std::ranges::sort(used);
        std::printf("  %-40s processor: median %6.2f ms, worst %6.2f; clock: median %6.2f, worst %6.2f\n",
                    what, used[used.size() / 2], used.back(), millis[millis.size() / 2], millis.back());
    }
};

void measure(const char* name, const volume::Volume& volume, QSize view) {
    std::printf("%s, views of %d x %d\n", name, view.width(), view.height());
    Views v(volume, view);
    const Index3 size = volume.geometry().size;
    v.paint();
    const auto along = [&](int n, std::size_t axis) { return (size[axis] / 4 + 3 * n) % size[axis]; };
    v.report("crosshair across all planes",
             [&](int n) { v.scene.setCursor({along(n, 0), along(n, 1), along(n, 2)}); });
    v.report("crosshair within the axial slice",
             [&](int n) { v.scene.setCursor({along(n, 0), along(n, 1), size[2] / 2}); });
    v.report("patch box", [&](int n) { v.scene.movePatchTo({n, n, n}); });
    v.report("window", [&](int n) { v.scene.setWindow({0, 500.0 + n}); });
    v.scene.setOverlay(made({64, 64, 64}));
    v.report("crosshair across all planes, overlay",
             [&](int n) { v.scene.setCursor({along(n, 0), along(n, 1), along(n, 2)}); });
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    const volume::Volume cube = made({512, 512, 512});
    measure("512 x 512 x 512 int16", cube, {300, 300});
    measure("512 x 512 x 512 int16", cube, {900, 900});
    measure("4096 x 4096 x 8 int16", made({4096, 4096, 8}), {300, 300});
}
