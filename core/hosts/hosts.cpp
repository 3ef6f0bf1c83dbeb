#include "core/hosts/hosts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/base/paths.h"
#include "core/base/text.h"

namespace highwater::hosts {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kThisMachine = "localhost";
constexpr std::size_t kMostQueue = 255;
constexpr std::size_t kMostName = 64, kMostDestination = 255, kMostPath = 1024, kMostHosts = 1000;

bool isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// True if the text contains only letters, digits and `others`, is not empty, and is not longer than `most`.
bool consistsOf(std::string_view text, std::string_view others, std::size_t most) {
    return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [&](char c) {
        return isLetterOrDigit(c) || others.find(c) != std::string_view::npos;
    });
}

bool isDestination(std::string_view text) {
    const std::size_t at = text.find('@');
    const std::string_view user = at == std::string_view::npos ? "" : text.substr(0, at);
    const std::string_view machine = at == std::string_view::npos ? text : text.substr(at + 1);
    const bool userFits =
        at == std::string_view::npos || (consistsOf(user, "._-", kMostDestination) && user.front() != '-');
    return userFits && consistsOf(machine, "._:-", kMostDestination) && machine.front() != '-';
}

std::vector<Host>::iterator named(std::vector<Host>& hosts, std::string_view name) {
    return std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == name; });
}

base::Error noneOf(const std::vector<Host>& hosts, std::string_view name) {
    std::string names;
    for (const Host& host : hosts) {
        names += (names.empty() ? "" : ", ") + host.name;
    }
    return {fmt::format(
        "no host \"{}\"; {}", base::oneLine(name, 60),
        names.empty() ? "add one with `highwater-cli hosts add NAME USER@HOST`" : "there are " + names)};
}

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Host>& host) {
    way("name", host.name);
    way("destination", host.destination);
    way.unless(std::string(), "python", host.python);
    way.unless(std::string(), "slurm", host.partition);
    way.unless(std::string(), "gres", host.gres);
    const base::Status good = checkHost(host);
    way.check(good.ok(), "", good.ok() ? "" : good.error().message);
}

struct HostsFile {
    std::vector<Host> hosts;
};

template <class Way>
void exchange(Way& way, base::Exchanged<Way, HostsFile>& file) {
    way.format("schema", "highwater.hosts/1");
    way.list("hosts", file.hosts, kMostHosts);
    for (auto host = file.hosts.begin(); host != file.hosts.end(); ++host) {
        const bool twice = std::any_of(file.hosts.begin(), host,
                                       [&](const Host& before) { return before.name == host->name; });
        way.check(!twice, fmt::format("hosts/{}", host - file.hosts.begin()),
                  fmt::format("there are two hosts \"{}\"", host->name));
    }
}

Host thisMachine() {
    return {std::string(kThisMachine), "", ""};
}

std::string addressOf(const Host& host) {
    return host.destination == kHere ? "this machine" : host.destination;
}

base::Status checkHost(const Host& host) {
    if (!consistsOf(host.name, "._-", kMostName) || !isLetterOrDigit(host.name.front())) {
        return base::Error{
            fmt::format("\"{}\" cannot be a host's name: a letter or a digit, then letters, digits, \".\", "
                        "\"_\" and \"-\", at most {} in all",
                        base::oneLine(host.name, 60), kMostName)};
    }
    if (!isDestination(host.destination)) {
        return base::Error{
            fmt::format("\"{}\" is not an address: USER@HOST or HOST, of letters, digits, \".\", \"_\", "
                        "\":\" and \"-\", neither beginning with \"-\", or \".\" for this machine; ports and "
                        "keys belong in the ssh configuration",
                        base::oneLine(host.destination, 60))};
    }
    if (!host.python.empty() &&
        (host.python.front() != '/' || !consistsOf(host.python, "/._+-", kMostPath))) {
        return base::Error{
            fmt::format("\"{}\" is not a path of a Python: it begins with \"/\" and has letters, digits, "
                        "\"/\", \".\", \"_\", \"+\" and \"-\"",
                        base::oneLine(host.python, 60))};
    }
    return checkQueue(host.partition, host.gres);
}

base::Status checkQueue(std::string_view partition, std::string_view gres, std::string_view node) {
    if (!partition.empty() &&
        (!consistsOf(partition, "._,-", kMostQueue) || !isLetterOrDigit(partition.front()))) {
        return base::Error{
            fmt::format("\"{}\" is not a partition of Slurm: a letter or a digit, then letters, digits, "
                        "\".\", \"_\", \"-\", and \",\" between several",
                        base::oneLine(partition, 60))};
    }
    if (!gres.empty() && (!consistsOf(gres, "._:,-", kMostQueue) || !isLetterOrDigit(gres.front()))) {
        return base::Error{
            fmt::format("\"{}\" is not a valid Slurm resource: such as gpu:1 or gpu:a100:1, of letters, "
                        "digits, \".\", \"_\", \":\", \",\" and \"-\"",
                        base::oneLine(gres, 60))};
    }
    if (!node.empty() && (!consistsOf(node, "._-", kMostQueue) || !isLetterOrDigit(node.front()))) {
        return base::Error{fmt::format("\"{}\" is not a node of Slurm", base::oneLine(node, 60))};
    }
    return {};
}

fs::path hostsFile() {
    return base::configFolder() / "hosts.json";
}

base::Result<std::vector<Host>> readHosts(const fs::path& file) {
    std::error_code error;
    if (!fs::exists(file, error) && !error) {
        return std::vector<Host>();
    }
    auto read = base::fromJsonFile<HostsFile>(file, base::kMiB);
    return read ? base::Result<std::vector<Host>>(std::move(read->hosts)) : read.error();
}

base::Result<Host> findHost(const fs::path& file, std::string_view name) {
    auto hosts = HIGHWATER_TRY(readHosts(file));
    const auto found = named(hosts, name);
    if (found == hosts.end() && name == kThisMachine) {
        return thisMachine();
    }
    return found == hosts.end() ? base::Result<Host>(noneOf(hosts, name)) : *found;
}

namespace {

base::Status write(const fs::path& file, std::vector<Host> hosts) {
    const base::Json json = base::JsonOut::written(HostsFile{std::move(hosts)});
    return base::writeInFolder(file, base::jsonText(json, 2) + "\n");
}

}  // namespace

base::Status addHost(const fs::path& file, const Host& host) {
    HIGHWATER_TRY(checkHost(host));
    auto hosts = HIGHWATER_TRY(readHosts(file));
    if (const auto found = named(hosts, host.name); found != hosts.end()) {
        *found = host;
    } else {
        hosts.push_back(host);
    }
    return write(file, std::move(hosts));
}

base::Status removeHost(const fs::path& file, std::string_view name) {
    auto hosts = HIGHWATER_TRY(readHosts(file));
    const auto found = named(hosts, name);
    if (found == hosts.end()) {
        return noneOf(hosts, name);
    }
    hosts.erase(found);
    return write(file, std::move(hosts));
}

}  // namespace highwater::hosts
