#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/trace.h"
#include "core/runs/checked_database.h"

/// The columns of a row of trace.db, as values (docs/trace-format.md). Private to core/runs.
namespace highwater::runs {

inline constexpr int kTraceSchema = 1;
inline constexpr std::size_t kRowEvents = 65536;
inline constexpr std::size_t kRowBlocks = std::size_t{1} << 20;
inline constexpr std::size_t kMostTraceNames = 32767;  ///< maximum number of layers, and of labels
inline constexpr std::size_t kMostTraceSteps = 100'000;

/// The tables, ordered by name.
extern const std::vector<TableText> kTraceTables;

/// A block that is allocated when a row begins.
struct LiveBlock {
    std::uint32_t number = 0;
    memory::TraceBlock block;
    memory::Category category = memory::Category::Temporaries;
    std::int16_t layer = -1;
    bool operator==(const LiveBlock&) const = default;
};
std::string encodeLive(const std::vector<LiveBlock>& live);
/// False if `bytes` is not a whole number of blocks, or the blocks are not ascending.
bool decodeLive(std::string_view bytes, std::vector<LiveBlock>& live);

/// Events and the blocks that they allocate, column by column.
struct EventColumns {
    std::string times, blocks, layers, what;
    std::string bytes, reserved, labels;

    std::size_t events() const { return what.size(); }
    void addEvent(const memory::TraceEvent& event, std::uint32_t sinceLast);
    void addBlock(const memory::TraceBlock& block);
    void clear();
};

/// The same columns as views into a file. Their sizes must be checked with wrongSize() first.
struct EventViews {
    std::string_view times, blocks, layers, what;
    std::string_view bytes, reserved, labels;

    /// Null if all sizes are right for this many events and blocks; otherwise the name of a wrong column.
    const char* wrongSize(std::size_t count, std::size_t blockCount) const;
    std::uint32_t sinceLast(std::size_t i) const;
    /// The event without its time; kind, category and phase may be out of range.
    memory::TraceEvent event(std::size_t i) const;
    memory::TraceBlock block(std::size_t i) const;
};

}  // namespace highwater::runs
