#include "core/capture/frame_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/capture/snapshot_fields.h"
#include "core/capture/words.h"

namespace highwater::capture {

namespace {

using memory::Category;
using memory::Phase;

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// True for C++ frames, whose files are sources, libraries or "??".
bool isLibrary(std::string_view file) {
    if (file.empty() || file == "??" || file.front() == '<') {
        return true;
    }
    if (file.starts_with("torch/") || has(file, "/torch/") || has(file, "/importlib/") ||
        has(file, "/runpy.py")) {
        return true;
    }
    constexpr std::string_view endings[] = {".cpp", ".cc",  ".cxx", ".c", ".cu", ".h",   ".hpp", ".hxx",
                                            ".inl", ".cuh", ".so",  ".o", ".S",  ".asm", ".pyx"};
    return has(file, ".so.") ||
           std::ranges::any_of(endings, [&](std::string_view ending) { return file.ends_with(ending); });
}

bool isWorkspace(std::string_view name) {
    return has(name, "orkspace") || has(name, "run_conv_plan") || has(name, "run_single_conv") ||
           has(name, "getCurrentCUDABlasHandle");
}

void optimizerWords(std::string_view name, FrameWords& words) {
    words.phase = Phase::Optimizer;
    if (name == "_init_group") {
        words.category = Category::OptimizerState;
    }
}

bool startsPass(std::string_view name) {
    return name == "backward" || name == "_engine_run_backward" || has(name, "autograd::Engine") ||
           has(name, "autograd::python::PythonEngine");
}

void torchWords(std::string_view file, std::string_view name, FrameWords& words) {
    const bool module = has(file, "torch/nn/modules/module.py");
    if (has(file, "torch/utils/checkpoint.py")) {
        if (has(name, "recompute") || has(name, "unpack") || name == "backward") {
            words.phase = Phase::Recompute;
        }
    } else if (has(file, "torch/optim/") && !has(file, "lr_scheduler")) {
        optimizerWords(name, words);
    } else if (has(file, "torch/utils/data/")) {
        words.phase = Phase::Data;
        words.category = Category::Input;
    } else if (module && (name == "_apply" || name == "convert" || name == "load_state_dict")) {
        words.phase = Phase::Setup;
        words.category = Category::Parameters;
    } else if (module && (name == "_call_impl" || name == "_wrapped_call_impl")) {
        words.phase = Phase::Forward;
    }
}

FrameWords ownWords(FrameWords::Kind kind, std::string_view name, std::int64_t line) {
    FrameWords words;
    words.kind = kind;
    words.rank = kind == FrameWords::Kind::Operator ? 3 : 0;
    if (kind == FrameWords::Kind::Place) {
        words.phase = memory::phaseFromKey(name.substr(0, name.find(kPlaceSeparator)));
    }
    if (kind == FrameWords::Kind::Place && line > 0 && line <= std::numeric_limits<std::int16_t>::max()) {
        words.layer = static_cast<std::int16_t>(line - 1);
    }
    if (kind == FrameWords::Kind::Category) {
        words.category = categoryOf(name);
    }
    return words;
}

}  // namespace

FrameWords frameWords(std::string_view filename, std::string_view name, std::int64_t line) {
    if (filename.find('\\') != std::string_view::npos) {
        std::string slashes(filename);
        std::ranges::replace(slashes, '\\', '/');
        return frameWords(slashes, name, line);
    }
    if (filename == kOperatorFile) {
        return ownWords(FrameWords::Kind::Operator, name, line);
    }
    if (filename == kPlaceFile) {
        return ownWords(FrameWords::Kind::Place, name, line);
    }
    if (filename == kCategoryFile) {
        return ownWords(FrameWords::Kind::Category, name, line);
    }
    FrameWords words;
    words.kind = isLibrary(filename) ? FrameWords::Kind::Library : FrameWords::Kind::User;
    words.rank = words.kind == FrameWords::Kind::User            ? 3
                 : has(name, "Backward") && has(name, "::apply") ? 2
                 : filename.ends_with(".py")                     ? 1
                                                                 : 0;
    torchWords(filename, name, words);
    if (words.phase) {
        return words;
    }
    if (startsPass(name)) {
        words.phase = Phase::Backward;
    } else if (name == "forward") {
        words.phase = Phase::Forward;
    }
    if (has(name, "AccumulateGrad")) {
        words.category = Category::Gradients;
    } else if (isWorkspace(name)) {
        words.category = Category::Workspace;
    }
    return words;
}

std::string frameLabel(std::string_view filename, std::string_view name, std::int64_t line) {
    if (filename.empty() || filename == "??") {
        return base::oneLine(name, 200);
    }
    const std::string_view file = filename.substr(filename.find_last_of("/\\") + 1);
    return base::oneLine(
        line > 0 ? fmt::format("{}:{} {}", file, line, name) : fmt::format("{} {}", file, name), 200);
}

}  // namespace highwater::capture
