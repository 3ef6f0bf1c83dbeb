#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "app/host/place.h"
#include "app/host/queue.h"
#include "app/host/volumes.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/hosts/frames.h"
#include "core/hosts/pace.h"
#include "core/memory/trace_record.h"

namespace highwater::host_app {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMillis = 20;
constexpr auto kLife = std::chrono::seconds(1);
constexpr int kMostStarts = 10, kInterrupted = 130;
constexpr std::string_view kCancelled = "cancelled";
constexpr std::size_t kChunk = 256 << 10, kMostRequest = 64 << 20;
constexpr base::Bytes kMostFile = base::kGiB;
constexpr std::size_t kMostErrors = 1 << 20;

/// The connection to the client, through stdin and stdout.
class Wire {
public:
    Wire() { ::fcntl(STDOUT_FILENO, F_SETFL, ::fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK); }
    bool gone() const { return gone_ || Clock::now() - heard_ > hosts::pace().silenceAtHost; }

    void put(const base::Json& line, std::string_view bytes = {}) {
        const std::string text = hosts::toText(line, bytes);
        for (std::string_view rest = text; !rest.empty() && !gone();) {
            const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
            if (n > 0) {
                rest.remove_prefix(static_cast<std::size_t>(n));
            } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
                listen(kLookMillis, true);
            } else if (n >= 0 || errno != EINTR) {
                gone_ = true;
            }
        }
    }

    /// Waits for input, or until stdout is writable again, and reads what has arrived.
    void listen(int millis, bool toWrite = false) {
        pollfd ends[2] = {{STDIN_FILENO, POLLIN, 0},
                          {STDOUT_FILENO, static_cast<short>(toWrite ? POLLOUT : 0), 0}};
        if (::poll(ends, 2, millis) <= 0) {
            return;
        }
        if ((ends[1].revents & (POLLERR | POLLNVAL)) != 0) {
            gone_ = true;
        }
        if (ends[0].revents == 0) {
            return;
        }
        char chunk[65536];
        const ssize_t n = ::read(STDIN_FILENO, chunk, sizeof chunk);
        if (n > 0) {
            buffer_.append(chunk, static_cast<std::size_t>(n));
            heard_ = Clock::now();
        }
        gone_ =
            gone_ || n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN) || buffer_.size() > kMostRequest;
    }

    std::optional<std::string> line() {
        const std::size_t end = buffer_.find('\n', searched_);
        if (end == std::string::npos) {
            searched_ = buffer_.size();
            return std::nullopt;
        }
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        return line;
    }

    /// Takes this many bytes; std::nullopt until they have arrived.
    std::optional<std::string> bytes(std::size_t count) {
        if (buffer_.size() < count) {
            return std::nullopt;
        }
        std::string taken = buffer_.substr(0, count);
        buffer_.erase(0, count);
        searched_ = 0;
        return taken;
    }

    /// Sends a heartbeat from time to time, whatever else is sent, and reads the replies.
    void beat() {
        if (Clock::now() - lastBeat_ > hosts::pace().beat) {
            lastBeat_ = Clock::now();
            put({{"beat", true}});
        }
        listen(0);
    }

private:
    std::string buffer_;
    std::size_t searched_ = 0;
    bool gone_ = false;
    Clock::time_point heard_ = Clock::now(), lastBeat_ = heard_;
};

/// Sends one run's folder while it grows.
class Handover {
public:
    Handover(Wire& wire, fs::path folder, const hosts::Request& request)
        : wire_(wire), folder_(std::move(folder)), sent_(request.have), traced_(request.haveTrace) {}

    /// Returns true once the run was fetched and removed here.
    bool run() {
        while (!wire_.gone()) {
            wire_.listen(kLookMillis);
            obey();
            const std::optional<End> end = findEnd();  // before the last read of the events
            sendEvents();
            if (end && !wire_.gone()) {
                return finish(*end);
            }
            wire_.beat();
        }
        return false;
    }

private:
    void obey() {
        while (const auto word = wire_.line()) {
            std::error_code ignored;
            if (*word == hosts::kFetched) {
                fetched_ = true;
            } else if (*word == hosts::kNoTrace) {
                traced_ = -1;
            } else if (*word == hosts::kKill ||
                       (*word == hosts::kCancel && !fs::exists(folder_ / "stop", ignored))) {
                (void)base::writeFileAtomically(folder_ / "stop", *word).ok();
            }
        }
    }

