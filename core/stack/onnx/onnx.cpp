#include "core/stack/onnx/onnx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/stack/onnx/maker.h"
#include "core/stack/pytorch/network.h"

namespace highwater::stack {

namespace {

base::Error ofFile(std::string_view name, std::string_view what) {
    return base::Error{base::oneLine(fmt::format("{}: {}", name, what), 900)};
}

/// "batch, 1, 32, 32, 32": the sizes, as far as they are in the file.
std::string said(const Shape& shape) {
    std::vector<std::string> sizes;
    for (const std::int64_t size : shape) {
        sizes.push_back(size < 0 ? "?" : std::to_string(size));
    }
    return fmt::format("{}", fmt::join(sizes, ","));
}

/// The shape of an input, from the file and the user's options. `name`: its name in a message.
base::Result<Shape> inputShape(const Shape& given, const OnnxInput& input, const std::string& name) {
    Shape shape = input.shape.empty() ? given : input.shape;
    if (input.batch > 0 && !shape.empty()) {
        shape.front() = input.batch;
    }
    const bool open =
        shape.empty() || std::any_of(shape.begin(), shape.end(), [](auto size) { return size < 1; });
    if (open) {
        const bool batch = shape.size() > 1 && shape.front() < 1 &&
                           std::all_of(shape.begin() + 1, shape.end(), [](auto size) { return size > 0; });
        return base::Error{fmt::format("the file leaves the sizes of {} open ({}); give them with {}", name,
                                       shape.empty() ? "none is given" : said(given),
                                       batch ? "--batch N" : "--input N,C,D,H,W")};
    }
    return shape;
}

bool isImage(const Shape& shape) {
    return shape.size() >= 3 && shape.size() <= 5;
}

/// The shapes of all inputs, one of which is an image.
base::Result<std::vector<Shape>> inputShapes(const onnx::File& file, const OnnxInput& input) {
    const std::size_t count = file.inputs.size();
    if (count > 1 && !input.shape.empty()) {
        return base::Error{fmt::format(
            "the network takes {} tensors, whose sizes must be in the file; --input gives those of one",
            count)};
    }
    std::vector<Shape> shapes;
    for (const auto& [name, given] : file.inputs) {
        auto shape = inputShape(given.shape, input, count == 1 ? "its input" : "its input " + name);
        if (!shape) {
            return shape.error();
        }
        shapes.push_back(*std::move(shape));
    }
    if (count == 1) {
        const Shape& given = file.inputs.front().second.shape;
        if ((!given.empty() && given.size() != shapes[0].size()) || !isImage(shapes[0])) {
            return base::Error{fmt::format("the input has {} axes in the file, and {} were given",
                                           given.size(), shapes[0].size())};
        }
    }
    if (std::none_of(shapes.begin(), shapes.end(), isImage)) {
        return base::Error{"no input of the network has samples, channels and one to three sizes"};
    }
    return shapes;
}

std::vector<std::string> notesOf(const onnx::Seen& seen) {
    std::vector<std::string> notes{
        "ONNX does not say what works in place, nor which parameters train: activations are written out of "
        "place, and all parameters train"};
    if (seen.foldedNorms > 0) {
        notes.push_back(
            fmt::format("missing here, since folded into the convolutions before: {}; export with "
                        "optimize=False",
                        base::counted(seen.foldedNorms, "batch normalization")));
    } else if (seen.renamedWeights > 0) {
        notes.push_back(
            fmt::format("the export computed the weights of {}, as where a batch normalization was folded "
                        "into them and is missing here; export with "
                        "training=torch.onnx.TrainingMode.TRAINING",
                        base::counted(seen.renamedWeights, "convolution")));
    } else if (seen.norms == 0 && seen.trains == 0 && seen.convolutions > 0) {
        notes.emplace_back(
            "the file has no normalization; an export for inference folds those of batches into the "
            "convolutions");
    }
    if (seen.dropouts > 0) {
        notes.push_back(
            fmt::format("left out, since doing nothing in the file, with p=0 or as in inference: {}",
                        base::counted(seen.dropouts, "dropout")));
    }
    if (seen.frozenNorms > 0) {
        notes.push_back(fmt::format("taken as in training, though as in inference in the file: {}",
                                    base::counted(seen.frozenNorms, "batch normalization")));
    }
    return notes;
}

base::Result<PytorchImport> import(const base::Result<onnx::File>& file, std::string_view name,
                                   const PytorchOptions& options, const OnnxInput& input,
                                   base::MemoryBudget& budget) {
    if (!file) {
        return ofFile(name, file.error().message);
    }
    const auto shapes = inputShapes(*file, input);
    if (!shapes) {
        return ofFile(name, shapes.error().message);
    }
    const onnx::ScopeTable scopes(*file, budget);
    onnx::Maker maker(*file, scopes, budget);
    const auto graph = maker.make(*shapes);
    if (!graph) {
        return ofFile(name, graph.error().message);
    }
    auto made = pytorch::importGraph(graph, name, options, budget);
    if (made) {
        const auto notes = notesOf(maker.seen());
        made->notes.insert(made->notes.end(), notes.begin(), notes.end());
    }
    return made;
}

}  // namespace

bool isOnnxName(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return ending == ".onnx";
}

base::Result<PytorchImport> importOnnxFile(const std::filesystem::path& path, const PytorchOptions& options,
                                           const OnnxInput& input) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(path, ignored);
    base::MemoryBudget budget(ignored ? 0 : static_cast<base::Bytes>(size), base::MemoryBudget::kLargeShare);
    return import(onnx::readFile(path, budget), path.string(), options, input, budget);
}

base::Result<PytorchImport> importOnnx(std::string_view bytes, std::string_view name,
                                       const PytorchOptions& options, const OnnxInput& input) {
    base::MemoryBudget budget(static_cast<base::Bytes>(bytes.size()), base::MemoryBudget::kLargeShare);
    return import(onnx::readBytes(bytes, budget), name, options, input, budget);
}

base::Result<PytorchImport> importNetworkFile(const std::filesystem::path& path,
                                              const PytorchOptions& options, const OnnxInput& input) {
    if (isOnnxName(path)) {
        return importOnnxFile(path, options, input);
    }
    if (!input.shape.empty() || input.batch > 0) {
        return ofFile(path.string(), "is not an .onnx file, and an archive contains the sizes of its input");
    }
    return importPytorchFile(path, options);
}

}  // namespace highwater::stack
