#include "core/base/text.h"
#include "core/capture/snapshot_pen.h"

namespace highwater::capture {

namespace {

/// The number of the file's events before each step.
std::vector<std::int64_t> eventsBefore(const memory::Trace& trace) {
    std::vector<std::int64_t> before;
    std::int64_t count = 0;
    std::size_t at = 0;
    for (const memory::TraceStep& step : trace.steps) {
        for (; at < step.event; ++at) {
            count += trace.events[at].kind != memory::TraceEvent::Kind::Retag;
        }
        before.push_back(count);
    }
    return before;
}

std::int64_t timeOf(const SnapshotPen& pen, std::size_t event) {
    const auto& events = pen.trace.events;
    return events.empty() ? 0 : pen.stamp(events[std::min(event, events.size() - 1)].time);
}

}  // namespace

/// Writes PyTorch's default settings.
void writeSettings(SnapshotPen& pen) {
    pen.pickle.emptyDict();
    pen.pickle.mark();
    pen.item("PYTORCH_CUDA_ALLOC_CONF", std::string_view());
    pen.item("max_split_size", std::int64_t{-1});
    pen.pickle.text("garbage_collection_threshold");
    pen.pickle.real(0);
    pen.item("expandable_segments", false);
    pen.item("pinned_num_register_threads", std::int64_t{1});
    pen.item("release_lock_on_cudamalloc", false);
    pen.item("pinned_use_cuda_host_register", false);
    pen.pickle.text("roundup_power2_divisions");
    pen.pickle.emptyDict();
    pen.pickle.mark();
    for (int interval = 0; interval < 16; ++interval) {
        pen.item(std::to_string(1 << interval), std::int64_t{0});
    }
    pen.pickle.setItems();
    pen.pickle.setItems();
}

/// Writes the steps as torch.profiler names them.
void writeAnnotations(SnapshotPen& pen) {
    const auto& steps = pen.trace.steps;
    SharedText stage{"stage"}, name{"name"}, device{"device"};
    pen.list(2 * steps.size(), [&](std::size_t i) {
        const std::size_t step = i / 2;
        const bool ends = i % 2 == 1;
        const std::size_t end = step + 1 < steps.size() ? steps[step + 1].event : pen.trace.events.size();
        pen.pickle.emptyDict();
        pen.pickle.mark();
        pen.pickle.text(stage);
        pen.pickle.text(ends ? "END" : "START");
        pen.pickle.text(name);
        pen.pickle.text("ProfilerStep#" + std::to_string(steps[step].index));
        pen.item(device, 0);
        pen.item(pen.time, timeOf(pen, ends ? end : steps[step].event));
        pen.pickle.setItems();
    });
}

void writeOwn(SnapshotPen& pen) {
    const memory::Trace& trace = pen.trace;
    const std::vector<std::int64_t> before = eventsBefore(trace);
    pen.pickle.emptyDict();
    pen.pickle.mark();
    pen.item("title", std::string_view(base::oneLine(trace.title, 1000)));
    pen.item("timed", trace.timed);
    pen.pickle.text("layers");
    pen.list(trace.layers.size(), [&](std::size_t i) { pen.pickle.text(base::oneLine(trace.layers[i])); });
    pen.pickle.text("steps");
    pen.list(trace.steps.size(), [&](std::size_t i) {
        pen.pickle.integer(before[i]);
        pen.pickle.integer(trace.steps[i].index);
        pen.pickle.pair();
    });
    pen.pickle.setItems();
}

}  // namespace highwater::capture
