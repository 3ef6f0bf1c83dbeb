#include "app/desktop/shell/session_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/text.h"

namespace highwater::desktop {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStem = "session", kEnding = ".json";

struct flock lockOfSession(int number) {
    struct flock place = {};
    place.l_type = F_WRLCK;
    place.l_whence = SEEK_SET;
    place.l_start = number;
    place.l_len = 1;
    return place;
}

/// "session.json" is 1, "session-2.json" is 2; 0 for all other names.
int numberOfSession(std::string_view name) {
    if (!name.starts_with(kStem) || !name.ends_with(kEnding)) {
        return 0;
    }
    name.remove_prefix(kStem.size());
    if (name == kEnding) {
        return 1;
    }
    name.remove_suffix(kEnding.size());
    int number = 0;
    return name.front() == '-' && base::readNumber(name.substr(1), number) && number > 1 ? number : 0;
}

}  // namespace

SessionFolder::SessionFolder(fs::path folder) : folder_(std::move(folder)) {
    openLock();
}

/// Retried before each write, because the disk may have been full.
bool SessionFolder::openLock() {
    if (lock_.get() < 0) {
        std::error_code ignored;
        fs::create_directories(folder_, ignored);
        lock_ =
            base::Descriptor(::open((folder_ / "sessions.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    }
    return lock_.get() >= 0;
}

fs::path SessionFolder::file(int number) const {
    std::string name(kStem);
    if (number > 1) {
        name += "-" + std::to_string(number);
    }
    return folder_ / name.append(kEnding);
}

std::vector<int> SessionFolder::numbers() const {
    std::vector<int> numbers;
    std::error_code ignored;
    for (fs::directory_iterator at(folder_, ignored), end; at != end; at.increment(ignored)) {
        if (const int number = numberOfSession(at->path().filename().string()); number > 0) {
            numbers.push_back(number);
        }
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

bool SessionFolder::own(int number) {
    release();
    if (!openLock()) {
        return true;
    }
    struct flock place = lockOfSession(number);
    if (::fcntl(lock_.get(), F_OFD_SETLK, &place) == 0) {
        held_ = number;
        return true;
    }
    return errno != EAGAIN && errno != EACCES;
}

void SessionFolder::release() {
    if (held_ > 0) {
        struct flock place = lockOfSession(held_);
        place.l_type = F_UNLCK;
        ::fcntl(lock_.get(), F_OFD_SETLK, &place);
        held_ = 0;
    }
}

bool SessionFolder::ownedByAnother(int number) const {
    struct flock place = lockOfSession(number);
    return lock_.get() >= 0 && ::fcntl(lock_.get(), F_OFD_GETLK, &place) == 0 && place.l_type != F_UNLCK;
}

}  // namespace highwater::desktop
