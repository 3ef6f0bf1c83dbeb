#pragma once

#include <functional>
#include <utility>

#include "app/desktop/experiment/stack/option_form.h"

namespace highwater::desktop {

/// Adds fields for the members of one part of an experiment: a layer's op, the step, the optimizer. If an
/// experiment has no such part, the fields show the part's defaults, and changes have no effect.
template <class Part>
class PartFields {
public:
    using Of = std::function<const Part*(const stack::Experiment&)>;

    PartFields(OptionForm& form, Of of) : form_(form), of_(std::move(of)) {}
    OptionForm& form() { return form_; }

    template <class V>
    void integer(const QString& key, const QString& tip, std::int64_t low, std::int64_t high,
                 V Part::* member) {
        form_.addInteger(
            key, tip, low, high, [value = get(member)](const auto& e) { return std::int64_t{value(e)}; },
            [change = set(member)](auto& e, const std::int64_t& v) { change(e, static_cast<V>(v)); });
    }
    void number(const QString& key, const QString& tip, double low, double high, double Part::* member) {
        form_.addNumber(key, tip, low, high, get(member), set(member));
    }
    void sizes(const QString& key, const QString& tip, SizeRule rule, stack::Sizes Part::* member) {
        form_.addSizes(key, tip, rule, get(member), set(member));
    }
    void padding(const QString& key, const QString& tip, stack::Padding Part::* member) {
        form_.addPadding(key, tip, get(member), set(member));
    }
    /// `words` are in the order of the enumeration (or of the integers from 0).
    template <class E>
    void choice(const QString& key, const QString& tip, const QStringList& words, E Part::* member) {
        form_.addChoice(
            key, tip, words, [value = get(member)](const auto& e) { return static_cast<int>(value(e)); },
            [change = set(member)](auto& e, const int& v) { change(e, static_cast<E>(v)); });
    }
    void toggle(const QString& key, const QString& tip, bool Part::* member) {
        form_.addToggle(key, tip, get(member), set(member));
    }
    void text(const QString& key, const QString& tip, const QString& placeholder,
              std::string Part::* member) {
        form_.addText(key, tip, placeholder, get(member), set(member));
    }

    /// For a value that is not a single member.
    template <class V>
    OptionForm::Get<V> get(V Part::* member) const {
        return [of = of_, member](const stack::Experiment& e) {
            const Part* part = of(e);
            return part ? part->*member : Part{}.*member;
        };
    }
    template <class V>
    OptionForm::Set<V> set(V Part::* member) const {
        return [of = of_, member](stack::Experiment& e, const V& value) {
            if (auto* part = const_cast<Part*>(of(e))) {  // `e` is not const
                part->*member = value;
            }
        };
    }

private:
    OptionForm& form_;
    Of of_;
};

}  // namespace highwater::desktop
