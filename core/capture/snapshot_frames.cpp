#include "core/capture/snapshot_frames.h"

#include "core/base/text.h"
#include "core/capture/words.h"

namespace highwater::capture {

SnapshotFrames::SnapshotFrames(const memory::Trace& trace, PickleWriter& pickle)
    : trace_(trace),
      pickle_(pickle),
      labels_(trace.labels.size(), -1),
      places_((trace.layers.size() + 1) * memory::kPhaseCount, -1),
      categories_(memory::kCategoryCount, -1) {}

void SnapshotFrames::write(std::int32_t label, memory::Phase phase, std::int16_t layer,
                           memory::Category category) {
    const std::uint64_t key = static_cast<std::uint64_t>(label + 1) << 32 |
                              static_cast<std::uint64_t>(layer + 1) << 16 |
                              static_cast<std::uint64_t>(phase) << 8 | static_cast<std::uint64_t>(category);
    const auto known = lists_.find(key);
    if (known != lists_.end()) {
        return pickle_.recall(known->second);
    }
    pickle_.emptyList();
    lists_.emplace(key, pickle_.remember());
    pickle_.mark();
    if (label >= 0) {
        labelFrame(label);
    }
    placeFrame(phase, layer);
    categoryFrame(category);
    pickle_.appends();
}

void SnapshotFrames::labelFrame(std::int32_t label) {
    int& memo = labels_[static_cast<std::size_t>(label)];
    if (memo >= 0) {
        return pickle_.recall(memo);
    }
    frame(operator_, base::oneLine(trace_.labels[static_cast<std::size_t>(label)]), 0);
    memo = pickle_.remember();
}

void SnapshotFrames::placeFrame(memory::Phase phase, std::int16_t layer) {
    const auto at =
        static_cast<std::size_t>(layer + 1) * memory::kPhaseCount + static_cast<std::size_t>(phase);
    if (places_[at] >= 0) {
        return pickle_.recall(places_[at]);
    }
    frame(place_, base::oneLine(placeWords(trace_, phase, layer)), layer + 1);
    places_[at] = pickle_.remember();
}

void SnapshotFrames::categoryFrame(memory::Category category) {
    int& memo = categories_[static_cast<std::size_t>(category)];
    if (memo >= 0) {
        return pickle_.recall(memo);
    }
    frame(category_, memory::categoryKey(category), 0);
    memo = pickle_.remember();
}

void SnapshotFrames::frame(SharedText& file, std::string_view name, std::int64_t line) {
    pickle_.emptyDict();
    pickle_.mark();
    pickle_.text(name_);
    pickle_.text(name);
    pickle_.text(filename_);
    pickle_.text(file);
    pickle_.text(line_);
    pickle_.integer(line);
    pickle_.setItems();
}

}  // namespace highwater::capture
