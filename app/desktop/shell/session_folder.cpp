#include "app/desktop/shell/session_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>

#include "core/base/text.h"

namespace highwater::desktop {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStem = "session", kEnding = ".json";
constexpr int kMostOwners = 1000;  // sessions with higher numbers name no owner
/// How long a process may hold the lock that it inherited from a window which started it and died before the
/// process executed its own program.
constexpr std::chrono::seconds kInherited{1};

off_t placeOfOwner(int number) {
    return static_cast<off_t>(number) * static_cast<off_t>(sizeof(pid_t));
}

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
    const auto latest = std::chrono::steady_clock::now() + kInherited;
    struct flock place = lockOfSession(number);
    while (::fcntl(lock_.get(), F_OFD_SETLK, &place) != 0) {
        if (errno != EAGAIN && errno != EACCES) {
            return true;
        }
        if (!hasDeadOwner(number) || std::chrono::steady_clock::now() > latest) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    held_ = number;
    if (const pid_t self = ::getpid(); number <= kMostOwners) {
        std::ignore = ::pwrite(lock_.get(), &self, sizeof self, placeOfOwner(number));
    }
    return true;
}

void SessionFolder::release() {
    if (held_ > 0) {
        struct flock place = lockOfSession(held_);
        place.l_type = F_UNLCK;
        ::fcntl(lock_.get(), F_OFD_SETLK, &place);
        held_ = 0;
    }
}

bool SessionFolder::hasDeadOwner(int number) const {
    pid_t owner = 0;
    return number <= kMostOwners &&
           ::pread(lock_.get(), &owner, sizeof owner, placeOfOwner(number)) == sizeof owner && owner > 0 &&
           ::kill(owner, 0) != 0 && errno == ESRCH;
}

bool SessionFolder::ownedByAnother(int number) const {
    struct flock place = lockOfSession(number);
    return lock_.get() >= 0 && ::fcntl(lock_.get(), F_OFD_GETLK, &place) == 0 && place.l_type != F_UNLCK;
}

}  // namespace highwater::desktop