    std::optional<End> findEnd() {
        if (auto end = readEnd(folder_)) {
            return end;
        }
        if (Clock::now() - looked_ < kLife) {
            return std::nullopt;
        }
        looked_ = Clock::now();
        base::Descriptor lock = tryLock(folder_);
        if (lock.get() < 0) {
            return std::nullopt;
        }
        if (auto end = readEnd(folder_)) {
            return end;
        }
        std::error_code ignored;
        if (fs::exists(folder_ / hosts::kEvents, ignored) || !arrayOf(folder_).empty() ||
            ++starts_ > kMostStarts) {
            (void)writeEnd(folder_, {}).ok();
            return End();
        }
        lock = base::Descriptor();
        (void)startSupervisor(folder_).ok();  // the process that should have started it died
        return std::nullopt;
    }

    void sendEvents() {
        const auto file = base::openRegular(folder_ / hosts::kEvents);
        struct stat facts{};
        if (!file || ::fstat(file->get(), &facts) != 0 || facts.st_size <= sent_) {
            return;
        }
        sendPatch();  // an event's patch must arrive before the event
        std::string chunk;
        while (sent_ < facts.st_size && !wire_.gone()) {
            chunk.resize(std::min(kChunk, static_cast<std::size_t>(facts.st_size - sent_)));
            const ssize_t n = ::pread(file->get(), chunk.data(), chunk.size(), sent_);
            if (n <= 0) {
                return;
            }
            chunk.resize(static_cast<std::size_t>(n));
            wire_.put({{"file", hosts::kEvents}, {"at", sent_}}, chunk);
            sent_ += n;
            wire_.beat();
        }
    }

    /// Sends the preview patch if it changed; on a slow line, not every one.
    void sendPatch(bool last = false) {
        struct stat facts{};
        if (::stat((folder_ / hosts::kPatch).c_str(), &facts) != 0 ||
            (facts.st_ino == patchFile_ && facts.st_mtim.tv_nsec == patchTime_.tv_nsec &&
             facts.st_mtim.tv_sec == patchTime_.tv_sec)) {
            return;
        }
        const auto begun = Clock::now();
        if (!last && begun < nextPatch_) {
            return;
        }
        patchFile_ = facts.st_ino;
        patchTime_ = facts.st_mtim;
        sendFile(hosts::kPatch);
        nextPatch_ = Clock::now() + 4 * (Clock::now() - begun) + std::chrono::milliseconds(200);
    }

    void sendFile(std::string_view name, std::size_t most = std::string::npos) {
        auto text = base::readFile(folder_ / name, kMostFile);
        if (!text) {
            return;
        }
        if (text->size() > most) {
            text->erase(0, text->size() - most);
        }
        std::size_t at = 0;
        do {
            const std::string_view chunk = std::string_view(*text).substr(at, kChunk);
            wire_.put({{"file", name}, {"at", at}, {"last", at + chunk.size() == text->size()}}, chunk);
            at += chunk.size();
            wire_.beat();
        } while (at < text->size() && !wire_.gone());
    }

    /// Sends the trace from the client's offset, until all is sent or the client wants no more.
    void sendTrace() {
        const auto file = base::openRegular(folder_ / memory::kTraceChunks);
        struct stat facts{};
        if (!file || ::fstat(file->get(), &facts) != 0 || traced_ > facts.st_size) {
            return;
        }
        std::string chunk;
        for (bool last = false; !last && traced_ >= 0 && !wire_.gone();) {
            chunk.resize(std::min(kChunk, static_cast<std::size_t>(facts.st_size - traced_)));
            if (::pread(file->get(), chunk.data(), chunk.size(), traced_) !=
                static_cast<ssize_t>(chunk.size())) {
                return;
            }
            last = traced_ + static_cast<std::int64_t>(chunk.size()) == facts.st_size;
            wire_.put(
                {{"file", memory::kTraceChunks}, {"at", traced_}, {"of", facts.st_size}, {"last", last}},
                chunk);
            traced_ += static_cast<std::int64_t>(chunk.size());
            wire_.beat();
            obey();
        }
    }

    bool finish(const End& end) {
        sendPatch(true);
        sendFile(hosts::kErrors, kMostErrors);
        sendFile(hosts::kResult);
        sendTrace();
        wire_.put({{"ended", true},
                   {"exit_code", end.exitCode},
                   {"timed_out", end.timedOut},
                   {"unknown", end.unknown},
                   {"node", nodeOf(folder_)}});
        while (!wire_.gone() && !fetched_) {
            wire_.listen(kLookMillis);
            obey();
        }
        if (fetched_ && !end.unknown) {
            std::error_code ignored;
            fs::remove_all(folder_, ignored);
        }
        return fetched_;
    }

