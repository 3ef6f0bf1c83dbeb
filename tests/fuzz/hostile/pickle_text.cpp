#include "tests/fuzz/hostile/pickle_text.h"

namespace highwater::fuzz {

namespace {

/// Repeats a text `count` times.
std::string times(std::size_t count, const std::string& opcodes) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        all += opcodes;
    }
    return all;
}

std::string little(std::size_t number) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) {
        bytes += static_cast<char>(number >> (8 * i) & 0xff);
    }
    return bytes;
}

std::string put(std::size_t place) {
    return "r" + little(place);
}
std::string get(std::size_t place) {
    return "j" + little(place);
}
std::string list(const std::string& items) {
    return "](" + items + "e";
}
std::string dictionary(const std::string& items) {
    return "}(" + items + "u";
}
std::string item(const std::string& key, const std::string& value) {
    return pickledText(key) + value;
}

std::string block() {
    return dictionary(item("address", pickledNumber(4096)) + item("size", pickledNumber(512)) +
                      item("requested_size", pickledNumber(512)) +
                      item("state", pickledText("active_allocated")) + item("frames", "]"));
}

std::string segment(std::size_t address, const std::string& blocks) {
    return dictionary(item("device", pickledNumber(0)) + item("address", pickledNumber(address)) +
                      item("total_size", pickledNumber(1 << 21)) + item("stream", pickledNumber(0)) +
                      item("segment_type", pickledText("large")) + item("blocks", blocks));
}

std::string event(const std::string& frames) {
    return dictionary(item("action", pickledText("alloc")) + item("addr", pickledNumber(4096)) +
                      item("size", pickledNumber(512)) + item("stream", pickledNumber(0)) +
                      item("frames", frames));
}

std::string snapshot(const std::string& segments, const std::string& traces) {
    return "\x80\x04" + dictionary(item("segments", segments) + item("device_traces", traces)) + ".";
}

}  // namespace

std::string pickledText(const std::string& text) {
    return "X" + little(text.size()) + text;
}

std::string pickledNumber(std::size_t number) {
    return "J" + little(number);
}

std::string oneSegmentManyTimes(std::size_t count) {
    const std::string blocks = list(block() + put(1) + times(count, get(1)));
    return snapshot(list(segment(4096, blocks) + put(2) + times(count, get(2))), list(list(event("]"))));
}

std::string segmentsThatShareBlocks(std::size_t count) {
    std::string segments = segment(4096, list(times(count, block())) + put(1));
    for (std::size_t i = 1; i < count; ++i) {
        segments += segment(4096 + (i << 21), get(1));
    }
    return snapshot(list(segments), list(list(event("]"))));
}

std::string devicesThatShareEvents(std::size_t count) {
    return snapshot("]", list(list(times(count, event("]"))) + put(1) + times(count, get(1))));
}

std::string framesOfLongTexts(std::size_t count) {
    std::string events = event(list(dictionary(item("filename", pickledText(std::string(999, 'f')) + put(1)) +
                                               item("name", pickledText(std::string(999, 'n')) + put(2)) +
                                               item("line", pickledNumber(0)))));
    for (std::size_t i = 1; i < count; ++i) {
        events += event(list(
            dictionary(item("filename", get(1)) + item("name", get(2)) + item("line", pickledNumber(i)))));
    }
    return snapshot("]", list(list(events)));
}

std::string emptyDevices(std::size_t count) {
    return snapshot("]", list(times(count, "]")));
}

}  // namespace highwater::fuzz
