#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_reader.h"
#include "core/scan/scan_client.h"

namespace highwater::scan {

/// Parses the scan process's output line by line; none of it is trusted. Progress lines are passed on, the
/// last JSON object of another kind is kept, and everything else is ignored.
class AnswerLines {
public:
    explicit AnswerLines(std::function<void(const Progress&)> progress) : progress_(std::move(progress)) {}

    void add(std::string_view bytes);
    /// Whether a line of more than 16 MiB has not ended yet. Such output does not come from highwater-scan.
    bool tooLong() const;
    /// The last stage that the process reported, at most 40 bytes; empty before the first.
    const std::string& stage() const { return stage_; }
    const std::optional<base::Json>& last() const { return last_; }

private:
    void take(std::string_view line);

    std::function<void(const Progress&)> progress_;
    std::string text_, stage_;
    std::optional<base::Json> last_;
};

}  // namespace highwater::scan
