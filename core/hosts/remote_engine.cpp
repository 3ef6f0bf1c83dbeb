#include "core/hosts/remote_engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/hosts/run_limits.h"
#include "core/memory/trace_record.h"
#include "core/wire/engine_launch.h"
#include "core/wire/follower.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kChunk = 256 << 10, kMostSentPerTurn = 8 << 20;
constexpr std::size_t kMostPerTurn = 256 << 10, kErrorTail = 4096;
constexpr std::chrono::seconds kFarewell{5};

base::Error cannot(const std::filesystem::path& path) {
    return {fmt::format("{}: {}", path.string(), std::strerror(errno))};
}

/// Whether a host may send a file of this name as a whole into a run's folder.
bool isWhole(std::string_view name) {
    return name == kResult || name == kErrors || name == kPatch;
}

std::int64_t integerIn(const base::Json& line, const char* key, std::int64_t fallback) {
    const auto at = line.find(key);
    return at != line.end() && at->is_number_integer() ? at->get<std::int64_t>() : fallback;
}

bool flagIn(const base::Json& line, const char* key) {
    const auto at = line.find(key);
    return at != line.end() && at->is_boolean() && at->get<bool>();
}

}  // namespace

RemoteEngine::RemoteEngine(Host host, Connection connection, std::filesystem::path runFolder,
                           std::optional<Start> start)
    : host_(std::move(host)),
      folder_(std::move(runFolder)),
      start_(std::move(start)),
      connection_(std::move(connection)) {}

base::Result<std::unique_ptr<RemoteEngine>> RemoteEngine::start(const Host& host, Connection connection,
                                                                const std::filesystem::path& runFolder,
                                                                const Start& start,
                                                                const std::vector<int>& volumeFds) {
    auto volumes = HIGHWATER_TRY(wire::ownCopies(volumeFds));
    HIGHWATER_TRY(wire::followRunOn(host.name, runFolder));
    std::unique_ptr<RemoteEngine> engine(new RemoteEngine(host, std::move(connection), runFolder, start));
    engine->volumes_ = std::move(volumes);
    engine->noTrace_ = !start.trace;
    return engine;
}

base::Result<std::unique_ptr<RemoteEngine>> RemoteEngine::place(const Host& host, Connection connection,
                                                                const std::filesystem::path& runFolder,
                                                                const Start& start,
                                                                const std::vector<int>& volumeFds,
                                                                const std::string& array) {
    auto engine = RemoteEngine::start(host, std::move(connection), runFolder, start, volumeFds);
    if (engine) {
        (*engine)->array_ = array;
    }
    return engine;
}

std::optional<Connection> RemoteEngine::takeConnection() {
    return std::exchange(connection_, std::nullopt);
}

std::unique_ptr<RemoteEngine> RemoteEngine::follow(const Host& host, Connection connection,
                                                   const std::filesystem::path& runFolder) {
    std::unique_ptr<RemoteEngine> engine(new RemoteEngine(host, std::move(connection), runFolder, {}));
    engine->begun_ = true;
    return engine;
}

void RemoteEngine::say(const std::string& line) {
    own_.push_back(wire::Warning{line});
}

base::Status RemoteEngine::openEvents() {
    const auto path = folder_ / kEvents;
    for (const auto& [file, flags] :
         {std::pair(&events_, O_WRONLY | O_CREAT | O_APPEND), {&reading_, O_RDONLY}}) {
        if (file->get() < 0) {
            auto opened = HIGHWATER_TRY(base::openRegular(path, flags));
            *file = std::move(opened);
        }
    }
    return {};
}

/// The size of the local copy of the trace, at which the transfer continues; -1: it is not wanted.
std::int64_t RemoteEngine::openTrace() {
    std::error_code ignored;
    traceAll_ = 0;
    if (noTrace_ || std::filesystem::exists(folder_ / memory::kTraceChunks, ignored)) {
        return -1;
    }
    const auto part = folder_ / memory::kTraceChunksPart;
    auto opened = base::openRegular(part, O_WRONLY | O_CREAT | O_APPEND);
    struct stat facts{};
    if (!opened || ::fstat(opened->get(), &facts) != 0) {
        say(fmt::format("run without its trace: {}", opened ? cannot(part).message : opened.error().message));
        return -1;
    }
    trace_ = std::move(*opened);
    traceHave_ = facts.st_size;
    return traceHave_;
}

