#pragma once

#include <string>

namespace highwater::e2e {

/// A pair of virtual network devices: one end here, the other one in a separate network namespace, in which a
/// program can run. The link can be cut and restored. Needs root and `ip` (Debian: iproute2). Destroying it,
/// or the end of this program, removes both ends and the namespace.
class NetLink {
public:
    NetLink();
    NetLink(const NetLink&) = delete;
    NetLink& operator=(const NetLink&) = delete;
    ~NetLink();

    /// Why it cannot be created here; empty: it exists and is up.
    const std::string& problem() const { return problem_; }
    /// The IPv4 address of the other end.
    const std::string& address() const { return address_; }
    /// Moves the calling process into the namespace; returns false if it cannot. To be called in a child
    /// before it executes its program.
    bool enter() const;

    enum class Cut {
        Here,   ///< this end is down: sending fails at once
        There,  ///< the other end is down
        Route   ///< the other end has no return route: what is sent is silently lost
    };
    void cut(Cut how) const;
    void mend() const;

private:
    bool run(const std::string& command, bool there = false) const;
    std::string problem_, network_, address_, here_, there_;
    int holder_ = -1;  ///< the process that keeps the namespace alive
    int entry_ = -1;
};

}  // namespace highwater::e2e
