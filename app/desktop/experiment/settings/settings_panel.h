#pragma once

#include <QStringList>
#include <vector>

#include "app/desktop/experiment/settings/settings_fields.h"
#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/experiment/stack/field_to_vary.h"
#include "core/base/result.h"
#include "widgets/theme/panel.h"

class QLabel;
class QLineEdit;
class QScrollArea;

namespace highwater::desktop {

class FoldSection;

/// All settings of the experiment except its layers, in foldable sections. Changes apply while typing and can
/// be undone; consecutive changes of one field are one undo step. Wrong text is marked with its reason and
/// not applied.
class SettingsPanel : public widgets::Panel {
    Q_OBJECT
public:
    /// The document must outlive the panel.
    explicit SettingsPanel(ExperimentDocument& document, QWidget* parent = nullptr);

    /// Sets what the experiment runs on and what it is predicted for. Settings that neither supports are
    /// disabled.
    void setDevices(bool runsOnGpu, bool predictsForGpu);
    /// The number of values that differ from their defaults.
    int changedFields() const;
    /// Opens the section of a field and puts the cursor into the field. `pointer` is a JSON pointer:
    /// "/step/precision". Returns false if there is no such field.
    bool showField(const QString& pointer);
    /// Puts the cursor into the search field.
    void focusSearch();

    QStringList openSections() const;
    void setOpenSections(const QStringList& titles);

signals:
    void changedFieldsChanged(int count);
    /// The user wants a study that varies a setting.
    void varyWanted(const highwater::desktop::FieldToVary& field, highwater::desktop::FieldStudy study);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Section {
        FoldSection* fold = nullptr;
        OptionForm* form = nullptr;
    };
    void buildBody();
    void buildSections(QWidget* column);
    void addSection(QWidget* column, const QString& title, const std::function<void(OptionForm&)>& fill);
    void apply(const QString& key, const OptionForm::Change& change, const QString& mergeKey);
    void refresh();
    void showProblem();
    void showFilter();
    QString problem() const;

    ExperimentDocument& document_;
    SettingsDevices devices_;
    bool runsOnGpu_ = false;
    std::vector<Section> sections_;
    QLineEdit* search_;
    QLabel *nothing_, *message_;
    QScrollArea* scroll_;
    int changedFields_ = 0;
};

}  // namespace highwater::desktop
