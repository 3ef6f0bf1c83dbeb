#include "core/capture/snapshot_pen.h"

namespace highwater::capture {

base::Status writeSnapshot(const memory::Trace& trace, std::ostream& out, const Progress& progress) {
    const auto layout = HIGHWATER_TRY(layOut(trace));
    Output output(out, progress, trace.events.size() / PickleWriter::kBatch * 2 + 4);
    SnapshotPen pen(trace, output);
    pen.pickle.emptyDict();
    pen.pickle.mark();
    pen.pickle.text("segments");
    writeSegments(pen, layout);
    pen.pickle.text("device_traces");
    writeDeviceTraces(pen, layout);
    pen.pickle.text("allocator_settings");
    writeSettings(pen);
    pen.pickle.text("external_annotations");
    writeAnnotations(pen);
    pen.pickle.text(kOwnKey);
    writeOwn(pen);
    pen.pickle.setItems();
    pen.pickle.stop();
    return output.finish();
}

}  // namespace highwater::capture
