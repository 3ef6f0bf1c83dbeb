#include "app/desktop/experiment/stack/field_to_vary.h"

#include <QMenu>
#include <QObject>
#include <algorithm>

#include "core/base/json_reader.h"
#include "core/stack/json/editable.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

using base::Json;

bool accepts(Json json, const QString& pointer, const Json& value) {
    Json* at = &json;
    for (const QString& part : pointer.mid(1).split('/')) {
        if (!at->is_structured() && !at->is_null()) {
            return false;
        }
        at = at->is_array() ? &at->at(part.toUInt()) : &(*at)[part.toStdString()];
    }
    *at = value;
    return stack::experimentFromJson(json, "").ok();
}

QString acceptedValues(const Json& json, const QString& pointer, const QStringList& words) {
    std::vector<std::string> values;
    for (const QString& word : words) {
        const auto parsed = base::parseJson(word.toStdString(), "value");
        const Json value = parsed ? *parsed : Json(word.toStdString());
        if (accepts(json, pointer, value)) {
            values.push_back(value.dump());
        }
    }
    if (!values.empty() || words.size() > 1) {
        return valuesText(values);
    }
    // A list ("0.9, 0.999"), an empty list, or a number of bytes that is not set.
    for (const QString& other : {'[' + words.value(0) + ']', QString("[]"), QString("1073741824")}) {
        const auto value = base::parseJson(other.toStdString(), "value");
        if (value && accepts(json, pointer, *value)) {
            return other;
        }
    }
    return {};
}

QString typeAt(const stack::Experiment& experiment, const Path& path) {
    return widgets::fromUtf8(stack::typeName(layerAt(experiment.stack, path)->op));
}

QString blockAt(const stack::Experiment& experiment, Path path) {
    path.pop_back();
    const stack::Layer* const parent = path.empty() ? nullptr : layerAt(experiment.stack, path);
    return parent ? QString::fromStdString(blockOf(*parent)->name) : QString();
}

}  // namespace

void offerToVary(QMenu& menu, const QString& title, const std::function<void(FieldStudy)>& ask) {
    QMenu* const studies = menu.addMenu(title);
    studies->addAction(QObject::tr("In a sweep…"), [ask] { ask(FieldStudy::Sweep); });
    studies->addAction(QObject::tr("In a factorial…"), [ask] { ask(FieldStudy::Factorial); });
}

std::vector<std::string> valuesIn(const QString& written) {
    const std::string whole = written.toStdString();
    std::vector<std::string> values;
    if (const auto list = base::parseJson('[' + whole + ']', "values")) {
        for (const auto& value : *list) {
            values.push_back(value.dump());
        }
        return values;
    }
    for (const QString& each : written.split(',', Qt::SkipEmptyParts)) {
        const std::string word = each.trimmed().toStdString();
        const auto value = base::parseJson(word, "value");
        values.push_back(value ? value->dump() : base::Json(word).dump());
    }
    return values;
}

QString valuesText(const std::vector<std::string>& values) {
    const bool commas = std::any_of(values.begin(), values.end(), [](const std::string& value) {
        return value.find(',') != std::string::npos;
    });
    QStringList words;
    for (const std::string& value : values) {
        const auto json = base::parseJson(value, "value");
        const std::string* const word = !commas && json ? json->get_ptr<const std::string*>() : nullptr;
        const bool plain = word && !word->empty() && !base::parseJson(*word, "word");
        words << widgets::fromUtf8(plain ? *word : value);
    }
    return words.join(", ");
}

FieldsToVary::FieldsToVary(const stack::Experiment& experiment)
    : experiment_(experiment), json_(stack::toEditableJson(experiment)), paths_(allPaths(experiment.stack)) {}

Json FieldsToVary::valueAt(const QString& pointer) const {
    const Json::json_pointer at(pointer.toStdString());
    return json_.contains(at) ? json_.at(at) : Json();
}

FieldToVary FieldsToVary::setting(const QString& pointer, const QStringList& words) const {
    const Json now = valueAt(pointer);
    Json json = json_;
    json["stack"] = Json::array({{{"type", "relu"}}});  // the layers do not matter here, and may be many
    const QString values =
        words.size() == 1 && !now.is_null() ? valuesText({now.dump()}) : acceptedValues(json, pointer, words);
    FieldToVary field{pointer.section('/', -1), {}, values, pointer.section('/', 1, -2)};
    if (!values.isEmpty() && pointer != "/name") {
        field.pointers << pointer;
    }
    return field;
}

QString FieldsToVary::valuesOf(const Path& path, const QString& key, const QStringList& words) {
    const QString pointer = widgets::fromUtf8(pointerOf(path)), at = pointer + '/' + key;
    QString& values =
        values_[{typeAt(experiment_, path), key, valueAt(at).dump() + words.join(',').toStdString()}];
    if (values.isNull()) {
        const Json probe{{"schema", json_["schema"]},
                         {"input", json_["input"]},
                         {"stack", Json::array({valueAt(pointer)})}};
        values = acceptedValues(probe, "/stack/0/" + key, words) + QLatin1String("");
    }
    return values;
}

FieldToVary FieldsToVary::layer(const Path& path, const QString& key, const QStringList& words) {
    const auto number = std::ranges::find(paths_, path) - paths_.begin() + 1;
    const QString block = blockAt(experiment_, path), type = typeAt(experiment_, path);
    FieldToVary field{QObject::tr("%1 of layer %2").arg(key).arg(number),
                      {},
                      valuesOf(path, key, words),
                      block.isEmpty() ? type : QObject::tr("%1 in %2").arg(type, block)};
    if (!field.values.isEmpty() && key != "id" && key != "name") {
        field.pointers << widgets::fromUtf8(pointerOf(path)) + '/' + key;
    }
    return field;
}

FieldToVary FieldsToVary::sameLayers(const Path& path, const QString& key, const QStringList& words) {
    FieldToVary field = layer(path, key, words);
    if (field.pointers.isEmpty()) {
        return field;
    }
    const QString type = typeAt(experiment_, path);
    if (same_.empty() || !same_.contains({type, key, std::string()})) {
        same_[{type, key, std::string()}];  // this option of this type is listed
        for (const Path& other : paths_) {
            if (typeAt(experiment_, other) == type) {
                const QString at = widgets::fromUtf8(pointerOf(other)) + '/' + key;
                same_[{type, key, valueAt(at).dump()}] << at;
            }
        }
    }
    field.pointers = same_[{type, key, valueAt(field.pointers.front()).dump()}];
    field.name = QObject::tr("%1 of %2 %3 layers").arg(key).arg(field.pointers.size()).arg(type);
    field.about.clear();
    return field;
}

}  // namespace highwater::desktop
