#include "tests/e2e/net_link.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace highwater::e2e {

namespace {

/// A process in a new network namespace that waits until it is ended. -1: none can be created; see errno.
int startHolder() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    const int pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int code = ::unshare(CLONE_NEWNET) == 0 ? 0 : errno;
        (void)!::write(ends[1], &code, sizeof code);
        while (code == 0) {
            ::pause();
        }
        ::_exit(1);
    }
    int code = EAGAIN;
    ::close(ends[1]);
    (void)!::read(ends[0], &code, sizeof code);
    ::close(ends[0]);
    if (pid > 0 && code != 0) {
        ::waitpid(pid, nullptr, 0);
    }
    errno = code;
    return code == 0 ? pid : -1;
}

}  // namespace

NetLink::NetLink() {
    // From the addresses for network tests (RFC 2544), a subnet that only this process uses.
    const int own = ::getpid() & 0x7fff;
    const std::string start =
        "198." + std::to_string(18 + (own >> 14)) + "." + std::to_string((own >> 6) & 0xff) + ".";
    const int first = 4 * (own & 63);
    network_ = start + std::to_string(first) + "/30";
    address_ = start + std::to_string(first + 2);
    here_ = "hwl" + std::to_string(own);
    there_ = here_ + "t";
    holder_ = startHolder();
    if (holder_ < 0) {
        problem_ = std::string("no network namespace can be made here: ") + std::strerror(errno);
        return;
    }
    entry_ = ::open(("/proc/" + std::to_string(holder_) + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC);
    if (!run("ip -V")) {
        problem_ = "ip is not there (Debian: iproute2)";
    } else if (!run("ip link add " + here_ + " type veth peer name " + there_ + " netns " +
                    std::to_string(holder_)) ||
               !run("ip addr add " + start + std::to_string(first + 1) + "/30 dev " + here_) ||
               !run("ip link set " + here_ + " up") ||
               !run("ip addr add " + address_ + "/30 dev " + there_, true) ||
               !run("ip link set " + there_ + " up", true)) {
        problem_ = "no pair of virtual network devices can be made here";
    }
}

NetLink::~NetLink() {
    if (holder_ > 0) {
        run("ip link del " + here_);
        ::kill(holder_, SIGKILL);
        ::waitpid(holder_, nullptr, 0);
    }
    if (entry_ >= 0) {
        ::close(entry_);
    }
}

bool NetLink::enter() const {
    return ::setns(entry_, CLONE_NEWNET) == 0;
}

bool NetLink::run(const std::string& command, bool there) const {
    const int pid = ::fork();
    if (pid == 0) {
        if (there && !enter()) {
            ::_exit(1);
        }
        ::execl("/bin/sh", "sh", "-c", ("exec " + command + " > /dev/null 2>&1").c_str(), nullptr);
        ::_exit(127);
    }
    int status = -1;
    return ::waitpid(pid, &status, 0) == pid && status == 0;
}

void NetLink::cut(Cut how) const {
    switch (how) {
        case Cut::Here:
            run("ip link set " + here_ + " down");
            break;
        case Cut::There:
            run("ip link set " + there_ + " down", true);
            break;
        case Cut::Route:
            run("ip route del " + network_ + " dev " + there_, true);
            break;
    }
}

void NetLink::mend() const {
    run("ip link set " + here_ + " up");
    run("ip link set " + there_ + " up", true);
    run("ip route replace " + network_ + " dev " + there_ + " src " + address_, true);
}

}  // namespace highwater::e2e
