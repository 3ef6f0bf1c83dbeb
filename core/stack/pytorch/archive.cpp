#include "core/stack/pytorch/archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "core/base/file_kind.h"
#include "core/base/text.h"

namespace highwater::stack::pytorch {

namespace {

constexpr std::string_view kRight =
    "a program is written by torch.export.save(torch.export.export(model, (example,)), \"net.pt2\")";
constexpr std::string_view kOlder = "serialized_exported_program.json";
constexpr std::size_t kChunk = std::size_t{1} << 20;

struct CloseArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
    void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

/// What a file that is not a zip archive is.
std::string whatElse(std::string_view head) {
    const bool pickle = head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
    const std::string what = base::whatItIs(head);
    return pickle ? fmt::format("is a pickle, as an old torch.save writes it, which has no graph; {}", kRight)
           : what.empty() ? fmt::format("is not a zip archive; {}", kRight)
                          : fmt::format("{}; {}", what, kRight);
}

bool isZip(std::string_view head) {
    return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06");
}

/// Where an entry with the graph may be.
enum class Place { No, Graph, OddFolder };

/// Whether `name` is `wanted`, at the root or in one folder.
Place placeOf(std::string_view name, std::string_view wanted) {
    if (name == wanted) {
        return Place::Graph;
    }
    if (!name.ends_with(wanted) || name[name.size() - wanted.size() - 1] != '/') {
        return Place::No;
    }
    const std::string_view folder = name.substr(0, name.size() - wanted.size() - 1);
    const bool plain = !folder.empty() && folder != "." && folder != ".." &&
                       std::none_of(folder.begin(), folder.end(), [](char c) {
                           return c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 32;
                       });
    return plain ? Place::Graph : Place::OddFolder;
}

/// The relative name of a model's file in the newer layout: "models/model.json" of "net/models/model.json".
std::string_view modelFile(std::string_view name) {
    const std::size_t last = name.rfind('/');
    const std::size_t before =
        last == std::string_view::npos || last == 0 ? std::string_view::npos : name.rfind('/', last - 1);
    const std::string_view tail = before == std::string_view::npos ? name : name.substr(before + 1);
    return tail.starts_with("models/") && tail.ends_with(".json") ? tail : std::string_view();
}

/// The relevant entries.
struct Contents {
    std::vector<zip_uint64_t> graphs;
    std::string odd;  ///< a graph in a folder with an odd name
    bool torchScript = false, checkpoint = false, compiled = false;
};

Contents contentsOf(zip_t* archive) {
    Contents found;
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const char* const raw = zip_get_name(archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
        const std::string_view name = raw ? raw : "";
        const std::string_view model = modelFile(name);
        const Place place = placeOf(name, model.empty() ? kOlder : model);
        if (place == Place::Graph) {
            found.graphs.push_back(static_cast<zip_uint64_t>(i));
        } else if (place == Place::OddFolder) {
            found.odd = name;
        }
        found.torchScript = found.torchScript || name.ends_with("/constants.pkl") || name == "constants.pkl";
        found.checkpoint = found.checkpoint || name.ends_with("/data.pkl") || name == "data.pkl";
        found.compiled = found.compiled || name.find("data/aotinductor/") != std::string_view::npos;
    }
    return found;
}

base::Result<zip_uint64_t> graphIn(zip_t* archive) {
    const Contents found = contentsOf(archive);
    if (found.graphs.size() == 1) {
        return found.graphs.front();
    }
    if (found.graphs.size() > 1) {
        return base::Error{fmt::format("has {} programs; save one by itself", found.graphs.size())};
    }
    if (!found.odd.empty()) {
        return base::Error{
            fmt::format("has its program in an odd folder, \"{}\"", base::oneLine(found.odd, 100))};
    }
    const char* const kind = found.torchScript  ? "is a TorchScript archive of torch.jit.save"
                             : found.checkpoint ? "is a checkpoint of torch.save, which has no graph"
                             : found.compiled   ? "has compiled code (AOTInductor) without its program"
                                                : "has no program in it";
    return base::Error{fmt::format("{}; {}", kind, kRight)};
}

base::Result<std::string> unpack(zip_t* archive, zip_uint64_t index) {
    zip_stat_t facts;
    if (zip_stat_index(archive, index, 0, &facts) != 0 || !(facts.valid & ZIP_STAT_SIZE)) {
        return base::Error{fmt::format("is damaged: {}", zip_strerror(archive))};
    }
    if ((facts.valid & ZIP_STAT_ENCRYPTION_METHOD) && facts.encryption_method != ZIP_EM_NONE) {
        return base::Error{"is encrypted; save the program without a password"};
    }
    if (facts.size > static_cast<zip_uint64_t>(kMostGraphBytes)) {
        return base::Error{fmt::format(
            "has a graph of {}; at most {} is read here",
            base::formatBytes(static_cast<base::Bytes>(std::min<zip_uint64_t>(facts.size, INT64_MAX))),
            base::formatBytes(kMostGraphBytes))};
    }
    const std::unique_ptr<zip_file_t, CloseEntry> entry(zip_fopen_index(archive, index, 0));
    if (!entry) {
        return base::Error{fmt::format("is damaged: {}", zip_strerror(archive))};
    }
    std::string text, chunk(kChunk, '\0');
    for (;;) {
        const zip_int64_t read = zip_fread(entry.get(), chunk.data(), chunk.size());
        if (read < 0) {
            return base::Error{fmt::format("is damaged: {}", zip_file_strerror(entry.get()))};
        }
        if (read == 0) {
            break;
        }
        text.append(chunk.data(), static_cast<std::size_t>(read));
        if (text.size() > facts.size) {
            break;
        }
    }
    return text.size() == facts.size ? base::Result<std::string>(std::move(text))
                                     : base::Error{"is damaged: its graph does not have its stated length"};
}

base::Error namedError(std::string_view name, std::string_view what) {
    return base::Error{base::oneLine(fmt::format("{}: {}", name, what), 900)};
}

/// The entry that lists the weights in the newer layout; -1 if there is none.
zip_int64_t weightsOf(zip_t* archive, zip_uint64_t graph) {
    std::string name = zip_get_name(archive, graph, ZIP_FL_ENC_RAW);
    const std::size_t at = name.rfind("models/");
    if (at == std::string::npos) {
        return -1;
    }
    const std::string model = name.substr(at + 7, name.size() - at - 12);  // between "models/" and ".json"
    name = name.substr(0, at) + fmt::format("data/weights/{}_weights_config.json", model);
    return zip_name_locate(archive, name.c_str(), ZIP_FL_ENC_RAW);
}

base::Result<ProgramFiles> programOf(const Archive& archive, std::string_view name) {
    const auto index = graphIn(archive.get());
    if (!index) {
        return namedError(name, index.error().message);
    }
    ProgramFiles files;
    const zip_int64_t weights = weightsOf(archive.get(), *index);
    for (const auto& [entry, text] :
         {std::pair(static_cast<zip_int64_t>(*index), &files.graph), std::pair(weights, &files.weights)}) {
        if (entry < 0) {
            continue;
        }
        auto unpacked = unpack(archive.get(), static_cast<zip_uint64_t>(entry));
        if (!unpacked) {
            return namedError(name, unpacked.error().message);
        }
        *text = *std::move(unpacked);
    }
    return files;
}

std::string message(zip_error_t& error) {
    std::string text = fmt::format("is not a whole zip archive ({})", zip_error_strerror(&error));
    zip_error_fini(&error);
    return text;
}

}  // namespace

base::Result<ProgramFiles> programOfFile(const std::filesystem::path& path) {
    std::error_code ignored;
    const std::string name = path.string();
    const auto status = std::filesystem::status(path, ignored);
    if (!std::filesystem::is_regular_file(status)) {
        return namedError(name, !std::filesystem::exists(status)        ? "no such file"
                                : std::filesystem::is_directory(status) ? "is a directory; a file is needed"
                                                                        : "is not a regular file");
    }
    std::string head(base::kKindBytes, '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return namedError(name, "cannot be read");
    }
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    if (!isZip(head)) {
        return namedError(name, whatElse(head));
    }
    int code = 0;
    const Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        return namedError(name, message(error));
    }
    return programOf(archive, name);
}

base::Result<ProgramFiles> programOfBytes(std::string_view bytes, std::string_view name) {
    if (!isZip(bytes.substr(0, 4))) {
        return namedError(name, whatElse(bytes));
    }
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    const Archive archive(source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr);
    if (!archive) {
        if (source) {
            zip_source_free(source);
        }
        return namedError(name, message(error));
    }
    zip_error_fini(&error);
    return programOf(archive, name);
}

}  // namespace highwater::stack::pytorch
