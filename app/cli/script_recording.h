#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/wire/events.h"
#include "core/wire/script_source.h"

namespace highwater::cli {

/// Where a script's run is recorded: the store, or, in the Python package's program, a temporary folder that
/// is removed at the end.
class ScriptRecording {
public:
    /// One of several runs of a script that belong together.
    struct Part {
        std::string name;              ///< "train.py, rank 0"
        std::string study, studyName;  ///< an id, and "train.py"
    };
    static base::Result<ScriptRecording> begin(const std::string& store, const wire::ScriptSource& source,
                                               const std::optional<Part>& part = {});
    ScriptRecording(ScriptRecording&&) noexcept;
    ScriptRecording& operator=(ScriptRecording&&) noexcept;
    ~ScriptRecording();

    const std::filesystem::path& folder() const;
    void append(const wire::Event& event);
    /// Returns the run's number in the store; 0 if it has none. What could not be written is reported on
    /// stderr.
    int finish(const wire::RunResult& result, int exitCode, const std::string& errorText);

private:
    struct Impl;
    explicit ScriptRecording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace highwater::cli
