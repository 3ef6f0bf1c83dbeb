#pragma once

#include <string>

namespace highwater::e2e {

/// A pair of virtual network devices: one end here, the other one in a network namespace of its own, where a
/// program can be put. The link can be cut and mended. Needs root and `ip` (Debian: iproute2). Destroying it,
/// or the end of this program, removes both ends and the namespace.
class NetLink {
public:
    NetLink();
    NetLink(const NetLink&) = delete;
    NetLink& operator=(const NetLink&) = delete;
    ~NetLink();

    /// Why it cannot be made here; empty: it is there, and up.
    const std::string& problem() const { return problem_; }
    /// The IPv4 address of the other end.
    const std::string& address() const { return address_; }
    /// Puts the calling process into the namespace; false: it cannot be. For a child before its program
    /// begins.
    bool enter() const;

    enum class Cut {
        Here,   ///< this end is down: what is sent meets an error at once
        There,  ///< the other end is down
        Route   ///< the other end has no way back: what is sent is lost in silence
    };
    void cut(Cut how) const;
    void mend() const;

private:
    bool run(const std::string& command, bool there = false) const;
    std::string problem_, network_, address_, here_, there_;
    int holder_ = -1;  ///< the process that keeps the namespace
    int entry_ = -1;
};

}  // namespace highwater::e2e
