#include "core/runs/active_runs.h"

#include "core/wire/follower.h"

namespace highwater::runs {

namespace {

ActiveRun::FollowedBy followedBy(const base::ProcessIdentity& follower) {
    if (follower == base::thisProcess()) {
        return ActiveRun::FollowedBy::ThisProcess;
    }
    return base::lifeOf(follower) == base::Life::Gone ? ActiveRun::FollowedBy::Nobody
                                                      : ActiveRun::FollowedBy::Another;
}

}  // namespace

base::Life lifeOf(const std::filesystem::path& folder, const RunState& state) {
    const base::Life owner = base::lifeOf(state.owner.process);
    if (owner != base::Life::Gone || state.owner.role == kEngine) {
        return owner;
    }
    // The engine may have started without having become the run's owner yet.
    const auto follower = wire::readFollower(folder);
    if (!follower || !*follower) {
        return owner;
    }
    if (!(*follower)->host.empty()) {  // whether it continues there is unknown until its record has been
                                       // fetched
        return base::lifeOf((*follower)->follower) == base::Life::Alive ? base::Life::Alive
                                                                        : base::Life::Unknown;
    }
    const base::Life engine = base::lifeOf((*follower)->engine);
    return engine == base::Life::Gone ? base::lifeOf((*follower)->follower) : engine;
}

std::optional<ActiveRun> activeRun(const std::filesystem::path& folder) {
    const auto state = readState(folder);
    if (!state || state->status != wire::RunStatus::Running) {
        return std::nullopt;
    }
    const auto follower = wire::readFollower(folder);
    ActiveRun run;
    run.id = folder.filename().string();
    run.number = state->number;
    run.host = follower && *follower ? (*follower)->host : "";
    if (run.host.empty() && lifeOf(folder, *state) != base::Life::Alive) {
        return std::nullopt;
    }
    if (!follower) {
        run.problem = follower.error().message;
    } else if (*follower) {
        run.followedBy = followedBy((*follower)->follower);
    }
    return run;
}

base::Result<std::optional<TakenRun>> takeOverRun(const std::filesystem::path& folder) {
    const auto run = activeRun(folder);
    if (!run) {
        return std::optional<TakenRun>();
    }
    if (!run->problem.empty()) {
        return base::Error{run->problem};
    }
    const auto state = readState(folder);
    const auto follower = wire::readFollower(folder);
    if (run->followedBy != ActiveRun::FollowedBy::Nobody || !state || !follower || !*follower) {
        return std::optional<TakenRun>();
    }
    auto experiment = HIGHWATER_TRY(readExperiment(folder));
    const bool own = state->owner.role == kEngine;
    const base::ProcessIdentity& engine = own ? state->owner.process : (*follower)->engine;
    HIGHWATER_TRY(run->host.empty() ? wire::followRun(folder, engine) : wire::followRunOn(run->host, folder));
    return std::optional(TakenRun{folder, run->number, std::move(experiment), engine, run->host});
}

}  // namespace highwater::runs
