#include <fmt/format.h>

#include "core/base/file_kind.h"
#include "core/base/json_reader.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/stack/fields.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using base::Json;
using base::JsonReader;

std::vector<Layer> readLayers(JsonReader& parent, std::string_view key, int depth, std::size_t& count);

/// A name or an id. It is converted to one line, because it is shown in single lines and written into
/// programs.
std::string word(JsonReader& reader, std::string_view key, std::string value) {
    if (value.size() > kLongestText) {
        reader.fail(key, fmt::format("is {} bytes long; at most {} are read", value.size(), kLongestText));
    }
    constexpr std::size_t kEllipsis = 3;
    return base::isOneLine(value) ? value : base::oneLine(value, kLongestText - kEllipsis);
}

bool isFactor(const Json& value) {
    return value.is_number() && value.get<double>() > 0 && value.get<double>() <= kMostScale;
}

void readFactors(JsonReader& reader, std::string_view key, std::vector<double>& value) {
    const Json* given = reader.raw(key);
    if (!given) {
        return;
    }
    if (reader.has("size")) {
        return reader.fail(key, "cannot be combined with size; give one of them");
    }
    const bool list = given->is_array();
    bool good = list ? !given->empty() && given->size() <= 3 : isFactor(*given);
    value.clear();
    if (!list && good) {
        value.push_back(given->get<double>());
    }
    for (std::size_t i = 0; list && good && i < given->size(); ++i) {
        if ((good = isFactor((*given)[i]))) {
            value.push_back((*given)[i].get<double>());
        }
    }
    if (!good) {
        reader.fail(
            key, fmt::format("must be a number above 0 and up to {} or a list of 1 to 3 such", kMostScale));
    }
}

/// One id, or, if `most` is above 1, also a list of them.
void readOutputs(JsonReader& reader, std::string_view key, std::vector<std::string>& value,
                 std::size_t most) {
    value.clear();
    const Json* given = reader.raw(key);
    if (!given || !given->is_array() || most == 1) {
        value.push_back(word(reader, key, reader.text(key)));
        if (given && value.front().empty() && !reader.failed()) {
            value.clear();  // not chosen yet, which inferShapes() reports
        }
    } else if (given->empty() || given->size() > most) {
        return reader.fail(key, fmt::format("must be an id or a list of 1 to {} ids", most));
    } else {
        for (const Json& each : *given) {
            if (!each.is_string()) {
                return reader.fail(key, fmt::format("must be an id or a list of 1 to {} ids", most));
            }
            value.push_back(word(reader, key, each.get<std::string>()));
        }
    }
    for (const std::string& id : value) {
        if (id.empty()) {
            reader.fail(key, "must not be empty");
        }
    }
}

void readBetas(JsonReader& reader, std::string_view key, Optimizer& value) {
    const Json* given = reader.raw(key);
    if (!given) {
        return;
    }
    const auto good = [](const Json& beta) {
        return beta.is_number() && beta.get<double>() >= 0 && beta.get<double>() < 1;
    };
    if (!given->is_array() || given->size() != 2 || !good((*given)[0]) || !good((*given)[1])) {
        return reader.fail(key, "must be a list of two numbers from 0 to below 1, such as [0.9, 0.999]");
    }
    value.beta1 = (*given)[0].get<double>();
    value.beta2 = (*given)[1].get<double>();
}

/// Reads the parts of a plan within the layers [first, last). False if they are not a valid plan.
bool readParts(const Json& given, std::int64_t first, std::int64_t last, std::vector<PlanPart>& made) {
    if (!given.is_array()) {
        return false;
    }
    for (const Json& part : given) {
        if (!part.is_array() || part.size() < 2 || part.size() > 3 || !part[0].is_number_integer() ||
            !part[1].is_number_integer()) {
            return false;
        }
        PlanPart& each = made.emplace_back();
        each.first = part[0].get<std::int64_t>();
        each.last = part[1].get<std::int64_t>();
        each.offload = part.size() == 3 && part[2] == "offload";
        if (each.first < first || each.last <= each.first || each.last > last ||
            (part.size() == 3 && !each.offload && !readParts(part[2], each.first, each.last, each.inner))) {
            return false;
        }
        first = each.last;
    }
    return true;
}

