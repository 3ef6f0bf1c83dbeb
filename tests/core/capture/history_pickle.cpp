#include "tests/core/capture/history_pickle.h"

#include "core/capture/pickle_writer.h"

namespace highwater::test {

namespace {

using namespace capture;
using memory::TorchVersion;

class HistoryPen {
public:
    HistoryPen(std::string& out, const PickleOf& options)
        : pen_(out), release_(options.release), stacks_(options.stacks) {}

    void write(const History& history, bool asList) {
        if (asList) {
            segments(history);
            pen_.stop();
            return;
        }
        pen_.emptyDict();
        pen_.mark();
        pen_.text("segments");
        segments(history);
        pen_.text("device_traces");
        list(history.devices, [&](const DeviceHistory& device) {
            list(device.events, [&](const HistoryEvent& each) { event(each); });
        });
        if (history.settings && since(2, 3)) {
            settings(*history.settings);
        }
        if (since(2, 5)) {
            pen_.text("external_annotations");
            pen_.emptyList();
        }
        pen_.setItems();
        pen_.stop();
    }

private:
    bool since(int major, int minor) const { return release_ >= TorchVersion{major, minor}; }

    template <class Items, class Write>
    void list(const Items& items, Write write) {
        pen_.emptyList();
        for (const auto& item : items) {
            pen_.mark();
            write(item);
            pen_.appends();
        }
        pen_.rest();
    }

    void item(std::string_view key, std::int64_t value) {
        pen_.text(key);
        pen_.integer(value);
    }
    void item(std::string_view key, std::string_view value) {
        pen_.text(key);
        pen_.text(value);
    }
    void pool(std::string_view key, PoolId pool) {
        pen_.text(key);
        pen_.integer(pool.first);
        pen_.integer(pool.second);
        pen_.pair();
    }

    void segments(const History& history) {
        pen_.emptyList();
        for (const DeviceHistory& device : history.devices) {
            for (const HistorySegment& each : device.segments) {
                pen_.mark();
                segment(each, device.device);
                pen_.appends();
            }
        }
    }

    void segment(const HistorySegment& segment, std::int64_t device) {
        pen_.emptyDict();
        pen_.mark();
        item("device", device);
        item("address", static_cast<std::int64_t>(segment.address));
        item("total_size", segment.size);
        item("stream", static_cast<std::int64_t>(segment.stream));
        item("segment_type", segment.small ? "small" : "large");
        if (since(2, 1)) {
            pen_.text("is_expandable");
            pen_.boolean(segment.expandable);
            pool("segment_pool_id", segment.pool);
        }
        pen_.text("blocks");
        list(segment.blocks, [&](const HistoryBlock& each) { block(each); });
        pen_.setItems();
    }

    void block(const HistoryBlock& block) {
        constexpr const char* states[] = {"active_allocated", "active_pending_free", "inactive"};
        pen_.emptyDict();
        pen_.mark();
        if (since(2, 1)) {
            item("address", static_cast<std::int64_t>(block.address));
        }
        item("size", block.size);
        item("requested_size", block.requested);
        item("state", states[static_cast<std::size_t>(block.state)]);
        if (block.state != HistoryBlock::State::Free) {
            frames();
        }
        pen_.setItems();
    }

    void event(const HistoryEvent& event) {
        constexpr const char* actions[] = {"a kind of the future",
                                           "alloc",
                                           "free_requested",
                                           "free_completed",
                                           "segment_alloc",
                                           "segment_free",
                                           "segment_map",
                                           "segment_unmap",
                                           "oom",
                                           "snapshot"};
        pen_.emptyDict();
        pen_.mark();
        item("action", actions[static_cast<std::size_t>(event.kind)]);
        item(event.kind == HistoryEvent::Kind::OutOfMemory ? "device_free" : "addr",
             static_cast<std::int64_t>(event.address));
        item("size", event.size);
        item("stream", static_cast<std::int64_t>(event.stream));
        if (since(2, 2)) {
            item("time_us", event.time);
        }
        if (event.kind == HistoryEvent::Kind::Allocate || event.kind == HistoryEvent::Kind::OutOfMemory) {
            frames();
        }
        if (since(2, 8)) {
            item("compile_context", "N/A");
        }
        if (since(2, 10)) {
            item("user_metadata", "");
        }
        if (since(2, 12)) {
            pool("pool_id", event.pool);
        }
        pen_.setItems();
    }

    void settings(const HistorySettings& settings) {
        pen_.text("allocator_settings");
        pen_.emptyDict();
        pen_.mark();
        item("PYTORCH_CUDA_ALLOC_CONF", settings.text);
        item("max_split_size", settings.maxSplitSize == memory::kUnlimited ? -1 : settings.maxSplitSize);
        pen_.text("garbage_collection_threshold");
        pen_.real(0);
        pen_.text("expandable_segments");
        pen_.boolean(settings.expandableSegments);
        pen_.text("roundup_power2_divisions");
        pen_.emptyDict();
        pen_.mark();
        for (std::size_t i = 0; i < settings.roundupDivisions.size(); ++i) {
            item(std::to_string(std::int64_t{1} << i), settings.roundupDivisions[i]);
        }
        pen_.setItems();
        pen_.setItems();
    }

    void frames() {
        if (stacks_.empty()) {
            return;
        }
        pen_.text("frames");
        list(stacks_[next_++ % stacks_.size()], [&](const memory::StackFrame& frame) {
            pen_.emptyDict();
            pen_.mark();
            item("name", frame.function);
            item("filename", frame.file);
            item("line", frame.line);
            pen_.setItems();
        });
    }

    PickleWriter pen_;
    TorchVersion release_;
    const std::vector<std::vector<memory::StackFrame>>& stacks_;
    std::size_t next_ = 0;
};

}  // namespace

std::string pickled(const History& history, const PickleOf& options) {
    std::string out;
    HistoryPen(out, options).write(history, options.asList);
    return out;
}

}  // namespace highwater::test
