#include "app/engine/recording.h"

#include "core/runs/run_store.h"

namespace highwater::engine_app {

base::Result<Recording> recordInto(const std::filesystem::path& runFolder) {
    auto opened = HIGHWATER_TRY(runs::RunWriter::open(runFolder));
    const auto writer = std::make_shared<runs::RunWriter>(std::move(opened));
    return Recording{
        [writer](const wire::Event& event, const std::string& line) { return writer->append(event, line); },
        [writer](const wire::RunResult& result) { return writer->finish(result); }};
}

}  // namespace highwater::engine_app
