#pragma once

#include <QString>

#include "widgets/plot/memory_scene.h"
#include "widgets/timeline/timeline_picture.h"

/// Texts of the timeline.
namespace highwater::widgets {

/// "12.3 ms", "42.0 µs", "800 ns" (Time) or "1,234 events".
QString lengthText(const TraceIndex& index, double nanosecondsOrEvents);
/// Byte seconds ("1.20 GiB·s") or byte events ("3.40 TiB·events").
QString byteTimeText(const TraceIndex& index, double byteTime);
/// "1,234,567".
QString countText(std::int64_t count);
/// A name of at most 15 characters, without the suffix of a snapshot's file: "041_kk…llstep_".
QString shortName(const QString& title);
QString signedBytes(base::Bytes bytes);  ///< "+512 MiB", "−512 MiB", "0"
/// The category of a block; "activations, guessed" if the trace does not record it.
QString categoryText(const TraceIndex& index, std::uint32_t block);
/// "out of memory: 2.00 GiB were asked for, 1.20 GiB were free".
QString refusalText(const memory::TraceRefusal& refusal);
/// When a state begins: "12.3 ms" after the trace's zero, or "event 1,234".
QString whenText(const TraceIndex& index, std::size_t state);
QString layerText(const memory::Trace& trace, int layer);  ///< "no layer" for -1
QString labelText(const memory::Trace& trace, std::uint32_t block);
QString phaseText(memory::Phase phase);
/// The same, with "guessed" if the trace does not record its phases.
QString phaseText(const TraceIndex& index, memory::Phase phase);
/// The phase of the run at a state. State 0 has the phase of the first event. Phase::Setup if there are no
/// events.
memory::Phase phaseAt(const TraceIndex& index, std::size_t state);
/// "step 3", or "warm-up 1"; `index` counts from 0, warm-up included.
QString stepName(const memory::Trace& trace, int index);
/// "backward of step 3"; only the phase before the first step.
QString placeInStep(const TraceIndex& index, std::size_t state);

HoverCard blockCard(const TraceIndex& index, std::uint32_t block);
/// The card for the blocks of a category in a column that are too small to be drawn individually.
HoverCard bandCard(const TraceIndex& index, const TimelinePicture& picture, memory::Category category,
                   std::size_t state);
HoverCard refusalCard(const TraceIndex& index, std::size_t refusal);
/// The device memory reserved by the allocator at a state (-1 if unknown), and the color of its line.
base::Bytes reservedAt(const memory::Trace& trace, std::size_t state);
QColor reservedColor();
/// The card with the whole ledger of a state.
HoverCard stateCard(const TraceIndex& index, std::size_t state);

}  // namespace highwater::widgets