/// Sends the request once the host has sent its greeting.
void RemoteEngine::connect() {
    if (!connection_ && Clock::now() >= retry_) {
        auto opened = Connection::open(host_);
        if (!opened) {
            lose(opened.error().message);
            return;
        }
        connection_.emplace(std::move(*opened));
        asked_ = false;
    }
    if (!connection_ || asked_) {
        return;
    }
    connection_->pump();
    if (const auto ready = connection_->greet(); !ready) {
        lose(ready.error().message);
    } else if (*ready) {
        struct stat facts{};
        if (const auto opened = openEvents(); !opened || ::fstat(events_.get(), &facts) != 0) {
            lose(opened ? cannot(folder_ / kEvents).message : opened.error().message);
            return;
        }
        asked_ = true;
        part_.clear();
        const std::int64_t haveTrace = array_.empty() ? openTrace() : -1;
        connection_->send(toLine({folder_.filename().string(), start_, facts.st_size, haveTrace, array_}));
        if (!stop_.empty()) {
            connection_->send(stop_ + "\n");
        }
        if (std::exchange(lost_, false)) {
            say(fmt::format("host {} can be reached again", host_.name));
        }
        pause_ = pace().firstPause;
    } else if (connection_->closed() || connection_->silent()) {
        lose(connection_->failure());
    }
}

/// The run continues on the host; the next attempt to connect is made after a pause.
void RemoteEngine::lose(const std::string& why) {
    connection_.reset();
    if (ended_) {
        return;
    }
    const bool asked = std::exchange(asked_, false);
    sending_.reset();
    retry_ = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, pace().longestPause);
    if (!std::exchange(lost_, true)) {
        say(fmt::format("{}; {}", why,
                        begun_  ? "the run continues there and is fetched when the host is back"
                        : asked ? "whether the run began there is seen when the host is back"
                                : "the run begins when the host is back"));
    }
}

void RemoteEngine::receive() {
    connection_->pump();
    while (connection_ && !forgotten_) {
        auto frame = connection_->take();
        if (!frame) {
            lose(fmt::format("host {}: {}", host_.name, frame.error().message));
            return;
        }
        if (!*frame) {
            break;
        }
        if (flagIn((*frame)->line, "forgotten")) {
            forgotten_ = true;
        } else if (const auto taken = ended_ ? base::Status() : take(**frame); !taken) {
            lose(taken.error().message);
            return;
        }
    }
    if (!ended_ && (connection_->closed() || connection_->silent())) {
        lose(connection_->failure());
    }
}

base::Status RemoteEngine::take(const Frame& frame) {
    if (flagIn(frame.line, "beat")) {
        connection_->answer();
        return {};
    }
    if (const auto problem = frame.line.find("problem");
        problem != frame.line.end() && problem->is_string()) {
        ended_ = true;
        endedAt_ = Clock::now();
        errorText_ = fmt::format("host {}: {}", host_.name, base::oneLine(problem->get<std::string>()));
        return {};
    }
    if (frame.line.contains("need")) {
        return takeNeed(frame);
    }
    if (flagIn(frame.line, "placed")) {
        ended_ = true;
        forgotten_ = true;  // no further message about it is needed
        exitCode_ = 0;
        return {};
    }
    if (flagIn(frame.line, "begun")) {
        begun_ = true;
        return {};
    }
    if (frame.line.contains("file")) {
        return takeFile(frame);
    }
    return flagIn(frame.line, "ended") ? takeEnd(frame) : base::Status();
}

/// The host needs a volume, or the rest of one.
base::Status RemoteEngine::takeNeed(const Frame& frame) {
    const base::Json& need = frame.line["need"];
    const std::string name = need.is_string() ? need.get<std::string>() : "";
    sent_ = integerIn(frame.line, "from", -1);
    for (std::size_t i = 0; start_ && i < volumes_.size() && i < start_->volumes.size(); ++i) {
        if (start_->volumes[i].sha256 == name && sent_ >= 0 && sent_ <= start_->volumes[i].bytes) {
            sending_ = i;
            return {};
        }
    }
    return base::Error{
        fmt::format("host {}: the program there requested a volume that this run does not have", host_.name)};
}

