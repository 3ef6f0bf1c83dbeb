#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/process_identity.h"
#include "core/base/result.h"
#include "core/wire/event_lines.h"
#include "core/wire/running_engine.h"

namespace highwater::wire {

/// An engine that another process started on this machine, followed through the files that it writes into the
/// run's folder: events.jsonl from its first line, stderr.txt. Not thread-safe.
class FoundEngine : public RunningEngine {
public:
    /// Error: the engine has ended, or its process id was reused.
    static base::Result<std::unique_ptr<FoundEngine>> open(const std::filesystem::path& runFolder,
                                                           const base::ProcessIdentity& engine);

    int fd() const override { return -1; }  ///< a file cannot be waited for
    /// Reads at most 256 KiB a call.
    std::vector<Event> read() override;
    bool behind() const override { return behind_; }
    bool finished() override { return finished_; }
    void cancel() override;
    void kill() override;
    /// Only the process that started it gets its exit code. It is only known if it was killed here, or
    /// interrupted before it could record how it ended.
    int exitCode() const override { return exitCode_; }
    const std::string& errorText() const override { return errorText_; }

private:
    FoundEngine(const std::filesystem::path& runFolder, base::HeldProcess process);
    void finish();
    std::filesystem::path eventsFile_;
    base::HeldProcess process_;
    base::Descriptor file_;  ///< events.jsonl, once the engine has created it
    EngineErrors errors_;
    EventLines lines_;
    bool behind_ = true, finished_ = false;
    int exitCode_ = -1;
    std::string errorText_;
};

}  // namespace highwater::wire
