#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/process_identity.h"

namespace highwater::test {

/// A process that waits until it is killed, in place of one that is working.
class WaitingProcess {
public:
    /// `first` is called in that process.
    template <class First>
    explicit WaitingProcess(First first) : pid_(::fork()) {
        if (pid_ == 0) {
            first();
            for (;;) {
                ::pause();
            }
        }
    }
    WaitingProcess() : WaitingProcess([] {}) {}
    WaitingProcess(const WaitingProcess&) = delete;
    WaitingProcess& operator=(const WaitingProcess&) = delete;
    ~WaitingProcess() { end(); }

    int pid() const { return pid_; }
    base::ProcessIdentity identity() const { return base::identityOf(pid_); }
    /// The same process id, of a process that started earlier.
    base::ProcessIdentity reused() const {
        base::ProcessIdentity other = identity();
        --other.start;
        return other;
    }
    bool alive() const { return base::lifeOf(identity()) == base::Life::Alive; }
    /// The signal that ended it; 0 if it ended by itself.
    int endedBy() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    void end() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            endedBy();
        }
    }

private:
    pid_t pid_ = -1;
};

/// The identity of a process that has ended.
inline base::ProcessIdentity goneProcess() {
    WaitingProcess process;
    const base::ProcessIdentity identity = process.identity();
    process.end();
    return identity;
}

}  // namespace highwater::test
