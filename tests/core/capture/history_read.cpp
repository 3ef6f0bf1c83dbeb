#include "tests/core/capture/history_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/capture/pickle_reader.h"
#include "core/capture/snapshot_trace.h"
#include "core/capture/snapshot_words.h"

namespace highwater::capture {

namespace {

using memory::TorchVersion;
using words::bit;

/// Builds a History from the records of a snapshot.
class HistoryBuilder {
public:
    HistoryBuilder(const SnapshotRecords& records, const PickleStore& store, base::MemoryBudget& budget)
        : records_(records), store_(store), budget_(budget) {}

    base::Result<History> build(Value root) {
        auto contents = HIGHWATER_TRY(snapshotContents(records_, root, budget_));
        history_.own = contents.own.is(Kind::Dictionary);
        takeEvents(contents.traces);
        for (auto& [number, segment] : historySegments(records_, store_, contents.segments)) {
            device(number).segments.push_back(std::move(segment));
        }
        if (root.is(Kind::List)) {
            findTorch(false);
            history_.torch.last.reset();
            return finish();
        }
        takeSettings(records_.find(root, "allocator_settings"));
        findTorch(!records_.find(root, "external_annotations").is(Kind::Unset));
        return finish();
    }

private:
    using Kind = Value::Kind;

    /// Without the parts that depend on stacks, which a History does not have.
    base::Result<History> finish() {
        std::ranges::sort(history_.devices, {}, &DeviceHistory::device);
        for (DeviceHistory& each : history_.devices) {
            for (HistorySegment& segment : each.segments) {
                for (HistoryBlock& block : segment.blocks) {
                    block.stack = -1;
                }
            }
        }
        return std::move(history_);
    }

    void takeEvents(const std::vector<Value>& devices) {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            DeviceHistory& made = device(static_cast<std::int64_t>(i));
            if (!devices[i].is(Kind::List)) {
                continue;
            }
            for (const Value item : records_.listAt(devices[i])) {
                if (item.is(Kind::Event)) {
                    made.events.push_back(historyEvent(records_, store_, records_.events[item.payload()]));
                    made.events.back().stack = -1;
                    timed_ = timed_ || made.events.back().time >= 0;
                }
            }
        }
    }

    /// The device with this number; a device without a list of events is added.
    DeviceHistory& device(std::int64_t number) {
        const auto [place, fresh] = places_.try_emplace(number, history_.devices.size());
        if (fresh) {
            history_.devices.emplace_back().device = number;
        }
        return history_.devices[place->second];
    }

    void takeSettings(Value settings) {
        if (!settings.is(Kind::Dictionary)) {
            return;
        }
        HistorySettings made;
        if (const Value text = records_.find(settings, "PYTORCH_CUDA_ALLOC_CONF"); text.is(Kind::Text)) {
            made.text = records_.textAt(text.payload());
        }
        if (const auto most = store_.integerOf(records_.find(settings, "max_split_size"));
            most && *most >= 0) {
            made.maxSplitSize = *most;
        }
        made.expandableSegments = records_.find(settings, "expandable_segments") == Value(Kind::Boolean, 1);
        const Value divisions = records_.find(settings, "roundup_power2_divisions");
        for (std::size_t i = 0; i < made.roundupDivisions.size(); ++i) {
            const std::string mebibytes = std::to_string(std::uint64_t{1} << i);
            made.roundupDivisions[i] = store_.integerOf(records_.find(divisions, mebibytes)).value_or(0);
        }
        history_.settings = std::move(made);
    }

    /// From the fields that each release added; docs/allocator-replay.md has the table.
    void findTorch(bool annotated) {
        const auto has = [&](std::uint64_t keys, words::Word word) { return (keys & bit(word)) != 0; };
        const std::uint64_t events = records_.eventKeys;
        const bool any = events != 0;
        const bool expandable = has(records_.segmentKeys, words::kIsExpandable);
        auto& [first, last] = history_.torch;
        const auto since = [&](bool seen, TorchVersion release, TorchVersion before) {
            if (seen) {
                first = std::max(first, release);
            } else if (!last) {
                last = before;
            }
        };
        if (records_.segmentKeys != 0) {
            since(expandable, {2, 1}, {2, 0});
        }
        if (any) {
            since(timed_, {2, 2}, {2, 1});
        }
        since(history_.settings.has_value(), {2, 3}, {2, 2});
        since(annotated, {2, 5}, {2, 4});
        if (any) {
            since(has(events, words::kCompileContext), {2, 7}, {2, 7});
            since(has(events, words::kMetadata), {2, 10}, {2, 9});
            since(has(events, words::kPool), {2, 12}, {2, 11});
        }
        if (last && *last < first) {
            last.reset();  // no single release writes these fields together
        }
    }

    const SnapshotRecords& records_;
    const PickleStore& store_;
    base::MemoryBudget& budget_;
    History history_;
    std::unordered_map<std::int64_t, std::size_t> places_;  // index in devices, by number
    bool timed_ = false;
};

base::Result<History> readFrom(PickleSource source, const Progress& progress) {
    SnapshotRecords records;
    PickleStore store(records);
    records.attach(store);
    const Progress most = [&](double share) { return !progress || progress(0.9 * share); };
    base::MemoryBudget budget(static_cast<base::Bytes>(source.size()), base::MemoryBudget::kLargeShare);
    const base::Result<Value> root = PickleReader(source, store, budget, most).read();
    if (!root) {
        return root.error().message == "cancelled"
                   ? root.error()
                   : base::Error{fmt::format("cannot be read as a pickle: {}", root.error().message)};
    }
    return HistoryBuilder(records, store, budget).build(*root);
}

}  // namespace

base::Result<History> readHistory(const std::filesystem::path& file, const Progress& progress) {
    auto source = HIGHWATER_TRY(PickleSource::open(file));
    auto history = readFrom(std::move(source), progress);
    if (!history) {
        return errorOfFile(file, history.error());
    }
    return history;
}

base::Result<History> readHistoryBytes(std::string_view bytes) {
    return readFrom(PickleSource(bytes), {});
}

}  // namespace highwater::capture