void readCheckpointing(JsonReader& reader, std::string_view key, Checkpointing& value) {
    const Json* given = reader.raw(key);
    if (given && given->is_object()) {
        JsonReader inner(*given, reader.pointer(key));
        if (const Json* const parts = inner.raw("plan")) {
            value.kind = Checkpointing::Kind::Plan;
            if (!readParts(*parts, 0, static_cast<std::int64_t>(kMostLayers), value.plan)) {
                inner.fail(
                    "plan",
                    "must be a list of parts, each [first, last], [first, last, [parts within it]] or "
                    "[first, last, \"offload\"], which count layers from 0, ascend and do not overlap");
            }
        } else {
            value.kind = Checkpointing::Kind::Segments;
            value.segments = inner.integer("segments", 1, static_cast<std::int64_t>(kMostLayers));
        }
        if (const auto status = inner.finish(); !status) {
            reader.failAt(status.error().message);
        }
    } else if (given && !given->is_string()) {
        reader.fail(key, R"(must be "blocks", "none", "sqrt", {"segments": N} or {"plan": [...]})");
    } else {
        value.kind = static_cast<Checkpointing::Kind>(
            reader.choice(key, {"blocks", "none", "sqrt"}, static_cast<std::size_t>(value.kind)));
    }
}

void readSeed(JsonReader& reader, std::string_view key, std::uint64_t& value) {
    const Json* given = reader.raw(key);
    if (given && given->is_number_unsigned()) {
        value = given->get<std::uint64_t>();
    } else if (given) {
        value = static_cast<std::uint64_t>(reader.integer(key, 0, std::numeric_limits<std::int64_t>::max()));
    }
}

void readList(JsonReader& parent, std::string_view key, std::size_t most,
              const JsonReader::ReadObject& read) {
    if (parent.has(key)) {
        parent.objects(key, most, read);
    }
}

/// A visitor of fields (core/layers/about.h, core/stack/fields.h) that fills a value from a JSON object. The
/// value must have its defaults.
template <class T>
class FieldReader {
public:
    static constexpr bool everyKind = false;

    FieldReader(JsonReader& reader, T& value, int depth, std::size_t& count)
        : reader_(reader), value_(value), depth_(depth), count_(count) {}
    FieldReader(JsonReader& reader, T& value) : FieldReader(reader, value, 0, unused_) {}

    template <class N>
    void integer(std::string_view key, N T::* member, Range range, const char*) {
        value_.*member = static_cast<N>(reader_.integer(key, range.low, range.high, value_.*member));
    }
    void needed(std::string_view key, std::int64_t T::* member, Range range, const char*) {
        value_.*member = reader_.integer(key, range.low, range.high);
    }
    void dims(std::string_view key, int T::* member, const char*) {
        value_.*member = static_cast<int>(reader_.integer(key, 1, 3, 0));
    }
    void number(std::string_view key, double T::* member, double low, double high, const char*) {
        value_.*member = reader_.number(key, low, high, value_.*member);
    }
    void toggle(std::string_view key, bool T::* member, const char*) {
        value_.*member = reader_.boolean(key, value_.*member);
    }
    void text(std::string_view key, std::string T::* member, const char*, const char*) {
        value_.*member = word(reader_, key, reader_.text(key, value_.*member));
    }
    void output(std::string_view key, std::string T::* member, const char* help) {
        text(key, member, help, "");
    }
    void outputs(std::string_view key, std::vector<std::string> T::* member, std::size_t fewest,
                 std::size_t most, const char*) {
        (value_.*member).clear();
        if (fewest > 0 || reader_.raw(key)) {
            readOutputs(reader_, key, value_.*member, most);
        }
    }
    template <class E>
    void choice(std::string_view key, E T::* member, std::span<const std::string_view> words, const char*) {
        value_.*member = static_cast<E>(reader_.choice(key, words, static_cast<std::size_t>(value_.*member)));
    }
    void sizes(std::string_view key, Sizes T::* member, const SizesRange& range, const char*) {
        value_.*member = reader_.integers(key, range.low, range.high, range.most, value_.*member);
    }
    void padding(std::string_view key, Padding T::* member, const char*) {
        const Json* given = reader_.raw(key);
        Padding& value = value_.*member;
        if (given && given->is_string()) {
            value.same = true;
            if (given->get_ref<const std::string&>() != "same") {
                reader_.fail(key, "must be a number, a list of numbers or \"same\"");
            }
        } else {
            value.sizes = reader_.integers(key, 0, kMostExtent, 3, value.sizes);
        }
    }
    void factors(std::string_view key, std::vector<double> T::* member, Sizes T::*, const char*) {
        readFactors(reader_, key, value_.*member);
    }
    void betas(std::string_view key, const char*) { readBetas(reader_, key, value_); }
    void checkpointing(std::string_view key, const char*) {
        readCheckpointing(reader_, key, value_.checkpoint);
    }
    void seed(std::string_view key, std::uint64_t T::* member, const char*) {
        readSeed(reader_, key, value_.*member);
    }
    void bytes(std::string_view key, std::optional<base::Bytes> T::* member, const char*) {
        if (reader_.has(key)) {
            value_.*member = reader_.integer(key, 0, std::numeric_limits<std::int64_t>::max());
        }
    }
    void augmentations(std::string_view key, std::vector<Augmentation> T::* member, const char*) {
        readList(reader_, key, 100, [&](JsonReader& inner) {
            Augmentation& made = (value_.*member).emplace_back();
            made.kind = static_cast<Augmentation::Kind>(inner.choice("type", kAugmentationNames));
            FieldReader<Augmentation> visitor(inner, made);
            fields(visitor, made);
        });
    }
    void layers(std::string_view key, std::vector<Layer> T::* member) {
        value_.*member = readLayers(reader_, key, depth_ + 1, count_);
    }
    void onlyIf(bool (*)(const T&)) {}  // a field is read whether it applies or not

private:
    JsonReader& reader_;
    T& value_;
    int depth_;
    std::size_t& count_;
    std::size_t unused_ = 0;
};

