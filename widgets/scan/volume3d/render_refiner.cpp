#include "widgets/scan/volume3d/render_refiner.h"

#include <utility>

namespace highwater::widgets {

RenderRefiner::RenderRefiner(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(1);
}

RenderRefiner::~RenderRefiner() {
    cancel();
    pool_.waitForDone();
}

void RenderRefiner::cancel() {
    if (const auto cancelled = std::exchange(cancelled_, nullptr)) {
        *cancelled = true;
    }
}

void RenderRefiner::start(const volume::Volume& volume, const RenderScale& scale, int most) {
    cancel();
    cancelled_ = std::make_shared<std::atomic<bool>>(false);
    most_ = most;
    // `this` outlives the work, because the destructor waits. Qt drops events posted to it after its
    // destruction.
    pool_.start([this, volume, scale, most, cancelled = cancelled_] {
        if (*cancelled) {
            return;
        }
        const auto render = makeRenderVolume(volume, scale, most, *cancelled);
        QMetaObject::invokeMethod(this, [this, render, cancelled] {
            if (*cancelled) {
                return;
            }
            cancelled_ = nullptr;
            emit ready(render);
        });
    });
}

}  // namespace highwater::widgets

#include "moc_render_refiner.cpp"
