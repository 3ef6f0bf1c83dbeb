#include "app/cli/script_recording.h"
#include "core/base/temporary_folder.h"

namespace highwater::cli {

struct ScriptRecording::Impl {
    std::filesystem::path folder;
    explicit Impl(std::filesystem::path made) : folder(std::move(made)) {}
    Impl(const Impl&) = delete;  // its folder would be removed with the copy
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
};

base::Result<ScriptRecording> ScriptRecording::begin(const std::string&, const wire::ScriptSource&,
                                                     const std::optional<Part>&) {
    auto folder = base::makeTemporaryFolder("highwater-script-");
    if (!folder) {
        return folder.error();
    }
    return ScriptRecording(std::make_unique<Impl>(std::move(*folder)));
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