/// Sends as much of the volume as the connection takes now.
void RemoteEngine::sendVolume() {
    std::string chunk;
    for (std::size_t taken = 0; sending_ && connection_->waiting() < kChunk && taken < kMostSentPerTurn;) {
        const VolumeKey& volume = start_->volumes[*sending_];
        chunk.resize(static_cast<std::size_t>(std::min<base::Bytes>(kChunk, volume.bytes - sent_)));
        const ssize_t n = ::pread(volumes_[*sending_].get(), chunk.data(), chunk.size(), sent_);
        if (n <= 0) {
            sending_.reset();
            return;
        }
        chunk.resize(static_cast<std::size_t>(n));
        connection_->send(toText({{"volume", volume.sha256}, {"at", sent_}}, chunk));
        sent_ += n;
        taken += chunk.size();
        if (sent_ >= volume.bytes) {
            sending_.reset();
        }
    }
}

std::string RemoteEngine::activity() const {
    if (sending_) {
        const auto of = static_cast<double>(start_->volumes[*sending_].bytes);
        const std::string which =
            volumes_.size() > 1 ? fmt::format("volume {} of {}", *sending_ + 1, volumes_.size()) : "the scan";
        return fmt::format("sending {} to {}: {:.0f} %", which, host_.name,
                           100 * static_cast<double>(sent_) / of);
    }
    if (traceAll_ > 0 && !lost_) {
        return fmt::format("fetching the trace from {}: {:.0f} %", host_.name,
                           100 * static_cast<double>(traceHave_) / static_cast<double>(traceAll_));
    }
    return lost_ && !ended_ ? fmt::format("{}: connecting again", host_.name) : "";
}

base::Status RemoteEngine::takeFile(const Frame& frame) {
    const auto foreign = [&] {
        return base::Error{
            fmt::format("host {}: what runs there sent a file that was not expected", host_.name)};
    };
    const base::Json& file = frame.line["file"];
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    const std::int64_t at = integerIn(frame.line, "at", -1);
    if (name == kEvents) {
        struct stat facts{};
        if (::fstat(events_.get(), &facts) != 0 || facts.st_size != at) {
            return foreign();
        }
        const auto most =
            mostEvents(start_ ? std::optional(start_->steps + start_->warmup) : std::nullopt, ageOf(folder_));
        if (at + static_cast<base::Bytes>(frame.bytes.size()) > most) {
            return refuse(name, most);
        }
        return base::writeAll(events_.get(), frame.bytes) ? base::Status() : cannot(folder_ / kEvents);
    }
    if (name == memory::kTraceChunks) {
        return noTrace_ ? base::Status() : at == traceHave_ ? takeTrace(frame) : foreign();
    }
    if (at == 0) {
        part_.clear();
    }
    if (!isWhole(name) || at != static_cast<std::int64_t>(part_.size())) {
        return foreign();
    }
    if (at == 0) {
        mostPart_ = mostOf(name, folder_ / "experiment.json");
    }
    part_ += frame.bytes;
    if (static_cast<base::Bytes>(part_.size()) > mostPart_) {
        return refuse(name, mostPart_);
    }
    if (!flagIn(frame.line, "last")) {
        return {};
    }
    return putFile(folder_, name, std::exchange(part_, {}));
}

/// Ends the run: the host sends data that no engine can have written.
base::Status RemoteEngine::refuse(std::string_view name, base::Bytes most) {
    ended_ = true;
    endedAt_ = Clock::now() - kFarewell + std::chrono::seconds(1);  // leaves a second to deliver kKill
    part_ = {};
    errorText_ = fmt::format(
        "host {}: what runs there sent more than {} of {}, which no such run writes; the run was ended",
        host_.name, base::formatBytes(most), name);
    connection_->send(std::string(kKill) + "\n");
    return {};
}

