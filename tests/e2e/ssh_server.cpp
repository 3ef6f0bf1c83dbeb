#include "tests/e2e/ssh_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/e2e/net_link.h"
#include "tests/e2e/program.h"

namespace highwater::e2e {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";

}  // namespace

int freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
    ::close(fd);
    return ntohs(address.sin_port);
}

namespace {

bool answers(const std::string& host, int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool good = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return good;
}

int parentOf(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.rfind(") ");
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 4);
}

std::vector<int> allProcesses() {
    std::vector<int> pids;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        if (const int pid = std::atoi(entry.path().filename().c_str()); pid > 0) {
            pids.push_back(pid);
        }
    }
    return pids;
}

}  // namespace

fs::path engineIn(const fs::path& cache) {
    return cache / "highwater" / "engine" / textOf(programPath("engine-source.id")).substr(0, 16);
}

void prepareIn(const fs::path& cache) {
    const fs::path programs = engineIn(cache) / "build" / "bin";
    fs::create_directories(programs);
    fs::create_symlink(programPath("highwater-host"), programs / "highwater-host");
    std::ofstream(engineIn(cache) / "ready") << "\n";
}

std::vector<int> descendantsOf(int pid) {
    std::map<int, std::vector<int>> children;
    for (const int each : allProcesses()) {
        children[parentOf(each)].push_back(each);
    }
    std::vector<int> found = children[pid];
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::vector<int> more = children[found[i]];
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

std::vector<std::string> programsWith(const std::string& text) {
    std::vector<std::string> found;
    for (const int pid : allProcesses()) {
        const fs::path folder = "/proc/" + std::to_string(pid);
        const std::string name = textOf(folder / "comm");
        const std::string words = textOf(folder / "cmdline");
        if (name.starts_with("highwater-") && (words.find(text) != std::string::npos ||
                                               textOf(folder / "environ").find(text) != std::string::npos)) {
            found.push_back(std::to_string(pid) + " " + words);
        }
    }
    return found;
}

SshServer::SshServer(const fs::path& folder, const std::map<std::string, std::string>& variables,
                     const NetLink* link)
    : folder_(folder), address_(link ? link->address() : "127.0.0.1"), link_(link) {
    fs::create_directories(folder_);
    if (::access(kSshd, X_OK) != 0) {
        problem_ = std::string(kSshd) + " is not there (Debian: openssh-server)";
    } else if (::geteuid() == 0 && ::mkdir("/run/sshd", 0755) != 0 && errno != EEXIST) {
        problem_ = "/run/sshd, which sshd needs as root, cannot be made";
    }
    if (problem_.empty()) {
        makeKeys();
        port_ = freePort();
        writeConfigs(variables);
        start();
    }
}

void SshServer::makeKeys() {
    for (const char* key : {"host_key", "user_key"}) {
        const std::string command =
            "ssh-keygen -q -t ed25519 -N '' -f '" + (folder_ / key).string() + "' < /dev/null > /dev/null";
        if (std::system(command.c_str()) != 0) {
            problem_ = "ssh-keygen makes no key";
        }
    }
    fs::copy_file(folder_ / "user_key.pub", folder_ / "authorized_keys");
}

void SshServer::writeConfigs(const std::map<std::string, std::string>& variables) {
    const std::string at = folder_.string();
    const passwd* user = ::getpwuid(::geteuid());
    std::ofstream server(folder_ / "sshd_config");
    server
        << "Port " << port_ << "\nListenAddress " << address_ << "\nHostKey " << at
        << "/host_key\nAuthorizedKeysFile " << at
        << "/authorized_keys\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
           "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\nPrintMotd no\n"
           "MaxStartups 100\nUseDNS no\nSetEnv";
    for (const auto& [name, value] : variables) {
        server << ' ' << name << '=' << value;
    }
    server << '\n';
    std::ofstream client(folder_ / "ssh_config");
    client << "Host loopback\n  HostName " << address_ << "\n  Port " << port_ << "\n  User "
           << (user ? user->pw_name : "root") << "\n  IdentityFile " << at
           << "/user_key\n  IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile "
           << knownHosts().string()
           << "\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking accept-new\n";
    std::string key = textOf(folder_ / "host_key.pub");
    std::ofstream(knownHosts()) << '[' << address_ << "]:" << port_ << ' ' << key;
}

void SshServer::start() {
    if (!problem_.empty()) {
        return;
    }
    const std::string config = (folder_ / "sshd_config").string(), log = (folder_ / "sshd.log").string();
    pid_ = ::fork();
    if (pid_ == 0) {
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        ::dup2(out, 1);
        ::dup2(out, 2);
        if (link_ && !link_->enter()) {
            ::_exit(127);
        }
        ::execl(kSshd, kSshd, "-D", "-e", "-f", config.c_str(), nullptr);
        ::_exit(127);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!answers(address_, port_)) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_ || std::chrono::steady_clock::now() > end) {
            const std::string said = textOf(log);
            problem_ = "sshd does not start: " + said.substr(0, said.find('\n'));
            pid_ = -1;
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::vector<int> SshServer::sessions() const {
    return pid_ > 0 ? descendantsOf(pid_) : std::vector<int>();
}

int SshServer::cutConnections() {
    // Only sshd's own processes: what they started finds its pipes closed, as after any broken connection.
    int count = 0;
    for (const int pid : sessions()) {
        if (textOf("/proc/" + std::to_string(pid) + "/comm") == "sshd\n") {
            count += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
        }
    }
    return count;
}

void SshServer::stop() {
    if (pid_ > 0) {
        cutConnections();
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
}

SshServer::~SshServer() {
    stop();
}

}  // namespace highwater::e2e
