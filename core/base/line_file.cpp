#include "core/base/line_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/file.h"

namespace highwater::base {

namespace {

constexpr std::size_t kBuffer = 1 << 16;

}  // namespace

LineFile::LineFile(const std::filesystem::path& path, Bytes longest, Bytes most)
    : longest_(static_cast<std::size_t>(longest)), left_(most) {
    if (auto file = openRegular(path)) {
        file_ = std::move(*file);
    }
}

/// Reads the next part into the buffer. False at the end.
bool LineFile::fill() {
    at_ = 0;
    buffer_.resize(static_cast<std::size_t>(std::min<Bytes>(kBuffer, left_)));
    ssize_t n = 0;
    do {
        n = file_ ? ::read(file_->get(), buffer_.data(), buffer_.size()) : 0;
    } while (n < 0 && errno == EINTR);
    buffer_.resize(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
    left_ -= static_cast<Bytes>(buffer_.size());
    return n > 0;
}

bool LineFile::next(std::string& line) {
    line.clear();
    bool any = false;
    while (at_ < buffer_.size() || fill()) {
        any = true;
        const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
        if (end - at_ > longest_ - line.size()) {
            file_.reset();
            buffer_.clear();
            return false;
        }
        line.append(buffer_, at_, end - at_);
        at_ = std::min(end + 1, buffer_.size());
        if (end < buffer_.size()) {
            return true;
        }
    }
    return any;
}

}  // namespace highwater::base