std::string unknownType(const std::string& type) {
    const std::string near = base::nearestWord(type, typeNames());
    const std::string shown = base::oneLine(type, 40);
    return near.empty()
               ? fmt::format("\"{}\" is not a layer type; there are: {}", shown, fmt::join(typeNames(), ", "))
               : fmt::format("\"{}\" is not a layer type; did you mean \"{}\"?", shown, near);
}

void readLayer(JsonReader& reader, Layer& layer, int depth, std::size_t& count) {
    if (++count > kMostLayers) {
        return reader.fail("", fmt::format("is one layer too many; at most {} are read", kMostLayers));
    }
    const std::string type = reader.text("type");
    if (reader.failed()) {
        return;
    }
    const auto op = makeOp(type);
    if (!op) {
        return reader.fail("type", unknownType(type));
    }
    layer.op = *op;
    layer.id = word(reader, "id", reader.text("id", ""));
    std::visit(
        [&]<class T>(T& value) {
            FieldReader<T> visitor(reader, value, depth, count);
            About<T>::fields(visitor, std::get<T>(*op));
        },
        layer.op);
}

std::vector<Layer> readLayers(JsonReader& parent, std::string_view key, int depth, std::size_t& count) {
    std::vector<Layer> layers;
    if (depth > kDeepestBlock) {
        parent.fail(key, fmt::format("blocks are nested more than {} deep", kDeepestBlock));
    } else if (!parent.has(key)) {
        parent.fail(key, "is missing; a list of layers is needed");
    } else {
        readList(parent, key, kMostLayers,
                 [&](JsonReader& inner) { readLayer(inner, layers.emplace_back(), depth, count); });
    }
    return layers;
}

void readNormalize(JsonReader& reader, Normalize& normalize) {
    const Json* given = reader.raw("normalize");
    if (!given || given->is_string()) {
        normalize.kind = static_cast<Normalize::Kind>(reader.choice(
            "normalize", {"none", "zscore", "minmax"}, static_cast<std::size_t>(normalize.kind)));
        return;
    }
    constexpr std::string_view wanted = R"(must be "none", "zscore", "minmax" or {"window": [low, high]})";
    if (!given->is_object()) {
        return reader.fail("normalize", wanted);
    }
    reader.objectIfAny("normalize", [&](JsonReader& inner) {
        const Json* window = inner.raw("window");
        if (!window || !window->is_array() || window->size() != 2 || !(*window)[0].is_number() ||
            !(*window)[1].is_number()) {
            return inner.fail("window", "must be a list of two numbers: the values mapped to 0 and to 1");
        }
        normalize = {Normalize::Kind::Window, (*window)[0].get<double>(), (*window)[1].get<double>()};
        if (!(normalize.low < normalize.high)) {
            inner.fail("window", "the second number must be larger than the first");
        }
    });
}

