#include "core/hosts/scripts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/text.h"
#include "core/hosts/connection.h"
#include "core/hosts/ssh.h"
#include "texts/hosts_texts.h"

namespace highwater::hosts {

const char* const kCheckScript = texts::check.data();
const char* const kBuildScript = texts::build.data();

std::string unpackCommand(const std::string& version) {
    // No line breaks and no "!", so that csh accepts it, too.
    return fmt::format(
        "exec sh -c 'd=${{XDG_CACHE_HOME:-$HOME/.cache}}/highwater/engine/{0}; rm -rf \"$d/source.$$\" && "
        "mkdir -p "
        "\"$d/source.$$\" && tar -xzf - -C \"$d/source.$$\" && rm -rf \"$d/source\" \"$d/ready\" && mv "
        "\"$d/source.$$\" \"$d/source\" || {{ rm -rf \"$d/source.$$\"; exit 1; }}'",
        version);
}

std::string becomeHostCommand(const std::string& version) {
    return fmt::format(
        "exec sh -c 'd=${{XDG_CACHE_HOME:-$HOME/.cache}}/highwater/engine/{0}; test -e \"$d/ready\" || {{ "
        "echo {1}; "
        "exit 3; }}; exec \"$d/build/bin/highwater-host\"'",
        version, kNotPrepared);
}

std::string scriptCommand(const std::vector<std::string>& parameters) {
    std::string command = "exec sh -s --";
    for (const std::string& parameter : parameters) {
        command += " " + singleQuoted(parameter);
    }
    return command;
}

base::Result<HostAnswer> runThere(const Host& host, const std::string& command, int input,
                                  const std::function<bool(std::string_view)>& line,
                                  const std::atomic<bool>* cancel) {
    constexpr int kSshFailed = 255;
    constexpr std::size_t kMostLine = 65536;
    auto launch = shellLaunch(host, command);
    auto out = base::openPipe();
    const auto errors = unnamedFile();
    if (!launch || !out || !errors) {
        return !launch ? launch.error() : !out ? out.error() : errors.error();
    }
    launch->input = input;
    launch->output = out->write.get();
    launch->errors = errors->get();
    auto ssh = HIGHWATER_TRY(base::Process::start(*launch));
    out->write = base::Descriptor();
    std::string buffer;
    const auto take = [&](std::string_view text) -> base::Status {
        buffer += text;
        for (std::size_t end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n')) {
            if (!line(std::string_view(buffer).substr(0, end))) {
                return base::Error{"stopped"};
            }
            buffer.erase(0, end + 1);
        }
        return buffer.size() > kMostLine ? base::Status(base::Error{fmt::format(
                                               "host {}: it wrote a line that is too long", host.name)})
                                         : base::Status();
    };
    const auto look = [&](std::chrono::steady_clock::duration) {
        base::boundErrors(errors->get());
        return cancel && cancel->load() ? base::Status(base::Error{"cancelled"}) : base::Status();
    };
    const auto code = HIGHWATER_TRY(ssh.follow(out->read.get(), take, look));
    if (code == kSshFailed) {
        return base::Error{describeFailure(host, base::readTail(errors->get(), 4096))};
    }
    return HostAnswer{code, base::lastLine(errors->get(), "sh")};
}

base::Result<HostAnswer> runScript(const Host& host, const char* script,
                                   const std::vector<std::string>& parameters,
                                   const std::function<bool(std::string_view)>& line,
                                   const std::atomic<bool>* cancel) {
    const auto input = HIGHWATER_TRY(unnamedFile());
    const std::string_view text = script;
    if (::write(input.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::lseek(input.get(), 0, SEEK_SET) != 0) {
        return base::Error{fmt::format("no temporary file can be written: {}", std::strerror(errno))};
    }
    return runThere(host, scriptCommand(parameters), input.get(), line, cancel);
}

}  // namespace highwater::hosts
