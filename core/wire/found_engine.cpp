#include "core/wire/found_engine.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/base/file.h"

namespace highwater::wire {

namespace {

constexpr std::size_t kMostPerTurn = 256 << 10;
constexpr int kBySignal = 128;  // added to the number of the signal that ended a program

base::Descriptor orNone(base::Result<base::Descriptor> file) {
    return file ? std::move(*file) : base::Descriptor();
}

}  // namespace

base::Result<std::unique_ptr<FoundEngine>> FoundEngine::open(const std::filesystem::path& runFolder,
                                                             const base::ProcessIdentity& engine) {
    auto process = HIGHWATER_TRY(base::HeldProcess::hold(engine));
    return std::unique_ptr<FoundEngine>(new FoundEngine(runFolder, std::move(process)));
}

FoundEngine::FoundEngine(const std::filesystem::path& runFolder, base::HeldProcess process)
    : eventsFile_(runFolder / "events.jsonl"),
      process_(std::move(process)),
      errors_(orNone(base::openRegular(runFolder / "stderr.txt", O_RDWR))) {}

std::vector<Event> FoundEngine::read() {
    if (finished_) {
        return {};
    }
    const bool ended = process_.ended();  // checked before the read, so that "nothing to read" is final
    if (file_.get() < 0) {
        file_ = orNone(base::openRegular(eventsFile_));
    }
    std::array<char, 65536> chunk;
    behind_ = true;
    for (std::size_t taken = 0; behind_ && taken < kMostPerTurn;) {
        const ssize_t n = file_.get() < 0 ? 0 : ::read(file_.get(), chunk.data(), chunk.size());
        if (n > 0) {
            lines_.add({chunk.data(), static_cast<std::size_t>(n)});
            taken += static_cast<std::size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            behind_ = false;
        }
    }
    errors_.bound();
    if (ended && !behind_) {
        finish();
    }
    return lines_.take();
}

void FoundEngine::finish() {
    lines_.end();
    finished_ = true;
    errorText_ = errors_.tail();
}

void FoundEngine::cancel() {
    if (!process_.ended()) {
        process_.send(SIGINT);
        exitCode_ = kBySignal + SIGINT;
    }
}

void FoundEngine::kill() {
    if (!process_.ended()) {
        process_.send(SIGKILL);
        exitCode_ = kBySignal + SIGKILL;
    }
}

}  // namespace highwater::wire