constexpr std::int64_t kMostScans = 1024;

/// The text of a path; empty after an error.
std::string pathText(JsonReader& reader, std::string_view key, const Json& value) {
    const bool good = value.is_string() && !value.get_ref<const std::string&>().empty() &&
                      value.get_ref<const std::string&>().size() <= kLongestText;
    if (!good) {
        reader.fail(key, fmt::format("must be a path: text of 1 to {} bytes", kLongestText));
    }
    return good ? value.get<std::string>() : std::string();
}

/// `where`: the JSON Pointer of the value.
ScanSource readSource(JsonReader& reader, const Json& value, const std::string& where) {
    ScanSource source;
    if (!value.is_object()) {
        source.path = pathText(reader, "scan", value);
        return source;
    }
    JsonReader inner(value, where);
    const Json* const path = inner.raw("path");
    if (!path) {
        inner.fail("path", "is missing; name a file or a folder of DICOM files");
    } else {
        source.path = pathText(inner, "path", *path);
    }
    source.series = inner.text("series", "");
    source.volume = inner.integer("volume", 0, kMostSize, 0);
    if (const auto status = inner.finish(); !status) {
        reader.failAt(status.error().message);
    }
    return source;
}

void readScans(JsonReader& reader, ScanInput& scan) {
    const Json* given = reader.raw("scan");
    if (reader.has("cohort")) {
        if (given) {
            return reader.fail("cohort", "cannot be combined with scan; give one of them");
        }
        scan.cohort = pathText(reader, "cohort", *reader.raw("cohort"));
        scan.channels = reader.integer("channels", 1, kMostScans, 1);
    } else if (!given) {
        reader.fail("", "names no data: give \"scan\", \"cohort\" or \"synthetic\"");
    } else if (given->is_string() || given->is_object()) {
        scan.scans = {readSource(reader, *given, reader.pointer("scan"))};
    } else if (given->is_array() && static_cast<std::int64_t>(given->size()) <= kMostScans) {
        // An empty list: not chosen yet, which inferShapes() reports.
        for (std::size_t i = 0; i < given->size(); ++i) {
            scan.scans.push_back(
                readSource(reader, (*given)[i], fmt::format("{}/{}", reader.pointer("scan"), i)));
        }
    } else {
        reader.fail("scan",
                    "must be a path or a list of at most 1024 paths, one a channel; instead of a path, "
                    "{\"path\", \"series\", \"volume\"}");
    }
}

void readInput(JsonReader& reader, Input& input) {
    if (const Json* synthetic = reader.raw("synthetic")) {
        SyntheticInput made;
        const bool list = synthetic->is_array() && synthetic->size() >= 2 && synthetic->size() <= 4;
        if (!list) {
            reader.fail("synthetic", "must be a list: [C, L], [C, H, W] or [C, D, H, W]");
        } else {
            made.shape = reader.integers("synthetic", 1, kMostSize, 4);
        }
        input = made;
        return;
    }
    ScanInput scan;
    readScans(reader, scan);
    if (scan.cohort.empty()) {
        const std::int64_t volume = reader.integer("volume", 0, kMostSize, 0);  // the volume for all sources
                                                                                // that name none
        for (ScanSource& source : scan.scans) {
            source.volume = source.volume == 0 ? volume : source.volume;
        }
    }
    scan.patch = reader.integers("patch", 1, kMostSize, 3, scan.patch);
    if (scan.patch.size() == 2) {
        reader.fail("patch", "must be one number or three: depth, height, width");
    }
    readNormalize(reader, scan.normalize);
    scan.sampling = static_cast<ScanInput::Sampling>(reader.choice("sampling", {"uniform", "foreground"}, 0));
    input = scan;
}

/// With a cohort, the word "labels" means each case's own label map.
void readTargetWord(JsonReader& reader, const std::string& word, bool cohort, Target& target) {
    if (word == "labels" && cohort) {
        target.kind = Target::Kind::Labels;
    } else if (word != "input") {
        reader.fail("target",
                    cohort ? R"(must be "input", "labels", {"threshold": V} or {"classes": N})"
                           : R"(must be "input", {"threshold": V}, {"labels": PATH} or {"classes": N})");
    }
}

