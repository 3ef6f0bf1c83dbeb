#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/stack/pytorch/graph.h"
#include "core/stack/pytorch/json_parts.h"
#include "core/stack/pytorch/reads.h"

namespace highwater::stack::pytorch {

namespace {

using base::Json;

class GraphReader {
public:
    explicit GraphReader(base::MemoryBudget& budget) : budget_(budget) {}
    base::Result<Graph> read(const Json& program);

private:
    void fail(const std::string& where, const std::string& what) {
        if (!error_) {
            error_ = base::Error{base::oneLine(fmt::format("{}: {}", where, what), 800)};
        }
    }
    /// Handles a call that only marks the begin or end of activation checkpointing.
    bool takeMark(const Call& call);
    void readVersion(const Json& program);
    void readMetas(const Json& graph);
    void readInputs(const Json& graph, const Json& signature);
    void readCall(const Json& node, const std::string& where);
    void readOutputs(const Json& graphModule, const Json& signature);
    std::optional<TensorMeta> metaOf(const std::string& name, const std::string& where);
    Ref define(const std::string& name, const std::string& where, std::optional<std::size_t> madeBy);
    Ref known(const std::string& name, const std::string& where);
    Argument readArgument(const Json& json, const std::string& where);
    Argument readList(std::string_view kind, const Json& list, const std::string& where);
    Argument readSymbols(const Json& list, const std::string& where);
    void defineOutputs(const Json& json, const std::string& where, Call& call);

