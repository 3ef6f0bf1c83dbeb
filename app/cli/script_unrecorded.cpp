#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "app/cli/script_recording.h"

namespace highwater::cli {

struct ScriptRecording::Impl {
    std::filesystem::path folder;
    ~Impl() {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
};

base::Result<ScriptRecording> ScriptRecording::begin(const std::string&, const wire::ScriptSource&) {
    std::error_code ignored;
    std::string name = (std::filesystem::temp_directory_path(ignored) / "highwater-script-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        return base::Error{fmt::format("{}: {}", name, std::strerror(errno))};
    }
    return ScriptRecording(std::make_unique<Impl>(Impl{name}));
}

ScriptRecording::ScriptRecording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScriptRecording::ScriptRecording(ScriptRecording&&) noexcept = default;
ScriptRecording& ScriptRecording::operator=(ScriptRecording&&) noexcept = default;
ScriptRecording::~ScriptRecording() = default;

const std::filesystem::path& ScriptRecording::folder() const {
    return impl_->folder;
}

void ScriptRecording::append(const wire::Event&) {}

int ScriptRecording::finish(const wire::RunResult&, int, const std::string&) {
    return 0;
}

}  // namespace highwater::cli
