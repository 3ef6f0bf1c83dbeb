#pragma once

#include <QStringList>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "app/desktop/experiment/stack/layer_tree.h"

class QMenu;

namespace highwater::desktop {

/// A field that a sweep or a factorial can vary.
struct FieldToVary {
    QString name;          ///< "kernel_size of layer 3"
    QStringList pointers;  ///< JSON Pointers into the experiment
    QString values;        ///< to begin with, as text: the current one, or all of a choice
    QString about = {};    ///< where it is: "conv in enc1", "step"
    QString tip = {};      ///< the meaning of the term
};

enum class FieldStudy { Sweep, Factorial };

/// Adds a submenu to a field's context menu, which asks for a study that varies the field.
void offerToVary(QMenu& menu, const QString& title, const std::function<void(FieldStudy)>& ask);

/// "1, 2, 4" as JSON texts: values that are valid JSON are taken as JSON, others as words.
std::vector<std::string> valuesIn(const QString& written);
/// The inverse of valuesIn(). Words are written without quotes, unless a value contains a comma.
QString valuesText(const std::vector<std::string>& values);

/// The fields of an experiment as they can be varied. `words` are the values that a form offers for a field:
/// all of a choice, or the current one. Fields that have none of them in the experiment's JSON, such as
/// "input", whose value is an object there, have no pointers.
class FieldsToVary {
public:
    explicit FieldsToVary(const stack::Experiment& experiment);
    /// A setting: "/step/precision".
    FieldToVary setting(const QString& pointer, const QStringList& words) const;
    /// The option `key` of the layer at `path`.
    FieldToVary layer(const Path& path, const QString& key, const QStringList& words);
    /// That option of all layers of the type that have the same value: the head of a U-Net keeps its kernel
    /// size.
    FieldToVary sameLayers(const Path& path, const QString& key, const QStringList& words);

private:
    using Json = nlohmann::ordered_json;
    QString valuesOf(const Path& path, const QString& key, const QStringList& words);
    Json valueAt(const QString& pointer) const;
    const stack::Experiment& experiment_;
    Json json_;
    Paths paths_;
    /// The pointers of layers by type, option and value.
    std::map<std::tuple<QString, QString, std::string>, QStringList> same_;
    std::map<std::tuple<QString, QString, std::string>, QString> values_;
};

}  // namespace highwater::desktop
