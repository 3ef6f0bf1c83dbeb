#pragma once

#include <functional>
#include <map>
#include <string>

#include "app/desktop/experiment/stack/part_fields.h"
#include "core/layers/layers.h"
#include "core/stack/fields.h"

namespace highwater::desktop {

/// The ids of all layers that have one.
QStringList idsOf(const stack::Experiment& experiment);
/// "enc1, enc2"
QString joinedIds(const std::vector<std::string>& ids);
/// The ids in a text; an id that contains a comma itself is not split.
std::vector<std::string> idsIn(const std::string& text, const stack::Experiment& experiment);

/// A visitor of fields (core/layers/about.h) that adds an editor for each to a form.
template <class Part>
class FormFields {
public:
    /// Called with the form right after the field with this key was added, for example to set when it
    /// applies.
    using Rules = std::map<std::string, std::function<void(OptionForm&)>, std::less<>>;
    static constexpr bool everyKind = true;

    FormFields(OptionForm& form, typename PartFields<Part>::Of of, Rules rules = {})
        : fields_(form, of), of_(std::move(of)), rules_(std::move(rules)) {}

    template <class N>
    void integer(const char* key, N Part::* member, stack::Range range, const char* help) {
        fields_.integer(key, help, range.low, range.high, member);
        added(key);
    }
    void needed(const char* key, std::int64_t Part::* member, stack::Range range, const char* help) {
        integer(key, member, range, help);
    }
    void dims(const char* key, int Part::* member, const char* help) {
        fields_.choice(key, help, {QObject::tr("same as the input"), "1", "2", "3"}, member);
        added(key);
    }
    void number(const char* key, double Part::* member, double low, double high, const char* help) {
        fields_.number(key, help, low, high, member);
        added(key);
    }
    void toggle(const char* key, bool Part::* member, const char* help) {
        fields_.toggle(key, help, member);
        added(key);
    }
    void text(const char* key, std::string Part::* member, const char* help, const char* placeholder) {
        fields_.text(key, help, placeholder, member);
        added(key);
    }
    template <class E>
    void choice(const char* key, E Part::* member, std::span<const std::string_view> words,
                const char* help) {
        fields_.choice(key, help, wordList(words), member);
        added(key);
    }
    void sizes(const char* key, stack::Sizes Part::* member, const stack::SizesRange& range,
               const char* help) {
        fields_.sizes(key, help, {range.low, range.high, range.most, range.mayBeEmpty}, member);
        added(key);
    }
    void padding(const char* key, stack::Padding Part::* member, const char* help) {
        fields_.padding(key, help, member);
        added(key);
    }
    void factors(const char* key, std::vector<double> Part::* member, stack::Sizes Part::*,
                 const char* help) {
        form().template addParsed<std::vector<double>>(
            key, help, [](const QString& text) { return parseNumbers(text, 1e-3, stack::kMostScale); },
            numbersText, fields_.get(member), fields_.set(member));
        added(key);
    }
    void output(const char* key, std::string Part::* member, const char* help) {
        form().addSuggested(key, help, idsOf, fields_.get(member), fields_.set(member));
        added(key);
    }
    void outputs(const char* key, std::vector<std::string> Part::* member, std::size_t, std::size_t most,
                 const char* help) {
        const auto get = [ids = fields_.get(member)](const stack::Experiment& e) {
            return joinedIds(ids(e)).toStdString();
        };
        const auto set = [ids = fields_.set(member), most](stack::Experiment& e, const std::string& text) {
            ids(e, most > 1 ? idsIn(text, e) : std::vector<std::string>{text});
        };
        form().addSuggested(key, help, idsOf, get, set);
        added(key);
    }
    void layers(const char*, std::vector<stack::Layer> Part::*) {}  // the stack editor edits them
    void onlyIf(bool (*counts)(const Part&)) {
        form().when([of = of_, counts](const stack::Experiment& e) {
            const Part* const part = of(e);
            return Availability{.shown = part == nullptr || counts(*part)};
        });
    }

protected:
    OptionForm& form() { return fields_.form(); }
    PartFields<Part>& fields() { return fields_; }
    void added(const char* key) {
        if (const auto rule = rules_.find(key); rule != rules_.end()) {
            rule->second(form());
        }
    }

private:
    PartFields<Part> fields_;
    typename PartFields<Part>::Of of_;
    Rules rules_;
};

}  // namespace highwater::desktop
