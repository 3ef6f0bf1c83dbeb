#include "core/runs/trace_rows.h"

#include <bit>
#include <cstring>

namespace highwater::runs {

const std::vector<TableText> kTraceTables = {
    {"events",
     "CREATE TABLE events (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, time INTEGER NOT NULL, "
     "first_block INTEGER NOT NULL, block_count INTEGER NOT NULL, input INTEGER NOT NULL, "
     "parameters INTEGER NOT NULL, optimizer_state INTEGER NOT NULL, gradients INTEGER NOT NULL, "
     "activations INTEGER NOT NULL, workspace INTEGER NOT NULL, temporaries INTEGER NOT NULL, "
     "highest INTEGER NOT NULL, live BLOB NOT NULL, times BLOB NOT NULL, blocks BLOB NOT NULL, "
     "layers BLOB NOT NULL, what BLOB NOT NULL, block_bytes BLOB NOT NULL, block_reserved BLOB NOT NULL, "
     "block_labels BLOB NOT NULL)"},
    {"labels", "CREATE TABLE labels (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
    {"layers", "CREATE TABLE layers (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
    {"meta",
     "CREATE TABLE meta (schema INTEGER NOT NULL, complete INTEGER NOT NULL, peak_bytes INTEGER NOT NULL, "
     "peak_event INTEGER NOT NULL, note TEXT NOT NULL)"},
    {"steps",
     "CREATE TABLE steps (number INTEGER PRIMARY KEY, step INTEGER NOT NULL, event INTEGER NOT NULL)"},
};

namespace {

static_assert(std::endian::native == std::endian::little, "the columns are little endian");

constexpr std::size_t kLiveSize = 28;

template <class T>
void put(std::string& out, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    out.append(raw, sizeof(T));
}

template <class T>
T get(std::string_view in, std::size_t at) {
    T value;
    std::memcpy(&value, in.data() + at, sizeof(T));
    return value;
}

}  // namespace

std::string encodeLive(const std::vector<LiveBlock>& live) {
    std::string out;
    out.reserve(live.size() * kLiveSize);
    for (const LiveBlock& each : live) {
        put(out, each.number);
        put(out, each.block.bytes);
        put(out, each.block.reserved);
        put(out, each.block.label);
        put(out, each.layer);
        put(out, static_cast<std::uint8_t>(each.category));
        put(out, std::uint8_t{0});
    }
    return out;
}

bool decodeLive(std::string_view bytes, std::vector<LiveBlock>& live) {
    live.clear();
    if (bytes.size() % kLiveSize != 0) {
        return false;
    }
    live.reserve(bytes.size() / kLiveSize);
    for (std::size_t at = 0; at < bytes.size(); at += kLiveSize) {
        LiveBlock each;
        each.number = get<std::uint32_t>(bytes, at);
        each.block = {get<std::int64_t>(bytes, at + 4), get<std::int64_t>(bytes, at + 12),
                      get<std::int32_t>(bytes, at + 20)};
        each.layer = get<std::int16_t>(bytes, at + 24);
        each.category = static_cast<memory::Category>(bytes[at + 26]);
        if (!live.empty() && each.number <= live.back().number) {
            return false;
        }
        live.push_back(each);
    }
    return true;
}

void EventColumns::addEvent(const memory::TraceEvent& event, std::uint32_t sinceLast) {
    put(times, sinceLast);
    put(blocks, event.block);
    put(layers, event.layer);
    put(what, static_cast<std::uint8_t>(static_cast<unsigned>(event.kind) |
                                        static_cast<unsigned>(event.category) << 2U |
                                        static_cast<unsigned>(event.phase) << 5U));
}

void EventColumns::addBlock(const memory::TraceBlock& block) {
    put(bytes, block.bytes);
    put(reserved, block.reserved);
    put(labels, block.label);
}

void EventColumns::clear() {
    for (std::string* column : {&times, &blocks, &layers, &what, &bytes, &reserved, &labels}) {
        column->clear();
    }
}

const char* EventViews::wrongSize(std::size_t count, std::size_t blockCount) const {
    const struct {
        const char* name;
        std::size_t is, shouldBe;
    } columns[] = {{"times", times.size(), 4 * count},
                   {"blocks", blocks.size(), 4 * count},
                   {"layers", layers.size(), 2 * count},
                   {"what", what.size(), count},
                   {"block_bytes", bytes.size(), 8 * blockCount},
                   {"block_reserved", reserved.size(), 8 * blockCount},
                   {"block_labels", labels.size(), 4 * blockCount}};
    for (const auto& column : columns) {
        if (column.is != column.shouldBe) {
            return column.name;
        }
    }
    return nullptr;
}

std::uint32_t EventViews::sinceLast(std::size_t i) const {
    return get<std::uint32_t>(times, 4 * i);
}

memory::TraceEvent EventViews::event(std::size_t i) const {
    const auto packed = static_cast<unsigned char>(what[i]);
    return {0,
            get<std::uint32_t>(blocks, 4 * i),
            get<std::int16_t>(layers, 2 * i),
            static_cast<memory::TraceEvent::Kind>(packed & 3U),
            static_cast<memory::Category>(packed >> 2U & 7U),
            static_cast<memory::Phase>(packed >> 5U)};
}

memory::TraceBlock EventViews::block(std::size_t i) const {
    return {get<std::int64_t>(bytes, 8 * i), get<std::int64_t>(reserved, 8 * i),
            get<std::int32_t>(labels, 4 * i)};
}

}  // namespace highwater::runs
