#include "app/desktop/scan_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>

#include "widgets/scan/scan_panel.h"

namespace highwater::desktop {

namespace {

/// The files that an experiment needs: its channels, then its labels.
std::vector<stack::ScanSource> sourcesOf(const stack::Experiment& experiment) {
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    if (!input)
        return {};
    std::vector<stack::ScanSource> files = input->scans;
    if (experiment.target.kind == stack::Target::Kind::Labels && !experiment.target.labels.empty())
        files.push_back({experiment.target.labels, {}, 0});
    return files;
}

}  // namespace

ScanPage::ScanPage(widgets::ExperimentDocument& document, std::filesystem::path samples, QObject* parent)
    : QObject(parent), document_(document), samples_(std::move(samples)), panel_(new widgets::ScanPanel) {
    connect(&document_, &widgets::ExperimentDocument::changed, this, &ScanPage::follow);
    connect(panel_, &widgets::ScanPanel::openRequested, this, &ScanPage::chooseScan);
    connect(panel_, &widgets::ScanPanel::sampleRequested, this, &ScanPage::openPhantom);
    connect(panel_, &widgets::ScanPanel::fileDropped, this, &ScanPage::openScan);
    connect(panel_, &widgets::ScanPanel::backRequested, this, &ScanPage::goBack);
    connect(panel_, &widgets::ScanPanel::cancelRequested, &loader_, &ScanLoader::cancel);
    connect(&loader_, &ScanLoader::progress, panel_, &widgets::ScanPanel::setLoading);
    connect(&loader_, &ScanLoader::loaded, this, [this] {
        problem_.clear();
        if (const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input))
            lastGood_ = *input;
        showLoaded();
        emit stateChanged();
    });
    connect(&loader_, &ScanLoader::failed, this, [this](const QString& message) {
        problem_ = message;
        panel_->setError(message);
        emit stateChanged();
    });
}

std::string ScanPage::phantomPath() const {
    return (samples_ / "head-phantom.nii.gz").string();
}

void ScanPage::chooseScan() {
    QSettings settings;
    const QString folder = settings.value("files/scanFolder").toString();
    const QString path = QFileDialog::getOpenFileName(panel_, tr("Open scan"), folder,
                                                      tr("Scans (*.nii *.nii.gz);;All files (*)"));
    if (path.isEmpty())
        return;
    settings.setValue("files/scanFolder", QFileInfo(path).absolutePath());
    openScan(path);
}

void ScanPage::openPhantom() {
    openScan(QString::fromStdString(phantomPath()));
}

void ScanPage::openScan(const QString& path) {
    const std::string absolute = QFileInfo(path).absoluteFilePath().toStdString();
    document_.edit(tr("open scan"), [&](stack::Experiment& e) {
        const auto* old = std::get_if<stack::ScanInput>(&e.input);
        stack::ScanInput input = old ? *old : stack::ScanInput{};
        if (const auto* synthetic = std::get_if<stack::SyntheticInput>(&e.input);
            synthetic && synthetic->shape.size() == 4)
            input.patch.assign(synthetic->shape.begin() + 1, synthetic->shape.end());
        input.scans = {{absolute, {}, 0}};
        input.cohort.clear();
        e.input = input;
    });
    follow();  // also when nothing changed: a file that failed may have been mended
}

void ScanPage::goBack() {
    if (problem_.isEmpty() || !lastGood_)
        return;
    document_.edit(tr("back to the scan"), [&](stack::Experiment& e) {
        if (auto* input = std::get_if<stack::ScanInput>(&e.input)) {
            input->scans = lastGood_->scans;
            input->cohort = lastGood_->cohort;
        }
    });
}

void ScanPage::follow() {
    const auto files = sourcesOf(document_.experiment());
    const bool same = files == wanted_;
    if (same && (loader_.loading() || (!loader_.volumes().empty()))) {
        showLoaded();
        return;
    }
    if (same && !problem_.isEmpty() && sender() == &document_)
        return;  // an edit elsewhere must not try a bad file again
    wanted_ = files;
    problem_.clear();
    if (files.empty()) {
        loader_.load({});
        panel_->clear();
    } else if (files.size() == 1 && files[0].path == phantomPath()) {
        panel_->setScanName(tr("head phantom (generated)"));
        loader_.loadPhantom(files[0].path);
    } else {
        panel_->setScanName(QFileInfo(QString::fromStdString(files[0].path)).fileName());
        loader_.load(files);
    }
    emit stateChanged();
}

void ScanPage::showLoaded() {
    if (loader_.volumes().empty())
        return;
    const volume::Volume& first = loader_.volumes().front();
    if (panel_->volume().data() != first.data())
        panel_->setVolume(first);
    const auto* input = std::get_if<stack::ScanInput>(&document_.experiment().input);
    const stack::Sizes patch = input ? input->patch : stack::Sizes{};
    if (patch.size() == 3)
        panel_->setPatchExtent(widgets::extentOfPatch({patch[0], patch[1], patch[2]}));
    else if (patch.size() == 1)
        panel_->setPatchExtent(widgets::extentOfPatch({patch[0], patch[0], patch[0]}));
    else
        panel_->setPatch({});
}

std::vector<volume::Volume> ScanPage::volumesForRun() const {
    return loader_.volumes();
}

bool ScanPage::ready() const {
    const auto files = sourcesOf(document_.experiment());
    return files.empty() || (!loader_.loading() && loader_.sources() == files && !loader_.volumes().empty());
}

}  // namespace highwater::desktop
