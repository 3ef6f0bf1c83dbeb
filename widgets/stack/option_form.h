#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "core/stack/experiment.h"
#include "widgets/stack/sizes_text.h"

class QGridLayout;
class QLabel;

namespace highwater::widgets {

class CheckedEdit;

/// A form over one layer: two columns of labelled fields. Each field reads its value from a layer and hands a
/// change on; the form itself knows no types of layers (option_fields.h does).
class OptionForm : public QWidget {
    Q_OBJECT
public:
    template <class T>
    using Get = std::function<T(const stack::Layer&)>;
    template <class T>
    using Set = std::function<void(stack::Layer&, const T&)>;
    using Change = std::function<void(stack::Layer&)>;

    explicit OptionForm(QWidget* parent = nullptr);

    /// `key` is PyTorch's name of the option, `tip` the meaning of the term.
    void addInteger(const QString& key, const QString& tip, std::int64_t low, Get<std::int64_t> get,
                    Set<std::int64_t> set);
    void addNumber(const QString& key, const QString& tip, double low, double high, Get<double> get,
                   Set<double> set);
    void addSizes(const QString& key, const QString& tip, SizeRule rule, Get<stack::Sizes> get,
                  Set<stack::Sizes> set);
    void addNumbers(const QString& key, const QString& tip, Get<std::vector<double>> get,
                    Set<std::vector<double>> set);
    void addPadding(const QString& key, const QString& tip, Get<stack::Padding> get, Set<stack::Padding> set);
    void addChoice(const QString& key, const QString& tip, const QStringList& words, Get<int> get,
                   Set<int> set);
    void addToggle(const QString& key, const QString& tip, Get<bool> get, Set<bool> set);
    void addText(const QString& key, const QString& tip, const QString& placeholder, Get<std::string> get,
                 Set<std::string> set);
    /// Text with suggestions, e.g. the ids a merge may name.
    void addSuggested(const QString& key, const QString& tip,
                      std::function<QStringList(const stack::Experiment&)> suggestions, Get<std::string> get,
                      Set<std::string> set);

    /// Shows the values of a layer of the same type; fields being typed in keep their text.
    void showLayer(const stack::Layer& layer, const stack::Experiment& experiment);
    int fields() const { return fields_; }

signals:
    void changed(const QString& key, const highwater::widgets::OptionForm::Change& change);
    void rejected(const QString& key, const QString& reason);

private:
    using Show = std::function<void(const stack::Layer&, const stack::Experiment&)>;
    void place(const QString& key, const QString& tip, QWidget* editor);
    void makeHandle(CheckedEdit* edit);
    CheckedEdit* addChecked(const QString& key, const QString& tip,
                            std::function<QString(const QString&)> check);

    QGridLayout* grid_;
    std::vector<Show> shows_;
    int fields_ = 0;
};

}  // namespace highwater::widgets
