#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/descriptor.h"
#include "core/base/process.h"
#include "core/base/result.h"
#include "core/hosts/frames.h"
#include "core/hosts/hosts.h"

namespace highwater::hosts {

/// A connection through ssh to highwater-host on a host. Not thread-safe; the destructor ends ssh, which ends
/// highwater-host, but no run.
class Connection {
public:
    /// Starts ssh without waiting for it; for this machine, highwater-host itself. Error: ssh, or this
    /// version's engine source, is not installed.
    static base::Result<Connection> open(const Host& host);
    /// The same, then waits until highwater-host has answered. Errors: those of open(); the host cannot be
    /// reached, is not prepared (the message says how to prepare it), or did not answer; "cancelled".
    static base::Result<Connection> openAndWait(const Host& host, const std::atomic<bool>* cancel = nullptr);

    /// -1 once closed
    int fd() const { return output_.get(); }
    /// Receives the data that has arrived, at most 1 MiB a call, and sends queued data, without blocking.
    void pump();
    /// The next complete frame. After an error the connection cannot be used any more.
    base::Result<std::optional<Frame>> take() { return frames_.take(); }
    base::Result<bool> greet();  ///< as Frames::greet(); errors name the host and say what to do
    /// True once highwater-host has answered.
    bool greeted() const { return frames_.greeted(); }
    /// True once no more data can arrive.
    bool closed() const { return output_.get() < 0; }
    /// Sends as much as possible now, and the rest in the next pump().
    void send(std::string_view text);
    /// Sends a sign of life, unless data is already queued, so that a host that keeps asking without reading
    /// the answers cannot fill the memory.
    void answer();
    /// True if nothing has arrived for 25 s, or for a minute before the greeting (pace()): the link is down,
    /// or the other end hangs. highwater-host sends a sign of life every 5 s.
    bool silent() const;
    /// Number of queued bytes.
    std::size_t waiting() const { return outgoing_.size(); }
    /// Waits for data to arrive, for room to send, for the end of the connection, or for the timeout.
    void wait(int timeoutMs) const;
    /// After closed() or silent(): why the connection failed, as one line.
    std::string failure() const;

private:
    Connection() = default;
    void flush();
    Host host_;
    base::Process ssh_;
    base::Descriptor input_, output_, errors_;
    std::string outgoing_;
    Frames frames_;
    std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();
};

/// An unnamed file for a program's stderr.
base::Result<base::Descriptor> unnamedFile();

}  // namespace highwater::hosts