    base::MemoryBudget& budget_;
    Graph graph_;
    std::unordered_map<std::string_view, const Json*> metas_;
    std::unordered_map<std::string, Ref> known_;
    std::optional<Scope> checkpoint_;    ///< the checkpoint of the call being read, if there is one
    std::size_t checkpointDepth_ = 0;    ///< number of modules around it
    std::size_t nested_ = 0;             ///< number of calls inside it
    std::size_t checkpointsMarked_ = 0;  ///< number of marked calls so far
    std::size_t emptyTensors_ = 0;       ///< unused empty tensors: two for each call in a program without
                                         ///< marks
    std::optional<base::Error> error_;
};

void GraphReader::readVersion(const Json& program) {
    const Json* version = find(program, "schema_version");
    const Json* major = version ? find(*version, "major") : nullptr;
    if (!major || !major->is_number_integer()) {
        return fail("/schema_version", "is missing; is it a program of torch.export?");
    }
    if (*major < 7) {
        return fail("/schema_version", "is that of a PyTorch before 2.5; save the program with 2.5 or newer");
    }
    const Json& verifiers = listOf(find(program, "verifiers"));
    graph_.functional = std::find(verifiers.begin(), verifiers.end(), Json("TRAINING")) == verifiers.end();
}

void GraphReader::readMetas(const Json& graph) {
    const Json* values = find(graph, "tensor_values");
    if (!values || !values->is_object()) {
        return fail("/graph_module/graph/tensor_values", "is missing; an object is needed");
    }
    for (auto at = values->begin(); at != values->end(); ++at) {
        metas_.emplace(at.key(), &*at);
    }
}

std::optional<TensorMeta> GraphReader::metaOf(const std::string& name, const std::string& where) {
    const auto found = metas_.find(name);
    if (found == metas_.end() || error_) {
        return std::nullopt;
    }
    auto meta = readMeta(*found->second, name);
    if (!meta) {
        fail(where, meta.error().message);
    }
    return meta ? std::optional(*std::move(meta)) : std::nullopt;
}

Ref GraphReader::define(const std::string& name, const std::string& where,
                        std::optional<std::size_t> madeBy) {
    const Ref ref = graph_.values.size();
    if (name.empty() || !known_.emplace(name, ref).second) {
        fail(where, fmt::format("the name \"{}\" is empty, or stands for two values", name));
    }
    graph_.values.push_back({name, metaOf(name, where), madeBy});
    budget_.take(memoryOf(graph_.values.back()));
    return ref;
}

Ref GraphReader::known(const std::string& name, const std::string& where) {
    const auto found = known_.find(name);
    if (found == known_.end()) {
        fail(where, fmt::format("\"{}\" is read before it is made", name));
        return 0;
    }
    return found->second;
}

void GraphReader::readInputs(const Json& graph, const Json& signature) {
    const std::string where = "/graph_module/graph/inputs";
    for (const Json& input : listOf(find(graph, "inputs"))) {
        const auto [kind, value] = member(input);
        if (kind == "as_tensor" || kind == "as_custom_obj") {
            define(textAt(*value, "name"), where, std::nullopt);
        }
    }
    std::vector<Ref> given;
    for (const Json& spec : listOf(find(signature, "input_specs"))) {
        const auto [kind, value] = member(spec);
        const Json* argument = value ? find(*value, "arg") : nullptr;
        if (kind == "parameter" && argument) {
            graph_.parameters.push_back(
                {known(textAt(*argument, "name"), where), textAt(*value, "parameter_name")});
        } else if (kind == "user_input" && argument) {
            if (const Json* tensor = find(*argument, "as_tensor")) {
                given.push_back(known(textAt(*tensor, "name"), where));
            }
        }
    }
    const auto taken = error_ ? base::Status(*error_) : takeInputs(given, graph_);
    if (!taken) {
        error_ = taken.error();
    }
}

Argument GraphReader::readSymbols(const Json& list, const std::string& where) {
    std::vector<std::int64_t> numbers;
    Refs refs;
    for (const Json& item : list) {
        const auto [kind, value] = member(item);
        if (kind == "as_name" && value->is_string()) {
            refs.push_back(known(value->get<std::string>(), where));
        } else if (kind == "as_int" && value->is_number_integer()) {
            numbers.push_back(value->get<std::int64_t>());
        }
    }
    return refs.empty() ? Argument(std::move(numbers)) : Argument(std::move(refs));
}

Argument GraphReader::readList(std::string_view kind, const Json& list, const std::string& where) {
    if (kind == "as_sym_ints") {
        return readSymbols(list, where);
    }
    if (kind == "as_ints" || kind == "as_floats") {
        std::vector<std::int64_t> whole;
        std::vector<double> real;
        for (const Json& item : list) {
            if (!item.is_number() || (kind == "as_ints" && !item.is_number_integer())) {
                fail(where, "must be a list of numbers");
                return Other{};
            }
            kind == "as_ints" ? whole.push_back(item.get<std::int64_t>())
                              : real.push_back(item.get<double>());
        }
        return kind == "as_ints" ? Argument(std::move(whole)) : Argument(std::move(real));
    }
    Refs refs;
    for (const Json& item : list) {
        const Json* tensor = item.is_object() && item.contains("as_tensor") ? &item["as_tensor"] : &item;
        if (find(*tensor, "name")) {
            refs.push_back(known(textAt(*tensor, "name"), where));
        }
    }
    return refs;
}

Argument GraphReader::readArgument(const Json& json, const std::string& where) {
    const auto [kind, value] = member(json);
    if (!value || kind == "as_none") {
        return Nothing{};
    }
    if (value->is_array()) {
        return readList(kind, *value, where);
    }
    if (kind == "as_tensor") {
        return known(textAt(*value, "name"), where);
    }
    if (kind == "as_optional_tensor" || kind.starts_with("as_sym_")) {
        const auto [inner, held] = member(*value);
        return inner == "as_name" && held->is_string() ? Argument(known(held->get<std::string>(), where))
                                                       : readArgument(*value, where);
    }
    if (kind == "as_bool" && value->is_boolean()) {
        return value->get<bool>();
    }
    if (kind == "as_int" && value->is_number_integer()) {
        return value->get<std::int64_t>();
    }
    if (kind == "as_float" && value->is_number()) {
        return value->get<double>();
    }
    return kind == "as_string" && value->is_string() ? Argument(value->get<std::string>()) : Other{};
}

void GraphReader::defineOutputs(const Json& json, const std::string& where, Call& call) {
    const auto [kind, value] = member(json);
    if (kind == "as_tensor") {
        call.outputs.push_back(define(textAt(*value, "name"), where, graph_.calls.size()));
    } else if (kind == "as_tensors") {
        for (const Json& item : listOf(value)) {
            call.outputs.push_back(define(textAt(item, "name"), where, graph_.calls.size()));
        }
    } else if (kind.starts_with("as_sym_") && find(*value, "as_name")) {
        call.outputs.push_back(define(textAt(*value, "as_name"), where, graph_.calls.size()));
        call.tensorsOnly = false;
    }
}

bool GraphReader::takeMark(const Call& call) {
    const auto size = call.arguments.find("size");
    const auto* const sizes =
        size == call.arguments.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&size->second);
    if (call.name != "empty" || !sizes || sizes->empty() || sizes->front() != 0) {
        return false;
    }
    if (std::ranges::equal(*sizes, kCheckpointBegins)) {
        if (checkpoint_) {
            ++nested_, ++graph_.checkpoints;
            return true;
        }
        checkpointDepth_ = call.scopes.size();
        const std::string around = where(call.scopes);
        checkpoint_ = {fmt::format("checkpoint {}", ++checkpointsMarked_),
                       around.empty() ? "checkpoint" : around + ".checkpoint", std::string(kCheckpoint)};
        return true;
    }
    if (std::ranges::equal(*sizes, kCheckpointEnds)) {
        nested_ > 0 ? void(--nested_) : checkpoint_.reset();
        return true;
    }
    emptyTensors_ += sizes->size() == 1 ? 1 : 0;
    return false;
}

void GraphReader::readCall(const Json& node, const std::string& where) {
    Call call;
    call.name = operatorName(textAt(node, "target"));
    if (call.name.empty()) {
        return fail(where, "has no target");
    }
    Reads reads;
    std::size_t position = 0;
    for (const Json& input : listOf(find(node, "inputs"))) {
        const Json* value = find(input, "arg");
        Argument argument = value ? readArgument(*value, where) : Argument(Nothing{});
        reads.add(argument);
        const std::string name = textAt(input, "name");
        call.arguments.insert_or_assign(name.empty() ? std::to_string(position) : name, std::move(argument));
        ++position;
    }
    if (error_) {
        return;
    }
    call.reads = std::move(reads.refs);
    for (const Ref ref : call.reads) {
        ++graph_.values[ref].users;
    }
    for (const Json& output : listOf(find(node, "outputs"))) {
        defineOutputs(output, where, call);
    }
    if (const Json* metadata = find(node, "metadata")) {
        call.scopes = readScopes(textAt(*metadata, "nn_module_stack"));
    }
    if (!takeMark(call) && checkpoint_) {
        const auto depth = std::min(checkpointDepth_, call.scopes.size());
        call.scopes.insert(call.scopes.begin() + static_cast<std::ptrdiff_t>(depth), *checkpoint_);
    }
    budget_.take(memoryOf(call));
    graph_.calls.push_back(std::move(call));
}

void GraphReader::readOutputs(const Json& graphModule, const Json& signature) {
    std::vector<Argument> given;
    Reads used;
    const std::string where = "/graph_module/signature/output_specs";
    for (const Json& spec : listOf(find(signature, "output_specs"))) {
        const auto [kind, value] = member(spec);
        if (kind.ends_with("_mutation")) {
            graph_.functional = true;
        }
        const Json* argument = value && kind == "user_output" ? find(*value, "arg") : nullptr;
        if (argument) {
            given.push_back(readArgument(*argument, where));
            used.add(given.back());
        }
    }
    if (error_) {
        return;
    }
    for (const Ref ref : used.refs) {
        ++graph_.values[ref].users;
    }
    const auto keys = outputKeys(graphModule, given.size());
    if (!keys) {
        return fail(where, keys.error().message);
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (const auto* ref = std::get_if<Ref>(&given[i]); ref && graph_.values[*ref].meta) {
            graph_.outputs.emplace_back((*keys)[i], *ref);
        }
    }
}

base::Result<Graph> GraphReader::read(const Json& program) {
    const Json* graphModule = find(program, "graph_module");
    const Json* graph = graphModule ? find(*graphModule, "graph") : nullptr;
    const Json* signature = graphModule ? find(*graphModule, "signature") : nullptr;
    if (!graph || !signature) {
        return base::Error{"there is no graph; is it a program of torch.export?"};
    }
    readVersion(program);
    readMetas(*graph);
    if (!error_) {
        readInputs(*graph, *signature);
    }
    std::size_t index = 0;
    for (const Json& node : listOf(find(*graph, "nodes"))) {
        if (error_ || budget_.exceeded()) {
            break;
        }
        readCall(node, fmt::format("/graph_module/graph/nodes/{}", index++));
    }
    if (budget_.exceeded()) {
        return budget_.error();
    }
    if (!error_) {
        readOutputs(*graphModule, *signature);
    }
    if (checkpointsMarked_ == 0) {
        graph_.checkpoints = (emptyTensors_ + 1) / 2;
    }
    return error_ ? base::Result<Graph>(*error_) : base::Result<Graph>(std::move(graph_));
}

}  // namespace

base::Result<Graph> readGraph(const Json& program, base::MemoryBudget& budget) {
    return GraphReader(budget).read(program);
}

}  // namespace highwater::stack::pytorch
