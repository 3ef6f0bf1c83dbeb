#include "tests/e2e/slurm_cluster.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/e2e/program.h"
#include "tests/e2e/ssh_server.h"

namespace highwater::e2e {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr const char *kController = "/usr/sbin/slurmctld", *kNode = "/usr/sbin/slurmd";

void killAndWait(int& pid) {
    if (pid > 0) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        pid = -1;
    }
}

}  // namespace

SlurmCluster::SlurmCluster(const fs::path& folder) : folder_(folder) {
    for (const char* program : {kController, kNode, "/usr/bin/sbatch"}) {
        if (::access(program, X_OK) != 0) {
            problem_ = std::string(program) + " is not there (Debian: slurmctld, slurmd, slurm-client)";
            return;
        }
    }
    for (const char* each : {"state", "spool"}) {
        fs::create_directories(folder_ / each);
    }
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    node_ = std::string(name).substr(0, std::string(name).find('.'));
    const passwd* user = ::getpwuid(::geteuid());
    const std::string me = user ? user->pw_name : "root", at = folder_.string();
    std::ofstream(folder_ / "gres.conf") << "Name=slot Count=2\n";
    std::ofstream(config()) << "ClusterName=test\nSlurmctldHost=" << node_ << "(127.0.0.1)\nSlurmUser=" << me
                            << "\nSlurmdUser=" << me << "\nSlurmctldPort=" << freePort()
                            << "\nSlurmdPort=" << freePort() << "\nStateSaveLocation=" << at
                            << "/state\nSlurmdSpoolDir=" << at << "/spool\nSlurmctldPidFile=" << at
                            << "/slurmctld.pid\nSlurmdPidFile=" << at
                            << "/slurmd.pid\nSlurmctldLogFile=" << at
                            << "/slurmctld.log\nSlurmdLogFile=" << at << "/slurmd.log\n"
                            << R"(AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmctldTimeout=30
SlurmdTimeout=5
MessageTimeout=5
KillWait=2
InactiveLimit=0
GresTypes=slot
)" << "NodeName=" << node_
                            << " NodeAddr=127.0.0.1 NodeHostname=" << node_
                            << " CPUs=8 RealMemory=1000 Gres=slot:2 State=UNKNOWN\nPartitionName=short Nodes="
                            << node_ << " Default=YES MaxTime=INFINITE State=UP\n";
    startController();
    startNode();
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (problem_.empty() && nodeState() != "idle") {
        const bool ended = ::waitpid(daemon_, nullptr, WNOHANG) == daemon_;
        if (ended) {
            daemon_ = -1;
        }
        if (ended || std::chrono::steady_clock::now() > end) {
            problem_ = "Slurm does not start (the node is " + nodeState() + ")" + endOf("slurmd.log") +
                       endOf("slurmctld.log") + endOf("daemons.out");
        }
        std::this_thread::sleep_for(100ms);
    }
}

/// The last line of a log, which contains the reason.
std::string SlurmCluster::endOf(const char* log) const {
    constexpr std::size_t kMost = 300;
    const std::string text = textOf(folder_ / log);
    return text.empty()
               ? std::string()
               : std::string("; ") + log + ": " + text.substr(text.size() - std::min(kMost, text.size()));
}

void SlurmCluster::start(const char* program, const std::vector<std::string>& arguments, int& pid) {
    pid = ::fork();
    if (pid != 0) {
        return;
    }
    const int out =
        ::open((folder_ / "daemons.out").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::dup2(out, 1);
    ::dup2(out, 2);
    std::vector<char*> words = {const_cast<char*>(program)};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    ::execv(program, words.data());
    ::_exit(127);
}

void SlurmCluster::startController() {
    start(kController, {"-D", "-f", config().string()}, controller_);
}

void SlurmCluster::startNode() {
    start(kNode, {"-D", "-f", config().string(), "-N", node_}, daemon_);
}

void SlurmCluster::killController() {
    const std::vector<int> helpers = descendantsOf(controller_);
    killAndWait(controller_);
    for (const int pid : helpers) {
        ::kill(pid, SIGKILL);
    }
}

void SlurmCluster::killNode() {
    killAndWait(daemon_);
}

/// The processes of this cluster: those that have its log open.
std::vector<int> SlurmCluster::stepDaemons() const {
    std::vector<int> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const int pid = std::atoi(entry.path().filename().c_str());
        if (pid <= 0 || !textOf(entry.path() / "comm").starts_with("slurmstepd")) {
            continue;
        }
        std::error_code ignored;
        for (fs::directory_iterator at(entry.path() / "fd", ignored), end; at != end; at.increment(ignored)) {
            if (fs::read_symlink(at->path(), ignored).string().starts_with(folder_.string())) {
                found.push_back(pid);
                break;
            }
        }
    }
    return found;
}

void SlurmCluster::loseNode() {
    killAndWait(daemon_);
    for (const int daemon : stepDaemons()) {
        std::vector<int> all = descendantsOf(daemon);
        all.insert(all.begin(), daemon);
        for (const int pid : all) {
            ::kill(pid, SIGKILL);
        }
    }
}

std::string SlurmCluster::ask(const std::string& commandLine) const {
    const std::string command =
        "SLURM_CONF='" + config().string() + "' timeout 20 " + commandLine + " 2>/dev/null";
    std::string said;
    if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
        char chunk[4096];
        for (std::size_t n = 0; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) {
            said.append(chunk, n);
        }
        ::pclose(pipe);
    }
    return said;
}

void SlurmCluster::resumeNode() const {
    ask("scontrol update NodeName=" + node_ + " State=RESUME");
}

std::string SlurmCluster::nodeState() const {
    const std::string said = ask("sinfo --noheader --format=%T");
    return said.substr(0, said.find('\n'));
}

SlurmCluster::~SlurmCluster() {
    loseNode();
    killController();
}

}  // namespace highwater::e2e
