#include "core/hosts/scripts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/text.h"
#include "core/hosts/connection.h"
#include "core/hosts/ssh.h"

namespace highwater::hosts {

const char* const kCheckScript = R"sh(
version=$1 python=$2
say() { printf '%s=%s\n' "$1" "$2"; }
first() { "$@" 2>/dev/null </dev/null | head -n 1; }
cache=${XDG_CACHE_HOME:-$HOME/.cache}/highwater/engine
folder=$cache/$version
say highwater_check 1
say system "$(uname -s) $(uname -m)"
say cores "$(getconf _NPROCESSORS_ONLN 2>/dev/null)"
say memory_kib "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)"
say cache "$cache"
if mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then say writable 1; fi
say free_kib "$(df -Pk "$cache" 2>/dev/null | tail -n 1 | sed 's/  */ /g' | cut -d ' ' -f 4)"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null </dev/null |
  while read -r gpu; do say gpu "$gpu"; done
if [ -z "$python" ]; then python=$(command -v python3 || command -v python); fi
if [ -n "$python" ]; then
  PATH=${python%/*}:$PATH
  say python "$(first "$python" --version)"
  (cd / && "$python" -) 2>/dev/null <<'PYTHON'
import importlib.util, os, re
spec = importlib.util.find_spec("torch")
if spec and spec.submodule_search_locations:
    folder = list(spec.submodule_search_locations)[0]
    if os.path.exists(os.path.join(folder, "share/cmake/Torch/TorchConfig.cmake")):
        text = open(os.path.join(folder, "version.py")).read()
        found = re.search(r"__version__ = ['\"]([^'\"]*)", text)
        print("torch_place=" + folder)
        print("torch=" + (found.group(1) if found else "of unknown version"))
PYTHON
fi
rest=$PATH:
while [ -n "$rest" ]; do
  bin=${rest%%:*} rest=${rest#*:}
  for config in "${bin%/*}"/share/cmake/Torch/TorchConfig.cmake "${bin%/*}"/lib/cmake/Torch/TorchConfig.cmake \
    "${bin%/*}"/lib/*/cmake/Torch/TorchConfig.cmake; do
    if [ -e "$config" ]; then say libtorch "$config"; fi
  done
done
for compiler in c++ g++ clang++; do
  if command -v "$compiler" >/dev/null 2>&1; then
    say compiler "$(first "$compiler" --version)"
    say compiler_version "$(first "$compiler" -dumpfullversion -dumpversion)"
    break
  fi
done
if command -v cmake >/dev/null 2>&1; then say cmake "$(first cmake --version)"; fi
if command -v nvcc >/dev/null 2>&1; then say nvcc "$(nvcc --version 2>/dev/null | tail -n 1)"; fi
for tool in tar gzip make sha256sum; do
  if command -v "$tool" >/dev/null 2>&1; then say tool "$tool"; fi
done
if command -v ninja >/dev/null 2>&1; then say tool make; fi
if [ -e "$folder/source/CMakeLists.txt" ]; then say source 1; fi
if [ -e "$folder/ready" ]; then
  say ready 1
  say ready_python "$(head -n 1 "$folder/ready")"
fi
say complete 1
)sh";

const char* const kBuildScript = R"sh(
folder=${XDG_CACHE_HOME:-$HOME/.cache}/highwater/engine/$1
cd "$folder" || exit 1
sh source/packaging/build-on-host "$folder" "$2"
)sh";

std::string unpackCommand(const std::string& version) {
    // No line breaks and no "!": csh must take it, too.
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
    auto ssh = base::Process::start(*launch);
    if (!ssh) {
        return ssh.error();
    }
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
    const auto code = ssh->follow(out->read.get(), take, look);
    if (!code) {
        return code.error();
    }
    if (*code == kSshFailed) {
        return base::Error{describeFailure(host, base::readTail(errors->get(), 4096))};
    }
    return HostAnswer{*code, base::lastLine(errors->get(), "sh")};
}

base::Result<HostAnswer> runScript(const Host& host, const char* script,
                                   const std::vector<std::string>& parameters,
                                   const std::function<bool(std::string_view)>& line,
                                   const std::atomic<bool>* cancel) {
    const auto input = unnamedFile();
    if (!input) {
        return input.error();
    }
    const std::string_view text = script;
    if (::write(input->get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::lseek(input->get(), 0, SEEK_SET) != 0) {
        return base::Error{fmt::format("no temporary file can be written: {}", std::strerror(errno))};
    }
    return runThere(host, scriptCommand(parameters), input->get(), line, cancel);
}

}  // namespace highwater::hosts