base::Status RemoteEngine::takeTrace(const Frame& frame) {
    const auto part = folder_ / memory::kTraceChunksPart;
    const auto without = [&](const std::string& why) {
        say(fmt::format("run without its trace: {}", why));
        traceAll_ = 1;  // marks it as arriving, although no more of it is wanted
        stop(kNoTrace);
        return base::Status();
    };
    traceAll_ = integerIn(frame.line, "of", 0);
    traceHave_ += static_cast<base::Bytes>(frame.bytes.size());
    if (std::max(traceAll_, traceHave_) > memory::kMostTraceChunks) {
        return without(fmt::format("host {} has {} of it, and at most {} are fetched", host_.name,
                                   base::formatBytes(std::max(traceAll_, traceHave_)),
                                   base::formatBytes(memory::kMostTraceChunks)));
    }
    if (!base::writeAll(trace_.get(), frame.bytes)) {
        return without(cannot(part).message);
    }
    if (!flagIn(frame.line, "last")) {
        return {};
    }
    traceAll_ = 0;
    if (::fsync(trace_.get()) != 0 || ::rename(part.c_str(), (folder_ / memory::kTraceChunks).c_str()) != 0) {
        return without(cannot(part).message);
    }
    trace_ = base::Descriptor();
    return {};
}

base::Status RemoteEngine::takeEnd(const Frame& frame) {
    if (::fsync(events_.get()) != 0 && errno != EINVAL) {
        return cannot(folder_ / kEvents);
    }
    ended_ = true;
    endedAt_ = Clock::now();
    const auto node = frame.line.find("node");
    node_ = node != frame.line.end() && node->is_string() ? base::oneLine(node->get<std::string>(), 64) : "";
    exitCode_ = static_cast<int>(std::clamp<std::int64_t>(integerIn(frame.line, "exit_code", -1), -1, 255));
    if (flagIn(frame.line, "unknown")) {
        errorText_ = fmt::format("host {} knows nothing of this run: it never began there, or was removed",
                                 host_.name);
    } else if (flagIn(frame.line, "timed_out")) {
        timedOut_ = true;
        say(fmt::format("host {}: the run reached its time limit and was stopped", host_.name));
    }
    connection_->send(std::string(kFetched) + "\n");
    return {};
}

void RemoteEngine::readEvents() {
    std::array<char, 65536> chunk;
    behind_ = true;
    for (std::size_t taken = 0; behind_ && taken < kMostPerTurn;) {
        const ssize_t n = reading_.get() < 0 ? 0 : ::read(reading_.get(), chunk.data(), chunk.size());
        if (n > 0) {
            lines_.add({chunk.data(), static_cast<std::size_t>(n)});
            taken += static_cast<std::size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            behind_ = false;
        }
    }
}

std::vector<wire::Event> RemoteEngine::read() {
    if (finished_) {
        return {};
    }
    if (!ended_) {
        connect();
        if (connection_ && asked_) {
            receive();
        }
        if (connection_ && sending_) {
            sendVolume();
        }
    } else if (connection_) {
        receive();  // waits until the host has deleted the run
    }
    if (reading_.get() < 0 && !ended_) {
        (void)openEvents().ok();
    }
    readEvents();
    const bool farewell =
        !connection_ || forgotten_ || connection_->closed() || Clock::now() - endedAt_ > kFarewell;
    if (ended_ && !behind_ && farewell) {
        lines_.end();
        finished_ = true;
        if (errorText_.empty()) {
            const auto errors = base::openRegular(folder_ / kErrors);
            errorText_ = errors ? base::readTail(errors->get(), kErrorTail) : "";
        }
        if (!forgotten_) {
            connection_.reset();
        }
    }
    std::vector<wire::Event> events = std::exchange(own_, {});
    for (wire::Event& event : lines_.take()) {
        events.push_back(std::move(event));
    }
    return events;
}

void RemoteEngine::stop(std::string_view how) {
    noTrace_ = noTrace_ || traceAll_ > 0;  // the run is over: only the transfer of the trace can be stopped
    stop_ = noTrace_ ? kNoTrace : how;
    traceAll_ = 0;
    if (connection_ && asked_) {
        connection_->send(stop_ + "\n");
    }
}

void RemoteEngine::cancel() {
    stop(kCancel);
}

void RemoteEngine::kill() {
    stop(kKill);
}

void RemoteEngine::wait(int timeoutMs) const {
    if (connection_ && !connection_->closed()) {
        connection_->wait(timeoutMs);
    } else {
        ::poll(nullptr, 0, std::min(timeoutMs, 100));
    }
}

}  // namespace highwater::hosts
