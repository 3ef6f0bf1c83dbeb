#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json_reader.h"
#include "core/scan/scan_client.h"

namespace highwater::scan {

/// What the scan process says, line by line; none of it is trusted. Lines of progress are passed on, the last
/// object of another kind is kept, anything else is passed over.
class AnswerLines {
public:
    explicit AnswerLines(std::function<void(const Progress&)> progress) : progress_(std::move(progress)) {}

    void add(std::string_view bytes);
    /// A line of more than 16 MiB without an end: it is no answer of ours.
    bool tooLong() const;
    /// The stage it was last heard in, at most 40 bytes; empty before the first.
    const std::string& stage() const { return stage_; }
    const std::optional<base::Json>& last() const { return last_; }

private:
    void take(std::string_view line);

    std::function<void(const Progress&)> progress_;
    std::string text_, stage_;
    std::optional<base::Json> last_;
};

}  // namespace highwater::scan
