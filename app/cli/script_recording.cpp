#include "app/cli/script_recording.h"

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/runs/labels.h"

namespace highwater::cli {

struct ScriptRecording::Impl {
    runs::RunStore store;
    std::filesystem::path folder;
    runs::RunWriter writer;
    base::Status wrote;

    void keep(const base::Status& status) { wrote = wrote ? status : wrote; }
};

base::Result<ScriptRecording> ScriptRecording::begin(const std::string& store,
                                                     const wire::ScriptSource& source,
                                                     const std::optional<Part>& part) {
    auto opened = openStore(store);
    if (!opened) {
        return opened.error();
    }
    auto folder = opened->create(source);
    if (!folder) {
        return folder.error();
    }
    if (part) {
        runs::Labels labels;
        labels.name = base::oneLine(part->name, runs::kMostName);
        labels.study.id = part->study;
        labels.study.name = base::oneLine(part->studyName, runs::kMostName);
        if (const auto written = runs::writeLabels(*folder, labels); !written) {
            return written.error();
        }
    }
    auto writer = runs::RunWriter::open(*folder);
    if (!writer) {
        return writer.error();
    }
    return ScriptRecording(std::make_unique<Impl>(Impl{std::move(*opened), *folder, std::move(*writer), {}}));
}

ScriptRecording::ScriptRecording(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScriptRecording::ScriptRecording(ScriptRecording&&) noexcept = default;
ScriptRecording& ScriptRecording::operator=(ScriptRecording&&) noexcept = default;
ScriptRecording::~ScriptRecording() = default;

const std::filesystem::path& ScriptRecording::folder() const {
    return impl_->folder;
}

void ScriptRecording::append(const wire::Event& event) {
    impl_->keep(impl_->writer.append(event));
}

int ScriptRecording::finish(const wire::RunResult& result, int exitCode, const std::string& errorText) {
    append(wire::Finished{result});
    impl_->keep(impl_->writer.finish(result));
    const auto row = impl_->store.settle(impl_->folder.filename().string(), exitCode, errorText);
    impl_->keep(row ? base::Status() : row.error());
    if (!impl_->wrote) {
        printText(stderr, "warning: {}\n", impl_->wrote.error().message);
    }
    return row ? row->number : 0;
}

}  // namespace highwater::cli
