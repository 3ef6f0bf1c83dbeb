#include "core/wire/follower.h"

#include "core/base/json_file.h"

namespace highwater::wire {

namespace {

constexpr base::Bytes kMostFollower = base::kMiB;

std::filesystem::path followerFile(const std::filesystem::path& runFolder) {
    return runFolder / "follower.json";
}

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Follower>& follower) {
    way.anyFormat("schema", "highwater.follower/1");
    way("follower", follower.follower);
    way("engine", follower.engine);
    way.unless(std::string(), "host", follower.host);
}

base::Status followRun(const std::filesystem::path& runFolder, const base::ProcessIdentity& engine) {
    const Follower follower{base::thisProcess(), engine};
    return base::writeJson(followerFile(runFolder), base::JsonOut::written(follower));
}

base::Status followRunOn(const std::string& host, const std::filesystem::path& runFolder) {
    const Follower follower{base::thisProcess(), {}, host};
    return base::writeJson(followerFile(runFolder), base::JsonOut::written(follower));
}

base::Result<std::optional<Follower>> readFollower(const std::filesystem::path& runFolder) {
    const auto path = followerFile(runFolder);
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) {
        return std::optional<Follower>();
    }
    auto follower = base::fromJsonFile<Follower>(path, kMostFollower);
    return follower ? base::Result<std::optional<Follower>>(std::move(*follower)) : follower.error();
}

}  // namespace highwater::wire
