#include <fmt/format.h>

#include "core/capture/snapshot_fields.h"
#include "core/capture/snapshot_trace.h"

namespace highwater::capture {

using Kind = Value::Kind;

base::Result<SnapshotContents> snapshotContents(const SnapshotRecords& records, Value root) {
    if (root.is(Kind::List)) {
        return base::Error{
            "holds a list; a snapshot with a history is a dictionary, as torch.cuda.memory._dump_snapshot() "
            "writes it"};
    }
    if (!root.is(Kind::Dictionary)) {
        return base::Error{"is no memory snapshot: it holds no dictionary of segments and device_traces"};
    }
    for (const std::string_view key : {"segments", "device_traces"}) {
        if (!records.find(root, key).is(Kind::List)) {
            return base::Error{fmt::format("is no memory snapshot: it has no list \"{}\"", key)};
        }
    }
    SnapshotContents contents;
    contents.devices = records.listAt(records.find(root, "device_traces"));
    contents.own = records.find(root, kOwnKey);
    std::size_t most = 0;
    for (std::size_t i = 0; i < contents.devices.size(); ++i) {
        const Value device = contents.devices[i];
        const std::size_t events = device.is(Kind::List) ? records.listAt(device).size() : 0;
        if (events <= most) {
            continue;
        }
        most = events;
        contents.device = static_cast<int>(i);
    }
    return contents;
}

}  // namespace highwater::capture
