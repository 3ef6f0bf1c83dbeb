#include "app/desktop/experiment/settings/all_fields.h"

#include <map>
#include <memory>

#include "app/desktop/experiment/settings/settings_fields.h"
#include "app/desktop/experiment/stack/option_fields.h"

namespace highwater::desktop {

namespace {

void add(std::vector<FieldToVary>& list, FieldToVary field, const OptionForm::Variation& of) {
    if (!field.pointers.isEmpty()) {
        field.tip = of.tip;
        list.push_back(std::move(field));
    }
}

void addSettings(std::vector<FieldToVary>& list, const FieldsToVary& fields, const stack::Experiment& e) {
    const SettingsDevices both{.cpu = true, .gpu = true};
    for (const SettingsSection& section : settingsSections(both)) {
        OptionForm form;
        section.fill(form);
        form.showExperiment(e);
        for (const OptionForm::Variation& of : form.variations()) {
            add(list, fields.setting(of.name, of.words), of);
        }
    }
}

void addLayers(std::vector<FieldToVary>& list, FieldsToVary& fields, const stack::Experiment& e) {
    std::map<std::size_t, std::unique_ptr<OptionForm>> forms;  // by the type of layer
    std::vector<FieldToVary> single;
    Path path;
    for (const Path& each : allPaths(e.stack)) {
        path = each;
        const stack::Op& op = layerAt(e.stack, path)->op;
        std::unique_ptr<OptionForm>& form = forms[op.index()];
        if (!form) {
            form = std::make_unique<OptionForm>();
            addFields(*form, op, [&path] { return path; });
        }
        form->showExperiment(e);
        for (const OptionForm::Variation& of : form->variations()) {
            FieldToVary one = fields.layer(path, of.name, of.words);
            FieldToVary same = fields.sameLayers(path, of.name, of.words);
            if (same.pointers.size() > 1 && same.pointers.front() == one.pointers.front()) {
                add(list, std::move(same), of);
            }
            add(single, std::move(one), of);
        }
    }
    list.insert(list.end(), std::make_move_iterator(single.begin()), std::make_move_iterator(single.end()));
}

}  // namespace

std::vector<FieldToVary> allFieldsToVary(const stack::Experiment& experiment) {
    std::vector<FieldToVary> list;
    FieldsToVary fields(experiment);
    addSettings(list, fields, experiment);
    addLayers(list, fields, experiment);
    return list;
}

}  // namespace highwater::desktop
