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

/// highwater-host on a host, at the other end of ssh. Not thread-safe; destroying it ends ssh, which ends
/// highwater-host, and no run.
class Connection {
public:
    /// Starts ssh and does not wait for it; on this machine, highwater-host itself. Error: ssh, or this
    /// version's engine source, is not installed.
    static base::Result<Connection> open(const Host& host);
    /// The same, and waits until highwater-host has answered. Errors: those of open(); the host cannot be
    /// reached, is not prepared (the line says how), or did not answer; "cancelled".
    static base::Result<Connection> openAndWait(const Host& host, const std::atomic<bool>* cancel = nullptr);

    /// -1 once it is closed.
    int fd() const { return output_.get(); }
    /// Takes what has arrived, at most 1 MiB a call, and sends what waits, without waiting for the other end.
    void pump();
    /// The next complete frame. After an error the connection is of no use any more.
    base::Result<std::optional<Frame>> take() { return frames_.take(); }
    base::Result<bool> greet();  ///< see Frames::greet(); its errors name the host and say what to do
    /// True once highwater-host has answered.
    bool greeted() const { return frames_.greeted(); }
    /// True once nothing more can arrive.
    bool closed() const { return output_.get() < 0; }
    /// Sends it now as far as the other end takes it, and the rest with the next pump().
    void send(std::string_view text);
    /// Says that this end lives, unless something waits to be sent: a host that asks without end, and takes
    /// no answer, fills no memory.
    void answer();
    /// True once nothing has arrived for 25 s, or for a minute before it has answered (pace()):
    /// the link is down, or what is at the other end stands still. highwater-host says something every 5 s.
    bool silent() const;
    /// How much waits to be sent.
    std::size_t waiting() const { return outgoing_.size(); }
    /// Waits until something arrives or can be sent, the end, or the time-out.
    void wait(int timeoutMs) const;
    /// After closed() or silent(): why it is of no use any more, as one line.
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

/// A file without a name, for what a program writes on stderr.
base::Result<base::Descriptor> unnamedFile();

}  // namespace highwater::hosts
