#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/file_kind.h"
#include "core/base/json_reader.h"
#include "core/base/memory_budget.h"
#include "core/base/text.h"

namespace highwater::base {

namespace {

constexpr std::size_t kDeepest = 200;
constexpr std::size_t kContainer = 48;  // the block of an empty list or object, including the allocator's
                                        // overhead
constexpr std::size_t kLongestProblem = 5000;  // a path may have 4096 bytes, and the reason follows it

/// Builds the document. Json::parse() would search all earlier keys for each key, which takes a minute for
/// 100,000 keys, and silently accepts duplicate keys and deep nesting, which this refuses.
class Builder : public nlohmann::json_sax<Json> {
public:
    explicit Builder(MemoryBudget& budget) : budget_(budget) {}

    Json document;
    std::string problem;    ///< why the text is not valid JSON
    bool tooLarge = false;  ///< the budget is used up

    bool null() override { return add(nullptr) != nullptr; }
    bool boolean(bool value) override { return add(value) != nullptr; }
    bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
    bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
    bool number_float(number_float_t value, const string_t&) override { return add(value) != nullptr; }
    bool string(string_t& value) override {
        return counted(MemoryBudget::bytesOf(value)) && add(std::move(value)) != nullptr;
    }
    bool binary(binary_t&) override { return true; }  // JSON has no binary values
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override { return open_.pop_back(), true; }
    bool key(string_t& name) override {
        if (!counted(sizeof(Members::value_type) + MemoryBudget::bytesOf(name) - sizeof(std::string))) {
            return false;
        }
        slot_ = &membersOf(*open_.back()).emplace_back(std::move(name), nullptr).second;
        return true;
    }
    bool end_object() override {
        const bool unique = allUnique(membersOf(*open_.back()));
        open_.pop_back();
        return unique;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
        problem = e.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." -> from "line";
        // "[json.exception.out_of_range.406] number overflow parsing '1e400'" -> from "number"
        for (const char* start : {"line ", "] "}) {
            if (const auto at = problem.find(start); at != std::string::npos) {
                problem = problem.substr(at + (*start == ']' ? 2 : 0));
                break;
            }
        }
        return false;
    }

private:
    using Members = Json::object_t::Container;
    static Members& membersOf(Json& object) { return object.get_ref<Json::object_t&>(); }

    bool counted(std::size_t bytes) {
        tooLarge = !budget_.take(bytes);
        return !tooLarge;
    }

    /// Puts a value where the next one belongs; null once the budget is used up.
    template <class T>
    Json* add(T&& value) {
        if (open_.empty()) {
            document = std::forward<T>(value);
            return &document;
        }
        if (open_.back()->is_object()) {
            *slot_ = std::forward<T>(value);
            return slot_;
        }
        if (!counted(sizeof(Json))) {
            return nullptr;
        }
        auto& list = open_.back()->get_ref<Json::array_t&>();
        list.emplace_back(std::forward<T>(value));
        return &list.back();
    }

    bool open(Json container) {
        if (open_.size() >= kDeepest) {
            problem = fmt::format("nested deeper than {} levels", kDeepest);
            return false;
        }
        Json* const added = counted(kContainer) ? add(std::move(container)) : nullptr;
        open_.push_back(added);
        return added != nullptr;
    }

    /// Sorts instead of hashing: colliding keys must not make it slow.
    bool allUnique(const Members& members) {
        names_.clear();
        for (const auto& [name, value] : members) {
            names_.push_back(name);
        }
        std::ranges::sort(names_);
        const auto twice = std::ranges::adjacent_find(names_);
        if (twice == names_.end()) {
            return true;
        }
        problem = fmt::format("the key \"{}\" occurs twice in one object", oneLine(*twice, 60));
        return false;
    }

    MemoryBudget& budget_;
    std::vector<Json*> open_;  // containers that may still grow; none of them moves while it is in this list
    Json* slot_ = nullptr;     // the value of the last key
    std::vector<std::string_view> names_;
};

/// What the text is if it is another kind of file, "is a NIfTI scan; JSON is needed"; empty if it may be
/// meant as JSON.
std::string ofAnotherKind(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool begins = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return begins ? "" : wrongKind(whatItIs(text), "JSON");
}

}  // namespace

Result<Json> parseJson(std::string_view text, std::string_view name) {
    MemoryBudget budget(static_cast<Bytes>(text.size()));
    return parseJson(text, name, budget);
}

Result<Json> parseJson(std::string_view text, std::string_view name, MemoryBudget& budget) {
    Builder builder(budget);
    if (Json::sax_parse(text.begin(), text.end(), &builder)) {
        return std::move(builder.document);
    }
    std::string what = builder.tooLarge ? budget.error().message : ofAnotherKind(text);
    if (what.empty()) {
        what = "not valid JSON: " + builder.problem;
    }
    return Error{oneLine(fmt::format("{}: {}", name, what), kLongestProblem)};
}

std::size_t memoryOf(const Json& value) {
    std::size_t bytes = sizeof(value);
    if (value.is_string()) {
        bytes += MemoryBudget::bytesOf(value.get_ref<const std::string&>());
    } else if (value.is_array()) {
        bytes += kContainer;
        for (const Json& item : value) {
            bytes += memoryOf(item);
        }
    } else if (value.is_object()) {
        bytes += kContainer;
        for (const auto& [key, item] : value.get_ref<const Json::object_t&>()) {
            bytes += MemoryBudget::bytesOf(key) + memoryOf(item);
        }
    }
    return bytes;
}

std::string jsonText(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Status writeJson(const std::filesystem::path& path, const Json& value, int indent) {
    return writeFileAtomically(path, jsonText(value, indent) + "\n");
}

Result<Json> readJson(const std::filesystem::path& path, Bytes most) {
    const auto text = readFile(path, most);
    return text ? parseJson(*text, path.string()) : text.error();
}

}  // namespace highwater::base
