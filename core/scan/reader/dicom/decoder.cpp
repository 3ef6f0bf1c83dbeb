#include "core/scan/reader/dicom/decoder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "core/base/file.h"
#include "core/scan/reader/dicom/codec.h"
#include "core/scan/reader/dicom/frames.h"

namespace highwater::scan::reader::dicom {
namespace {

using Clock = std::chrono::steady_clock;

/// Sent before every result: the request's number, whether it is a picture or an error line, and the number
/// of bytes that follow.
struct Message {
    std::uint64_t index = 0, failed = 0, bytes = 0;
};
constexpr std::uint64_t kMostLine = 4096;

}  // namespace

/// The file of the last request, kept open because a file may hold thousands of frames.
struct FrameDecoder::Last {
    std::string path;
    OpenFile file;
    Pixels pixels;
    std::vector<std::vector<Bytes>> frames;  ///< the fragments of each frame, in a compressed file

    base::Status open(const std::string& wanted) {
        if (wanted == path) {
            return {};
        }
        path.clear();
        file = HIGHWATER_TRY(openDicom(wanted));
        pixels = HIGHWATER_TRY(pixelsOf(file));
        frames.clear();
        if (file.syntax.compressed()) {
            frames = HIGHWATER_TRY(framesOf(file, pixels));
        }
        path = wanted;
        return {};
    }
};

namespace {

template <class Last>
base::Result<std::vector<std::byte>> decodeOpen(const Last& last, const FrameRequest& request) {
    if (last.pixels != request.pixels || request.frame >= last.pixels.frames) {
        return base::Error{"changed while it was read"};
    }
    return last.file.syntax.compressed()
               ? decodeFrame(last.file, last.pixels, last.frames[static_cast<std::size_t>(request.frame)])
               : nativeFrame(last.file, last.pixels, request.frame);
}

template <class Last>
base::Result<std::vector<std::byte>> decodeCaught(Last& last, const FrameRequest& request) {
    try {
        HIGHWATER_TRY(last.open(request.path));
        return decodeOpen(last, request);
    } catch (const std::exception&) {
        return base::Error{"cannot be decoded: the decoder needs more memory than it may take, or failed"};
    }
}

/// Prepares the child: it ends with its parent, leaves no core file and writes no output.
void becomeDecoder(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        std::signal(number, SIG_DFL);
    }
    const int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(quiet, STDOUT_FILENO);
    dup2(quiet, STDERR_FILENO);
}

template <class Last>
[[noreturn]] void serve(const std::vector<FrameRequest>& requests, std::size_t from, int out) {
    Last last;
    for (std::size_t i = from; i < requests.size(); ++i) {
        if (!requests[i].compressed) {
            continue;
        }
        const auto frame = decodeCaught(last, requests[i]);
        const std::string line = frame ? "" : frame.error().message.substr(0, kMostLine);
        const auto* const bytes = frame ? reinterpret_cast<const char*>(frame->data()) : line.data();
        const Message message{i, frame ? 0U : 1U, frame ? frame->size() : line.size()};
        if (!base::writeAll(out, {reinterpret_cast<const char*>(&message), sizeof(message)}) ||
            !base::writeAll(out, {bytes, message.bytes})) {
            _exit(1);
        }
    }
    _exit(0);
}

}  // namespace

FrameDecoder::FrameDecoder(std::vector<FrameRequest> requests, std::chrono::milliseconds patience)
    : requests_(std::move(requests)), patience_(patience), last_(std::make_unique<Last>()) {}

FrameDecoder::~FrameDecoder() {
    stop();
}

base::Status FrameDecoder::start(std::size_t from) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return base::Error{fmt::format("the decoder cannot be started: {}", std::strerror(errno))};
    }
    constexpr int kPipeBytes = 1 << 20;  // lets the child work one picture ahead; a smaller pipe is only
                                         // slower
    static_cast<void>(fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes));
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return base::Error{fmt::format("the decoder cannot be started: {}", std::strerror(errno))};
    }
    if (child == 0) {
        becomeDecoder(parent);
        serve<Last>(requests_, from, ends[1]);
    }
    close(ends[1]);
    pipe_ = ends[0];
    child_ = child;
    return {};
}

void FrameDecoder::stop() {
    if (child_ < 0) {
        return;
    }
    close(pipe_);
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    pipe_ = -1;
}

bool FrameDecoder::readExactly(std::byte* out, std::size_t bytes, bool& late) {
    const auto deadline = Clock::now() + patience_;
    while (bytes > 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            late = true;
            return false;
        }
        pollfd wait{pipe_, POLLIN, 0};
        if (poll(&wait, 1, static_cast<int>(left.count())) <= 0) {
            continue;
        }
        const ssize_t got = read(pipe_, out, bytes);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        out += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

base::Result<std::vector<std::byte>> FrameDecoder::receive(std::size_t index) {
    for (;;) {
        Message message;
        bool late = false;
        std::vector<std::byte> bytes;
        bool whole = readExactly(reinterpret_cast<std::byte*>(&message), sizeof(message), late);
        std::uint64_t expected = 0;
        if (whole && message.index <= index) {
            expected = static_cast<std::uint64_t>(requests_[message.index].pixels.frameBytes());
        }
        if (whole && message.index <= index && message.bytes <= std::max(expected, kMostLine)) {
            bytes.resize(message.bytes);
            whole = readExactly(bytes.data(), bytes.size(), late);
        } else {
            whole = false;
        }
        if (!whole) {
            stop();
            return base::Error{late ? fmt::format("cannot be decoded: the decoder did not end within {} s",
                                                  std::chrono::ceil<std::chrono::seconds>(patience_).count())
                                    : "cannot be decoded: the decoder stopped"};
        }
        if (message.index < index) {
            continue;
        }
        if (message.failed) {
            return base::Error{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
        }
        if (message.bytes != expected) {
            return base::Error{"cannot be decoded: the decoder gave too little"};
        }
        return bytes;
    }
}

base::Result<std::vector<std::byte>> FrameDecoder::frame(std::size_t index) {
    if (!requests_[index].compressed) {
        return decodeCaught(*last_, requests_[index]);
    }
    if (child_ < 0) {
        HIGHWATER_TRY(start(index));
    }
    return receive(index);
}

}  // namespace highwater::scan::reader::dicom
