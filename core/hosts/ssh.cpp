#include "core/hosts/ssh.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdlib>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/hosts/pace.h"

namespace highwater::hosts {

namespace {

/// The last line of ssh's output, without "ssh: " and the period.
std::string lastLineOf(std::string_view said) {
    said = said.substr(0, said.find_last_not_of("\r\n .") + 1);
    const std::size_t at = said.find_last_of("\r\n");
    said = at == std::string_view::npos ? said : said.substr(at + 1);
    constexpr std::string_view kStart = "ssh: ";
    return base::oneLine(said.starts_with(kStart) ? said.substr(kStart.size()) : said, 300);
}

}  // namespace

std::string singleQuoted(std::string_view text) {
    assert(text.find_first_of("'!\n\r\\") == std::string_view::npos);
    return fmt::format("'{}'", text);
}

base::Result<base::Launch> shellLaunch(const Host& host, const std::string& command) {
    HIGHWATER_TRY(checkHost(host));
    base::Launch launch;
    if (host.destination == kHere) {
        launch.program = "/bin/sh";
        launch.arguments = {"-c", command};
        return launch;
    }
    launch.program = base::programOnPath("ssh");
    if (launch.program.empty()) {
        return base::Error{"ssh is not on PATH; install OpenSSH's client (Debian: openssh-client)"};
    }
    if (const char* config = std::getenv("HIGHWATER_SSH_CONFIG"); config && *config) {
        launch.arguments = {"-F", config};
    }
    for (const char* option :
         {"BatchMode=yes", "StrictHostKeyChecking=yes", "ServerAliveCountMax=3", "ClearAllForwardings=yes",
          "ForwardAgent=no", "ForwardX11=no", "RequestTTY=no", "RemoteCommand=none", "EscapeChar=none",
          "Compression=yes", "LogLevel=ERROR"}) {
        launch.arguments.insert(launch.arguments.end(), {"-o", option});
    }
    launch.arguments.insert(launch.arguments.end(),
                            {"-o", fmt::format("ConnectTimeout={}", pace().connectSeconds), "-o",
                             fmt::format("ServerAliveInterval={}", pace().aliveSeconds)});
    launch.arguments.insert(launch.arguments.end(), {"--", host.destination, command});
    return launch;
}

std::string describeFailure(const Host& host, std::string_view said) {
    const auto has = [&](std::string_view words) { return said.find(words) != std::string_view::npos; };
    std::string why = lastLineOf(said);
    if (has("IDENTIFICATION HAS CHANGED")) {
        why =
            "its key is not the known one: another machine may be answering in its place; ask its "
            "administrator before you remove the old key from known_hosts";
    } else if (has("Host key verification failed")) {
        why = fmt::format("its key is not known; connect once with `ssh {}` and compare the fingerprint",
                          host.destination);
    } else if (has("Permission denied")) {
        why = fmt::format(
            "it accepts none of your keys; `ssh {}` must work without a password (ssh-add, "
            "ssh-copy-id)",
            host.destination);
    } else if (why.empty()) {
        why = "the connection was closed";
    }
    return fmt::format("host {}: {}", host.name, why);
}

}  // namespace highwater::hosts
