#include "app/desktop/experiment/settings/settings_fields.h"
#include "app/desktop/experiment/settings/settings_values.h"
#include "app/desktop/experiment/stack/part_fields.h"
#include "widgets/controls/path_field.h"
#include "widgets/controls/path_list.h"

namespace highwater::desktop {

namespace {

using stack::Experiment;
using stack::ScanInput;
using stack::SyntheticInput;
using stack::Target;

const ScanInput* scanOf(const Experiment& e) {
    return std::get_if<ScanInput>(&e.input);
}

Availability ofScan(const Experiment& e) {
    return {.shown = scanOf(e) != nullptr};
}

void addKind(OptionForm& form) {
    form.setPath("/");
    form.addText(
        "name", QObject::tr("Name of the experiment in the table of runs and in reports"),
        QObject::tr("none"), [](const Experiment& e) { return e.name; },
        [](Experiment& e, const std::string& name) { e.name = name; });
    form.addChoice(
        "input", QObject::tr("What the network gets: patches of a scan, or random numbers of a shape"),
        {"scan", "synthetic"}, [](const Experiment& e) { return scanOf(e) ? 0 : 1; },
        [](Experiment& e, const int& kind) { setSynthetic(e, kind == 1); });
}

void addScans(OptionForm& form) {
    using Paths = std::vector<std::string>;
    auto* list = new widgets::PathList(&form);
    const auto set = [](Experiment& e, const Paths& paths) {
        auto* const scan = std::get_if<ScanInput>(&e.input);
        if (!scan) {
            return;
        }
        const std::vector<stack::ScanSource> old = std::move(scan->scans);
        scan->scans.clear();
        for (const std::string& path : paths) {  // keep the other keys of known paths
            const auto known = std::ranges::find(old, path, &stack::ScanSource::path);
            scan->scans.push_back(known != old.end() ? *known : stack::ScanSource{path, {}, 0});
        }
    };
    const auto pathsOf = [](const Experiment& e) {
        Paths paths;
        if (const ScanInput* scan = scanOf(e)) {
            for (const stack::ScanSource& source : scan->scans) {
                paths.push_back(source.path);
            }
        }
        return paths;
    };
    QObject::connect(list, &widgets::PathList::edited, &form, [&form, set](const Paths& paths) {
        form.apply("scan", [set, paths](Experiment& e) {
            set(e, paths);
            if (auto* scan = std::get_if<ScanInput>(&e.input); scan && !paths.empty()) {
                scan->cohort.clear();
            }
        });
    });
    form.addEditor<Paths>(
        "scan",
        QObject::tr("The scan that patches are cut from; several of one size are the channels of the input"),
        list, [list](const Paths& paths) { list->showPaths(paths); }, pathsOf, set,
        [](const Paths& paths) { return QString::number(paths.size()); });
    form.when(ofScan);
    form.wide();
}

void addVolume(OptionForm& form) {
    form.addInteger(
        "volume", QObject::tr("Which volume of a 4D file, counted from 0; the same for every channel"), 0,
        1'000'000,
        [](const Experiment& e) {
            const ScanInput* scan = scanOf(e);
            return scan && !scan->scans.empty() ? scan->scans.front().volume : 0;
        },
        [](Experiment& e, const std::int64_t& volume) {
            if (auto* scan = std::get_if<ScanInput>(&e.input)) {
                for (stack::ScanSource& source : scan->scans) {
                    source.volume = volume;
                }
            }
        });
    form.when(ofScan);
}

void addPatch(OptionForm& form, PartFields<ScanInput>& f) {
    form.addParsed<stack::Sizes>(
        "patch",
        QObject::tr("The box of the scan that is one sample, in voxels: depth × height × width.\n"
                    "Activation memory grows with its volume"),
        parseScanPatch, sizesText, f.get(&ScanInput::patch), f.set(&ScanInput::patch));
    form.when(ofScan);
}

void addNormalize(OptionForm& form) {
    form.addChoice(
        "normalize",
        QObject::tr("How a scan's values are normalized, over the whole scan:\nzscore: mean 0 and deviation "
                    "1; minmax: 0 to 1; window: a range of values to 0 to 1, clamped"),
        {"none", "zscore", "minmax", "window"},
        [](const Experiment& e) { return scanOf(e) ? static_cast<int>(scanOf(e)->normalize.kind) : 1; },
        [](Experiment& e, const int& kind) {
            if (auto* scan = std::get_if<ScanInput>(&e.input)) {
                scan->normalize.kind = static_cast<stack::Normalize::Kind>(kind);
            }
        });
    form.when(ofScan);
    form.setPath("/input/normalize/");
    form.addParsed<ValueWindow>(
        "window",
        QObject::tr("The scan values that become 0 and 1; values beyond are clamped. CT in HU: -160, 240"),
        parseWindow, windowText,
        [](const Experiment& e) {
            return scanOf(e) ? ValueWindow{scanOf(e)->normalize.low, scanOf(e)->normalize.high}
                             : ValueWindow();
        },
        [](Experiment& e, const ValueWindow& window) {
            if (auto* scan = std::get_if<ScanInput>(&e.input)) {
                scan->normalize.low = window.low, scan->normalize.high = window.high;
            }
        });
    form.when([](const Experiment& e) {
        return Availability{.shown =
                                scanOf(e) && scanOf(e)->normalize.kind == stack::Normalize::Kind::Window};
    });
    form.setPath("/input/");
}

void addSynthetic(OptionForm& form) {
    form.addParsed<stack::Sizes>(
        "synthetic",
        QObject::tr("The shape of one sample: channels, then depth, height and width (or fewer axes).\n"
                    "Activation memory grows with the product of its sizes"),
        parseSynthetic, sizesText,
        [](const Experiment& e) {
            const auto* made = std::get_if<SyntheticInput>(&e.input);
            return made ? made->shape : SyntheticInput().shape;
        },
        [](Experiment& e, const stack::Sizes& shape) {
            if (auto* made = std::get_if<SyntheticInput>(&e.input)) {
                made->shape = shape;
            }
        });
    form.when([](const Experiment& e) { return Availability{.shown = scanOf(e) == nullptr}; });
}

auto ofTarget(Target::Kind kind) {
    return [kind](const Experiment& e) { return Availability{.shown = e.target.kind == kind}; };
}

void addLabels(OptionForm& form, PartFields<Target>& f) {
    auto* field = new widgets::PathField(QObject::tr("Choose a label map"),
                                         QObject::tr("Label maps (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr "
                                                     "*.mha *.mhd *.mgh *.mgz *.dcm);;All files (*)"),
                                         &form);
    QObject::connect(field, &widgets::PathField::chosen, &form, [&form](const QString& path) {
        form.apply("labels", [text = path.toStdString()](Experiment& e) { e.target.labels = text; });
    });
    form.addEditor<std::string>(
        "labels", QObject::tr("The file of the labels: same size as the scan, integer voxels"), field,
        [field](const std::string& path) { field->showPath(QString::fromStdString(path)); },
        f.get(&Target::labels), f.set(&Target::labels),
        [](const std::string& path) { return QString::fromStdString(path); });
    form.when(ofTarget(Target::Kind::Labels));
    form.wide();
}

void addTarget(OptionForm& form) {
    PartFields<Target> f(form, [](const Experiment& e) { return &e.target; });
    form.setPath("/");
    f.choice("target",
             QObject::tr("What the output is compared with. input: the network's own input (for mse);\n"
                         "threshold: labels by intensity; labels: a file; classes: random labels"),
             {"input", "threshold", "labels", "classes"}, &Target::kind);
    form.defaultsFrom([](const Experiment&) { return Experiment(); });
    form.setPath("/target/");
    f.number("threshold", QObject::tr("Label 1 at or above it, in the scan's own values"), -1e30, 1e30,
             &Target::threshold);
    form.when(ofTarget(Target::Kind::Threshold));
    addLabels(form, f);
    f.integer("classes", QObject::tr("The number of random labels: 0 to one less than this"), 2, 1 << 20,
              &Target::classes);
    form.when(ofTarget(Target::Kind::Classes));
}

}  // namespace

void addInputFields(OptionForm& form) {
    addKind(form);
    form.setPath("/input/");
    PartFields<ScanInput> f(form, scanOf);
    addScans(form);
    addPatch(form, f);
    addVolume(form);
    addNormalize(form);
    f.choice("sampling",
             QObject::tr("Where patches lie. uniform: anywhere; foreground: around labeled voxels, without "
                         "labels\naround those brighter than Otsu's threshold"),
             {"uniform", "foreground"}, &ScanInput::sampling);
    form.when(ofScan);
    f.text("cohort", QObject::tr("A folder of cases instead of one scan: each sample comes from one of them"),
           QObject::tr("none"), &ScanInput::cohort);
    form.when([](const Experiment& e) {
        return Availability{scanOf(e) != nullptr, QObject::tr("in its window"),
                            QObject::tr("Choose the cohort in its window: File, Cohort… (Ctrl+Shift+C)")};
    });
    f.integer("channels", QObject::tr("The number of files that form the input of each case of the cohort"),
              1, 1024, &ScanInput::channels);
    form.when([](const Experiment& e) {
        return Availability{.shown = scanOf(e) != nullptr && !scanOf(e)->cohort.empty()};
    });
    addSynthetic(form);
    addTarget(form);
}

}  // namespace highwater::desktop
