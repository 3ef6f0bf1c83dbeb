#include "tests/bench/capture_bench/foreign_snapshot.h"

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/capture/pickle_writer.h"

namespace highwater::bench {
namespace {

using capture::PickleWriter;
using capture::SharedText;

constexpr int kFrames = 4000;

struct Writer {
    explicit Writer(PickleWriter& out) : pickle(out) {}

    void frame(int number) {
        int& memo = frames[static_cast<std::size_t>(number)];
        if (memo >= 0) {
            return pickle.recall(memo);
        }
        pickle.emptyDict();
        memo = pickle.remember();
        pickle.mark();
        pickle.text(name);
        pickle.text(number % 20 == 0 ? "forward" : "at::native::function_" + std::to_string(number));
        pickle.text(filename);
        pickle.text(number % 20 == 0 ? "/home/user/train.py" : "/opt/pytorch/aten/src/ATen/native/File.cpp");
        pickle.text(line);
        pickle.integer(number);
        pickle.setItems();
    }

    void event(SharedText& what, std::int64_t address, std::int64_t bytes, std::int64_t micros, int depth) {
        pickle.emptyDict();
        pickle.remember();
        pickle.mark();
        pickle.text(action);
        pickle.text(what);
        pickle.text(addr);
        pickle.integer(address);
        pickle.text(size);
        pickle.integer(bytes);
        pickle.text(stream);
        pickle.integer(0);
        pickle.text(time);
        pickle.integer(micros);
        pickle.text(framesKey);
        pickle.emptyList();
        pickle.remember();
        pickle.mark();
        for (int i = 0; i < depth; ++i) {
            frame(static_cast<int>(random() % kFrames));
        }
        pickle.appends();
        pickle.setItems();
    }

    PickleWriter& pickle;
    std::mt19937 random{1};
    std::vector<int> frames = std::vector<int>(kFrames, -1);
    SharedText action{"action"}, addr{"addr"}, size{"size"}, stream{"stream"}, time{"time_us"},
        framesKey{"frames"}, name{"name"}, filename{"filename"}, line{"line"}, alloc{"alloc"},
        requested{"free_requested"}, completed{"free_completed"};
};

}  // namespace

std::int64_t writeForeignSnapshot(const std::filesystem::path& file, std::int64_t bytes, int depth) {
    std::ofstream out(file, std::ios::binary);
    std::string text;
    PickleWriter pickle(text);
    Writer writer(pickle);
    pickle.emptyDict();
    pickle.mark();
    pickle.text("segments");
    pickle.emptyList();
    pickle.text("device_traces");
    pickle.emptyList();
    pickle.mark();
    pickle.emptyList();
    std::vector<std::int64_t> living;
    std::int64_t events = 0, written = 0, next = 0x7f0000000000;
    while (written < bytes) {
        pickle.mark();
        for (int i = 0; i < 333; ++i, ++events) {
            const std::int64_t micros = 1700000000000000 + 3 * events;
            if (living.size() < 2000 || writer.random() % 2 == 0) {
                next += 4096;
                living.push_back(next);
                writer.event(writer.alloc, next, 4000, micros, depth);
                continue;
            }
            std::swap(living[writer.random() % living.size()], living.back());
            writer.event(writer.requested, living.back(), 4000, micros, depth);
            writer.event(writer.completed, living.back(), 4000, micros, depth);
            living.pop_back();
        }
        pickle.appends();
        pickle.rest();
        written += static_cast<std::int64_t>(text.size());
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    }
    pickle.appends();
    pickle.setItems();
    pickle.stop();
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    return events;
}

}  // namespace highwater::bench
