#include "core/capture/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>

namespace highwater::capture {

Output::Output(std::ostream& out, const Progress& progress, std::size_t parts)
    : out_(out), progress_(progress), parts_(std::max<std::size_t>(1, parts)) {}

bool Output::breathe() {
    if (cancelled_ || failure_ != 0) {
        text_.clear();
        return false;
    }
    errno = 0;
    if (!out_.write(text_.data(), static_cast<std::streamsize>(text_.size()))) {
        failure_ = errno != 0 ? errno : -1;
    }
    text_.clear();
    if (progress_ && !progress_(std::min(1.0, static_cast<double>(done_) / static_cast<double>(parts_)))) {
        cancelled_ = true;
    }
    return !cancelled_ && failure_ == 0;
}

base::Status Output::finish() {
    done_ = parts_;
    if (breathe()) {
        errno = 0;
        if (!out_.flush()) {
            failure_ = errno != 0 ? errno : -1;
        }
    }
    if (cancelled_) {
        return base::Error{"cancelled"};
    }
    if (failure_ == -1) {
        return base::Error{"cannot be written"};
    }
    if (failure_ != 0) {
        return base::Error{std::string("cannot be written: ") + std::strerror(failure_)};
    }
    return {};
}

}  // namespace highwater::capture
