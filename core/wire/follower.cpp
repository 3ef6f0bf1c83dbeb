#include "core/wire/follower.h"

#include <fmt/format.h>

#include "core/base/file.h"
#include "core/base/json_reader.h"

namespace highwater::wire {

namespace {

constexpr base::Bytes kMostFollower = base::kMiB;

std::filesystem::path followerFile(const std::filesystem::path& runFolder) {
    return runFolder / "follower.json";
}

base::Json followerJson(const base::ProcessIdentity& identity) {
    base::Json json;
    base::addTo(json, identity);
    return json;
}

base::ProcessIdentity readPart(base::JsonReader& reader, std::string_view key) {
    const base::Json* json = reader.raw(key);
    if (!json) {
        reader.fail(key, "is missing");
        return {};
    }
    base::JsonReader fields(*json, reader.pointer(key));
    auto identity = base::readIdentity(fields);
    if (const auto good = fields.finish(); !good) {
        reader.failAt(good.error().message);
    }
    return identity;
}

base::Status writeFollower(const std::filesystem::path& runFolder, const base::ProcessIdentity& engine,
                           const std::string& host) {
    base::Json json = {{"schema", "highwater.follower/1"},
                       {"follower", followerJson(base::thisProcess())},
                       {"engine", followerJson(engine)}};
    if (!host.empty()) {
        json["host"] = host;
    }
    return base::writeFileAtomically(followerFile(runFolder), json.dump(2) + "\n");
}

}  // namespace

base::Status followRun(const std::filesystem::path& runFolder, const base::ProcessIdentity& engine) {
    return writeFollower(runFolder, engine, {});
}

base::Status followRunOn(const std::string& host, const std::filesystem::path& runFolder) {
    return writeFollower(runFolder, {}, host);
}

base::Result<std::optional<Follower>> readFollower(const std::filesystem::path& runFolder) {
    const auto path = followerFile(runFolder);
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) {
        return std::optional<Follower>();
    }
    const auto json = base::readJson(path, kMostFollower);
    if (!json) {
        return json.error();
    }
    base::JsonReader reader(*json, "");
    reader.text("schema");
    Follower follower{readPart(reader, "follower"), readPart(reader, "engine"), reader.text("host", "")};
    if (const auto finished = reader.finish(); !finished) {
        return base::Error{fmt::format("{}: {}", path.string(), finished.error().message)};
    }
    return std::optional(std::move(follower));
}

}  // namespace highwater::wire