    Wire& wire_;
    fs::path folder_;
    std::int64_t sent_, traced_;  ///< -1: no trace is wanted
    bool fetched_ = false;
    int starts_ = 0;
    Clock::time_point looked_ = Clock::now(), nextPatch_{};
    ino_t patchFile_ = 0;
    timespec patchTime_{};
};

/// Receives one volume. Errors: it cannot be written, the data is not a volume, "cancelled", or the
/// connection is closed.
base::Status receive(Wire& wire, const hosts::VolumeKey& volume) {
    Arrival arrival;
    while (!arrival.open(volume)) {  // another connection is sending it
        wire.listen(kLookMillis);
        wire.beat();
        if (wire.gone() || isHere(volume)) {
            return {};
        }
    }
    if (isHere(volume)) {
        return {};
    }
    wire.put({{"need", volume.sha256}, {"from", arrival.have()}});
    while (arrival.have() < volume.bytes) {
        wire.beat();
        const auto line = wire.line();
        if (!line) {
            wire.listen(kLookMillis);
            if (wire.gone()) {
                return base::Error{"the connection broke"};
            }
            continue;
        }
        if (*line == hosts::kCancel || *line == hosts::kKill) {
            return base::Error{std::string(kCancelled)};
        }
        const auto json = base::parseJson(*line, "volume");
        if (!json || !json->is_object() || json->value("volume", "") != volume.sha256 ||
            json->value("at", base::Bytes{-1}) != arrival.have()) {
            continue;  // a heartbeat
        }
        const auto count = std::min(json->value("bytes", std::size_t{0}), hosts::kMostFrameBytes);
        std::optional<std::string> bytes;
        while (!(bytes = wire.bytes(count)) && !wire.gone()) {
            wire.listen(kLookMillis);
        }
        if (!bytes) {
            return base::Error{"the connection broke"};
        }
        HIGHWATER_TRY(arrival.append(*bytes));
    }
    return arrival.finish([&] { wire.beat(); });
}

/// Creates the run, or finds the existing one.
base::Status place(Wire& wire, const hosts::Request& request, const fs::path& folder) {
    if (!request.start) {
        const auto refused = refuseRun(folder);
        return refused ? base::Status() : refused.error();
    }
    removeOldRuns();
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) {
        for (const hosts::VolumeKey& volume : request.start->volumes) {
            if (isHere(volume)) {
                continue;
            }
            HIGHWATER_TRY(receive(wire, volume));
        }
    }
    const auto made = HIGHWATER_TRY(makeRun(folder, *request.start, request.array));
    return made && request.array.empty() ? startSupervisor(folder) : base::Status();
}

/// The next request; std::nullopt once the connection is closed. Skips commands that arrived too late for the
/// previous run.
std::optional<std::string> nextRequest(Wire& wire) {
    for (;;) {
        auto line = wire.line();
        if (line && !line->empty() && *line != hosts::kCancel && *line != hosts::kKill &&
            *line != hosts::kFetched && *line != hosts::kNoTrace) {
            return line;
        }
        if (wire.gone()) {
            return std::nullopt;
        }
        if (!line) {
            wire.listen(kLookMillis);
            wire.beat();
        }
    }
}

/// Answers one request. Returns false after the last one.
bool answer(Wire& wire, const hosts::Request& request) {
    if (request.run.empty()) {
        const auto [reply, bytes] = answerOfQueue(request);
        wire.put(reply, bytes);
        return true;
    }
    const fs::path folder = runsFolder() / request.run;
    const auto placed = place(wire, request, folder);
    if (!placed && placed.error().message == kCancelled && refuseRun(folder)) {
        wire.put({{"ended", true}, {"exit_code", kInterrupted}});
        return false;
    }
    if (!placed) {
        wire.put({{"problem", placed.error().message}});
        return false;
    }
    if (!request.array.empty()) {
        wire.put({{"placed", true}});
        return true;
    }
    wire.put({{"begun", true}});
    if (!Handover(wire, folder, request).run()) {
        return false;
    }
    wire.put({{"forgotten", true}});
    return true;
}

}  // namespace

int follow() {
    Wire wire;
    wire.put({{std::string(hosts::kGreeting), hosts::kProtocol}});
    while (const auto line = nextRequest(wire)) {
        const auto request = hosts::parseRequest(*line);
        if (!request) {
            wire.put({{"problem", request.error().message}});
            return 2;
        }
        if (!answer(wire, *request)) {
            return 0;
        }
    }
    return 0;
}

}  // namespace highwater::host_app
