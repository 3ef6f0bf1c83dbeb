#include "core/capture/snapshot_records.h"
#include "core/capture/snapshot_words.h"

/// Reads the blocks and segments at the moment of a snapshot.
namespace highwater::capture {

using namespace words;

/// A block of a segment or, before PyTorch 2.1, an entry of its history, whose size is the requested one.
Value SnapshotRecords::block(const Items& items) {
    BlockRecord made;
    const Value state = at(items, kState);
    made.waiting = isText(state, kActivePendingFree) || isText(state, kActiveAwaitingFree);
    made.active = isText(state, kActiveAllocated) || made.waiting;
    made.address = store_->addressOf(at(items, kAddress)).value_or(0);
    made.size = integer(at(items, kSize), -1);
    made.requested = integer(at(items, kRequestedSize), integer(at(items, kRealSize), -1));
    made.reserved = integer(at(items, kReservedSize), -1);
    made.stack = at(items, kFrames);
    made.category = textOf(at(items, kCategory));
    const Value history = at(items, kHistory);
    if (history.is(Kind::List) && !listAt(history).empty() && listAt(history).front().is(Kind::Block)) {
        const BlockRecord& last = blocks[listAt(history).front().payload()];
        if (made.requested < 0) {
            made.requested = last.requested;
        }
        if (!made.stack.is(Kind::Stack)) {
            made.stack = last.stack;
        }
    }
    if (made.requested < 0) {
        made.requested = made.size;
    }
    blocks.push_back(made);
    return {Kind::Block, blocks.size() - 1};
}

Value SnapshotRecords::segment(const Items& items) {
    SegmentRecord made;
    made.address = store_->addressOf(at(items, kAddress)).value_or(0);
    made.device = integer(at(items, kDevice), 0);
    made.stream = store_->addressOf(at(items, kStream)).value_or(0);
    made.size = integer(at(items, kTotalSize), -1);
    made.small = isText(at(items, kSegmentType), kSmall);
    made.expandable = at(items, kIsExpandable) == Value(Kind::Boolean, 1);
    made.pool = at(items, kSegmentPool);
    const Value list = at(items, kBlocks);
    made.blocks = list.is(Kind::List) ? list.payload() : 0;
    segments.push_back(made);
    return {Kind::Segment, segments.size() - 1};
}

Value SnapshotRecords::annotation(const Items& items) {
    AnnotationRecord made;
    made.name = textOf(at(items, kName));
    made.device = integer(at(items, kDevice), 0);
    made.time = integer(at(items, kTime), -1);
    made.start = isText(at(items, kStage), kStart);
    annotations.push_back(made);
    return {Kind::Annotation, annotations.size() - 1};
}

}  // namespace highwater::capture