void readTarget(JsonReader& reader, bool cohort, Target& target) {
    const Json* given = reader.raw("target");
    if (!given) {
        return;
    }
    if (given->is_string()) {
        readTargetWord(reader, given->get_ref<const std::string&>(), cohort, target);
        return;
    }
    reader.objectIfAny("target", [&](JsonReader& inner) {
        const int kinds = inner.has("threshold") + inner.has("labels") + inner.has("classes");
        if (kinds > 1) {
            return inner.fail("", "must hold one of threshold, labels and classes");
        }
        if (inner.has("threshold")) {
            target.kind = Target::Kind::Threshold;
            target.threshold = inner.number("threshold", -1e30, 1e30);
        } else if (inner.has("labels")) {
            target.kind = Target::Kind::Labels;
            target.labels = pathText(inner, "labels", *inner.raw("labels"));
        } else if (inner.has("classes")) {
            target.kind = Target::Kind::Classes;
            target.classes = inner.integer("classes", 2, kMostExtent);
        } else if (inner.finish().ok()) {
            inner.fail("", "must hold threshold, labels or classes");
        }
    });
}

void readOptimizer(JsonReader& reader, Optimizer& optimizer) {
    reader.objectIfAny("optimizer", [&](JsonReader& inner) {
        optimizer = makeOptimizer(static_cast<Optimizer::Kind>(inner.choice("type", kOptimizerNames)));
        FieldReader<Optimizer> visitor(inner, optimizer);
        fields(visitor, optimizer);
    });
}

/// Reads an object whose keys are all in fields.h.
template <class T>
void readPlain(JsonReader& reader, std::string_view key, T& value) {
    reader.objectIfAny(key, [&](JsonReader& inner) {
        FieldReader<T> visitor(inner, value);
        fields(visitor, value);
    });
}

Experiment readExperiment(JsonReader& reader) {
    Experiment e;
    if (!reader.has("schema")) {
        reader.fail("schema", "is missing; an experiment of Highwater has \"highwater.experiment/1\" there");
    } else if (const std::string schema = reader.text("schema"); schema != "highwater.experiment/1") {
        reader.fail("schema",
                    fmt::format("must be \"highwater.experiment/1\", not \"{}\"", base::oneLine(schema, 60)));
    }
    e.name = word(reader, "name", reader.text("name", ""));
    if (!reader.has("input")) {
        reader.fail("input", "is missing; give a scan, a cohort or a synthetic shape");
    }
    reader.objectIfAny("input", [&](JsonReader& inner) { readInput(inner, e.input); });
    readTarget(reader, isCohort(e), e.target);
    e.loss = static_cast<Loss>(reader.choice("loss", kLossNames, static_cast<std::size_t>(e.loss)));
    std::size_t count = 0;
    e.stack = readLayers(reader, "stack", 0, count);
    readOptimizer(reader, e.optimizer);
    readPlain(reader, "step", e.step);
    if (reader.has("windows")) {
        readPlain(reader, "windows", e.windows.emplace());
    }
    readPlain(reader, "data", e.data);
    readPlain(reader, "backend", e.backend);
    readPlain(reader, "left_out", e.leftOut);
    return e;
}

}  // namespace

base::Result<Experiment> experimentFromJson(const Json& json, std::string_view where) {
    JsonReader reader(json, "");
    Experiment experiment;
    if (!reader.failed()) {
        experiment = readExperiment(reader);
    }
    if (const auto status = reader.finish(); !status) {
        return base::Error{where.empty() ? status.error().message
                                         : fmt::format("{}: {}", where, status.error().message)};
    }
    return experiment;
}

base::Result<Experiment> parseExperiment(std::string_view text, std::string_view name) {
    const auto json = HIGHWATER_TRY(base::parseJson(text, name));
    auto experiment = experimentFromJson(json, name);
    if (!experiment && json.is_object() && !json.contains("schema")) {
        if (const std::string what = base::whatItIs(text); !what.empty() && what != "is JSON") {
            return base::Error{fmt::format("{}: {}", name, base::wrongKind(what, "an experiment"))};
        }
    }
    return experiment;
}

}  // namespace highwater::stack
