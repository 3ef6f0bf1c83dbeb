#include "core/hosts/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/base/paths.h"
#include "core/hosts/pace.h"
#include "core/hosts/prepare.h"
#include "core/hosts/ssh.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kMostPerPump = 1 << 20;
constexpr int kWaitMs = 50;

}  // namespace

namespace {

base::Result<base::Launch> hostLaunch(const Host& host) {
    if (host == thisMachine()) {
        base::Launch launch;
        launch.program = base::siblingProgram("highwater-host");
        return launch.program.empty()
                   ? base::Result<base::Launch>(base::Error{
                         fmt::format("highwater-host is not beside this program in {}; install it there",
                                     base::programFolder().string())})
                   : launch;
    }
    const auto source = engineSource();
    return source ? shellLaunch(host, startCommand(*source)) : source.error();
}

}  // namespace

base::Result<base::Descriptor> unnamedFile() {
    base::Descriptor file(::memfd_create("highwater-ssh", MFD_CLOEXEC));
    if (file.get() < 0) {
        return base::Error{fmt::format("no temporary file can be made: {}", std::strerror(errno))};
    }
    return file;
}

base::Result<Connection> Connection::open(const Host& host) {
    auto launch = hostLaunch(host);
    auto out = base::openPipe();
    auto errors = unnamedFile();
    if (!launch || !out || !errors) {
        return !launch ? launch.error() : !out ? out.error() : errors.error();
    }
    int ends[2];  // a socket, because writing to a pipe without a reader would raise SIGPIPE
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return base::Error{fmt::format("no connection to ssh can be made: {}", std::strerror(errno))};
    }
    const base::Descriptor theirs(ends[1]);
    base::Descriptor ours(ends[0]);
    launch->input = theirs.get();
    launch->output = out->write.get();
    launch->errors = errors->get();
    auto ssh = HIGHWATER_TRY(base::Process::start(*launch));
    Connection connection;
    connection.host_ = host;
    connection.ssh_ = std::move(ssh);
    connection.input_ = std::move(ours);
    connection.output_ = std::move(out->read);
    connection.errors_ = std::move(*errors);
    ::fcntl(connection.output_.get(), F_SETFL, O_NONBLOCK);
    return connection;
}

base::Result<Connection> Connection::openAndWait(const Host& host, const std::atomic<bool>* cancel) {
    auto connection = HIGHWATER_TRY(open(host));
    for (;;) {
        connection.wait(kWaitMs);
        connection.pump();
        const auto ready = HIGHWATER_TRY(connection.greet());
        if (ready) {
            return connection;
        }
        if (connection.closed() || connection.silent()) {
            return base::Error{connection.failure()};
        }
        if (cancel && cancel->load()) {
            return base::Error{"cancelled"};
        }
    }
}

base::Result<bool> Connection::greet() {
    const auto ready = frames_.greet();
    if (ready) {
        return ready;
    }
    if (ready.error().message != kNotPrepared) {
        return base::Error{fmt::format("host {}: {}", host_.name, ready.error().message)};
    }
    return base::Error{
        fmt::format("host {} is not prepared for this version of Highwater; `highwater-cli hosts check {}` "
                    "builds the engine "
                    "there",
                    host_.name, host_.name)};
}

void Connection::pump() {
    flush();
    base::boundErrors(errors_.get());
    std::array<char, 65536> chunk;
    for (std::size_t taken = 0; output_.get() >= 0 && taken < kMostPerPump;) {
        const ssize_t n = ::read(output_.get(), chunk.data(), chunk.size());
        if (n > 0) {
            frames_.add({chunk.data(), static_cast<std::size_t>(n)});
            taken += static_cast<std::size_t>(n);
            heard_ = std::chrono::steady_clock::now();
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        } else {
            output_ = base::Descriptor();
        }
    }
}

void Connection::answer() {
    if (outgoing_.empty()) {
        send("\n");
    }
}

void Connection::send(std::string_view text) {
    outgoing_ += text;
    flush();
}

void Connection::flush() {
    std::size_t done = 0;
    while (done < outgoing_.size() && input_.get() >= 0) {
        const ssize_t n = ::send(input_.get(), outgoing_.data() + done, outgoing_.size() - done,
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            break;
        } else if (errno != EINTR) {
            input_ = base::Descriptor();
        }
    }
    outgoing_.erase(0, input_.get() < 0 ? outgoing_.size() : done);
}

void Connection::wait(int timeoutMs) const {
    if (output_.get() >= 0) {
        pollfd ends[2] = {{output_.get(), POLLIN, 0}, {outgoing_.empty() ? -1 : input_.get(), POLLOUT, 0}};
        ::poll(ends, 2, timeoutMs);
    }
}

bool Connection::silent() const {
    return std::chrono::steady_clock::now() - heard_ > (greeted() ? pace().silence : pace().greeting);
}

std::string Connection::failure() const {
    if (!closed()) {
        return greeted() ? fmt::format("host {}: nothing has arrived from it for {:g} s", host_.name,
                                       std::chrono::duration<double>(pace().silence).count())
                         : fmt::format("host {}: it did not answer within a minute", host_.name);
    }
    return describeFailure(host_, base::readTail(errors_.get(), 4096));
}

}  // namespace highwater::hosts
