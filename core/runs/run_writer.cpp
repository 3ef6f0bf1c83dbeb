#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/runs/run_folder.h"

namespace highwater::runs {

namespace {

constexpr std::size_t kSpareBytes = 64 << 10;

bool changesState(const wire::Event& event) {
    return std::holds_alternative<wire::Started>(event) || std::holds_alternative<wire::Failed>(event) ||
           std::holds_alternative<wire::Finished>(event);
}

}  // namespace

struct RunWriter::Impl {
    std::filesystem::path folder;
    RunState state;
    int fd = -1;
    off_t whole = 0;     ///< bytes of whole lines
    base::Status wrote;  ///< the error after which no more lines are written, because they would not be
                         ///< consistent

    ~Impl() {
        if (fd >= 0) {
            ::close(fd);
            letGo();
        }
    }
    void letGo() const {
        std::error_code ignored;
        std::filesystem::remove(folder / kSpare, ignored);
    }
    base::Status keepRoom() const {
        return base::writeFileAtomically(folder / kSpare, std::string(kSpareBytes, '\0'));
    }
    base::Status write(std::string_view line);
    base::Error failure() const {
        return {fmt::format("{}: {}", (folder / "events.jsonl").string(), std::strerror(errno))};
    }
};

base::Result<RunWriter> RunWriter::open(const std::filesystem::path& runFolder) {
    auto impl = std::make_unique<Impl>();
    impl->folder = runFolder;
    if (std::error_code ignored; std::filesystem::exists(runFolder / "state.json", ignored)) {
        impl->state = HIGHWATER_TRY(readState(runFolder));
    } else {
        impl->state.created = base::isoNow();
    }
    const auto path = runFolder / "events.jsonl";
    impl->fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (impl->fd < 0 && errno == EEXIST) {
        return base::Error{fmt::format("{} exists: this run has already been run", path.string())};
    }
    if (impl->fd < 0) {
        return impl->failure();
    }
    HIGHWATER_TRY(impl->keepRoom());
    impl->state.status = wire::RunStatus::Running;
    impl->state.message.clear();
    impl->state.owner = {std::string(kEngine), base::thisProcess()};
    HIGHWATER_TRY(writeState(runFolder, impl->state));
    return RunWriter(std::move(impl));
}

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;
RunWriter::~RunWriter() = default;

base::Status RunWriter::append(const wire::Event& event) {
    return append(event, wire::toLine(event));
}

base::Status RunWriter::Impl::write(std::string_view line) {
    for (std::size_t done = 0; done < line.size();) {
        const ssize_t n = ::write(fd, line.data() + done, line.size() - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return failure();
        }
        done += static_cast<std::size_t>(n);
    }
    whole += static_cast<off_t>(line.size());
    return {};
}

base::Status RunWriter::append(const wire::Event& event, std::string_view line) {
    if (!impl_->wrote) {
        return impl_->wrote;
    }
    if (impl_->wrote = impl_->write(line); !impl_->wrote) {
        [[maybe_unused]] const int cut = ::ftruncate(impl_->fd, impl_->whole);
        impl_->letGo();
        return impl_->wrote;
    }
    if (changesState(event) && ::fdatasync(impl_->fd) != 0 && errno != EINVAL) {
        return impl_->failure();
    }
    return {};
}

base::Status RunWriter::finish(const wire::RunResult& result) {
    impl_->letGo();
    HIGHWATER_TRY(writeResult(impl_->folder, result));
    impl_->state.status = result.status;
    impl_->state.message = result.failure ? result.failure->why : "";
    if (!result.environment.device.empty()) {
        impl_->state.device = result.environment.device;
    }
    return writeState(impl_->folder, impl_->state);
}

}  // namespace highwater::runs
