#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "app/desktop/experiment/stack/sizes_text.h"
#include "core/stack/experiment.h"
#include "widgets/controls/checked_edit.h"

class QGridLayout;
class QMenu;

namespace highwater::widgets {
class FieldCell;
}

namespace highwater::desktop {

/// Whether a field applies to an experiment.
struct Availability {
    bool shown = true;
    QString note = {};  ///< two words beside the name: "needs a GPU"
    /// Why the field is disabled; empty if it is not (a toggle that is on can still be turned off)
    QString whyNot = {};
};

/// A form for an experiment: labeled fields in two columns, or in one if it is narrow. Each field reads its
/// value from the experiment and emits its changes. The form itself knows no option names (option_fields.h
/// and settings/settings_fields.h do).
class OptionForm : public QWidget {
    Q_OBJECT
public:
    using Experiment = stack::Experiment;
    template <class T>
    using Get = std::function<T(const Experiment&)>;
    template <class T>
    using Set = std::function<void(Experiment&, const T&)>;
    template <class T>
    using Parse = std::function<base::Result<T>(const QString&)>;
    template <class T>
    using Words = std::function<QString(const T&)>;
    using Change = std::function<void(Experiment&)>;

    explicit OptionForm(QWidget* parent = nullptr);

    /// The prefix of the object names of fields that are added after this call: "/step/".
    void setPath(const QString& path) { path_ = path; }

    /// `key` is PyTorch's name of the option (or that of the file format), `tip` the meaning of the term.
    void addInteger(const QString& key, const QString& tip, std::int64_t low, std::int64_t high,
                    Get<std::int64_t> get, Set<std::int64_t> set);
    void addNumber(const QString& key, const QString& tip, double low, double high, Get<double> get,
                   Set<double> set);
    void addSizes(const QString& key, const QString& tip, SizeRule rule, Get<stack::Sizes> get,
                  Set<stack::Sizes> set);
    void addPadding(const QString& key, const QString& tip, Get<stack::Padding> get, Set<stack::Padding> set);
    void addChoice(const QString& key, const QString& tip, const QStringList& words, Get<int> get,
                   Set<int> set);
    void addToggle(const QString& key, const QString& tip, Get<bool> get, Set<bool> set);
    void addText(const QString& key, const QString& tip, const QString& placeholder, Get<std::string> get,
                 Set<std::string> set);
    /// A text field with suggestions, for example the ids that a merge can refer to.
    void addSuggested(const QString& key, const QString& tip,
                      std::function<QStringList(const Experiment&)> suggestions, Get<std::string> get,
                      Set<std::string> set);
    /// A value that is typed: `parse` reads the text that `words` writes.
    template <class T>
    widgets::CheckedEdit* addParsed(const QString& key, const QString& tip, Parse<T> parse, Words<T> words,
                                    Get<T> get, Set<T> set);
    /// Adds an editor of another kind, which `show` fills. Its changes go through apply().
    template <class T>
    void addEditor(const QString& key, const QString& tip, QWidget* editor,
                   std::function<void(const T&)> show, Get<T> get, Set<T> set, Words<T> words);

    /// when() and wide() apply to the field added last: they set its availability, and make it span both
    /// columns.
    void when(std::function<Availability(const Experiment&)> availability);
    void wide();
    /// Sets separate defaults for the field added last.
    void defaultsFrom(std::function<Experiment(const Experiment&)> defaults);
    /// `whyNot` returns why choice `index` of the field added last (by addChoice) is unavailable, or an empty
    /// string.
    void offer(std::function<QString(const Experiment&, int index)> whyNot);

    /// Applies a change made by the user. Without a merge key it is a separate undo step.
    void apply(const QString& key, const Change& change, const QString& mergeKey = {});

    /// The function that returns an experiment with the default values for the current experiment. Without
    /// it, no defaults are offered.
    void setDefaults(std::function<Experiment(const Experiment&)> defaults);
    /// Shows the values of an experiment. A field in which the user is typing keeps its text.
    void showExperiment(const Experiment& experiment);
    /// Shows only the fields that match `filter`, or every field if `all` is set. Returns whether any field
    /// is shown.
    bool setFilter(const QString& filter, bool all);
    int fields() const { return static_cast<int>(fields_.size()); }
    /// The number of fields that differ from their defaults.
    int changedFields() const { return changedFields_; }
    /// The field with that object name, or nullptr.
    widgets::FieldCell* cell(const QString& name) const;
    std::vector<widgets::FieldCell*> cells() const;

    /// A field and values to vary it over, as text: the current one, or all of a choice.
    struct Variation {
        QString name;  ///< the field's object name
        QStringList words;
        QString tip;
    };
    /// Of all fields that apply to the experiment.
    std::vector<Variation> variations() const;

signals:
    void changed(const QString& key, const highwater::desktop::OptionForm::Change& change,
                 const QString& mergeKey);
    /// The context menu of a field is about to open.
    void menuOpening(QMenu& menu, const highwater::desktop::OptionForm::Variation& field);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Field {
        widgets::FieldCell* cell = nullptr;
        std::function<void(const Experiment&)> show;
        std::function<QString(const Experiment&)> words;
        std::function<bool(const Experiment&, const Experiment&)> same;
        std::function<void(Experiment&, const Experiment&)> copy;
        std::function<Availability(const Experiment&)> available;
        std::function<Experiment(const Experiment&)> defaults;
        QString current;  ///< the value in words
        bool wide = false, shown = true, matches = true;
    };
    QString nameOf(const QString& key) const { return path_ + key; }
    Variation variationOf(const Field& field) const;
    void place(const QString& key, const QString& tip, QWidget* editor, Field field);
    bool showDefault(Field& field, const Experiment& experiment);
    void reset(const widgets::FieldCell* cell);
    void arrange();
    int columns() const;

    QString path_;
    QGridLayout* grid_;
    std::vector<Field> fields_;
    std::function<Experiment(const Experiment&)> defaults_;
    int changedFields_ = 0, columns_ = 0;
};

template <class T>
void OptionForm::addEditor(const QString& key, const QString& tip, QWidget* editor,
                           std::function<void(const T&)> show, Get<T> get, Set<T> set, Words<T> words) {
    Field field;
    field.show = [=](const Experiment& e) { show(get(e)); };
    field.words = [=](const Experiment& e) { return words(get(e)); };
    field.same = [=](const Experiment& a, const Experiment& b) { return get(a) == get(b); };
    field.copy = [=](Experiment& to, const Experiment& from) { set(to, get(from)); };
    place(key, tip, editor, std::move(field));
}

template <class T>
widgets::CheckedEdit* OptionForm::addParsed(const QString& key, const QString& tip, Parse<T> parse,
                                            Words<T> words, Get<T> get, Set<T> set) {
    auto* edit = new widgets::CheckedEdit(
        [parse](const QString& text) {
            const auto value = parse(text);
            return value ? QString() : QString::fromStdString(value.error().message);
        },
        this);
    connect(edit, &widgets::CheckedEdit::edited, this, [=, this](const QString& text) {
        apply(key, [set, value = *parse(text)](Experiment& e) { set(e, value); }, nameOf(key));
    });
    const auto show = [=](const T& value) {
        edit->showValue(words(value), [&](const QString& typed) { return *parse(typed) == value; });
    };
    addEditor<T>(key, tip, edit, show, get, set, words);
    return edit;
}

}  // namespace highwater::desktop
