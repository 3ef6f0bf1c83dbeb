#include "app/engine/recording.h"

namespace highwater::engine_app {

base::Result<Recording> recordInto(const std::filesystem::path&) {
    return base::Error{
        "--run: this engine was built without the run store (HIGHWATER_MINIMAL); use --experiment FILE, "
        "whose "
        "result goes to stdout"};
}

engine::TraceSink traceInto(const std::filesystem::path&, const stack::Experiment&) {
    return {};
}

}  // namespace highwater::engine_app
