#include "app/desktop/shell/options.h"

#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QSize>

#include "core/base/manual.h"
#include "core/base/paths.h"

namespace highwater::desktop {

namespace {

constexpr const char* kExperimentAbout = "An experiment file (JSON).";

base::Error bad(const QString& text) {
    return base::Error{text.toStdString()};
}

base::CommandText manualText(const QString& about, const QList<QCommandLineOption>& options) {
    // The first line starts with the program's name, the last one is an example.
    const QString said = about.section(": ", 1).section('\n', 0, -2), example = about.section('\n', -1);
    base::CommandText text{"highwater", said.toStdString(), example.toStdString(), {}, {}};
    for (const QCommandLineOption& option : options) {
        base::OptionText& made = text.options.emplace_back();
        for (const QString& name : option.names()) {
            made.names.push_back((name.size() == 1 ? "-" : "--") + name.toStdString());
        }
        made.value = option.valueName().toStdString();
        made.about = option.description().toStdString();
    }
    text.options.push_back({{}, "EXPERIMENT", kExperimentAbout});
    return text;
}

}  // namespace

base::Result<Options> parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Highwater: memory and speed of convolutional networks on volumetric scans.\n"
        "Without options it opens the last session, or the bundled sample.\n"
        "Example: highwater --scan head.nii.gz --run --screenshot a.png --report a.html --quit"));
    const QCommandLineOption help({"h", "help"}, "Show this help and exit.");
    const QCommandLineOption version({"v", "version"}, "Show the version and exit.");
    const QCommandLineOption scan("scan",
                                  "Load this scan: a file (.nii, .nii.gz, .hdr, .img, .nrrd, .nhdr, .mha, "
                                  ".mhd, .mgh, .mgz, .dcm), or a folder of "
                                  "DICOM files or of cases, or phantom:head.",
                                  "PATH");
    const QCommandLineOption labels("labels", "Show this label map over the scan.", "FILE");
    const QCommandLineOption trace(
        "trace", "Show the memory timeline of a snapshot or a run; --screenshot shows it.", "FILE_OR_RUN");
    const QCommandLineOption claims("claims", "Show the claims; --screenshot shows them.");
    const QCommandLineOption factorial("factorial", "Show the factorial; --screenshot shows it.");
    const QCommandLineOption sweep("sweep", "Show a sweep or the result of one; --screenshot shows it.",
                                   "FILE.json");
    const QCommandLineOption at(
        "at", "Save the picture when this percentage of a study's runs is done, 1 to 99, and stop the study.",
        "PERCENT");
    const QCommandLineOption plan(
        "plan", "Show plans that fit this device (cpu, rtx3060, ...); --run confirms the one that is chosen.",
        "DEVICE");
    const QCommandLineOption choose(
        "choose",
        "Claims (S2.memory,...) or levers (inplace,...) to choose in that window, or a sweep's view "
        "(parallel, scatter, heat_map).",
        "LIST");
    const QCommandLineOption patches("patches", "Show this patch as the network gets it, 1 to 256.", "N");
    const QCommandLineOption coverage("coverage",
                                      "Show how often a run's samples cover each place of the scan.");
    const QCommandLineOption views("views", "Show the scan's views large; --screenshot shows them alone.");
    const QCommandLineOption run("run",
                                 "Run the experiment to its end; with --claims or --factorial, those that "
                                 "are chosen; with --sweep the sweep.");
    const QCommandLineOption screenshot("screenshot", "Save a picture of the window when everything is done.",
                                        "FILE.png");
    const QCommandLineOption report(
        "report", "Save the run's report (.html, .pdf, .csv, .json) when the run is done.", "FILE");
    const QCommandLineOption quit("quit", "Quit when everything requested is done.");
    const QCommandLineOption store("store", "Folder in which runs are kept.", "DIR");
    const QCommandLineOption theme("theme", "light, dark or system.", "THEME");
    const QCommandLineOption size("size", "The window's size, such as 1600x1000.", "WxH");
    const QCommandLineOption steps("steps", "Measured steps of the run.", "N");
    const QCommandLineOption stalls("stalls", "Write the window thread's stalls to this file, as JSON.",
                                    "FILE");
    const QList<QCommandLineOption> all = {
        help,  version, scan,       trace,  claims, factorial, plan,  sweep, at,    choose, patches, coverage,
        views, run,     screenshot, report, quit,   store,     theme, size,  steps, stalls, labels};
    parser.addOptions(all);
    QCommandLineOption manual(
        "manual", "Print the manual page (man) or the completion of a shell (bash, zsh, fish).", "KIND");
    manual.setFlags(QCommandLineOption::HiddenFromHelp);  // for packagers only
    parser.addOption(manual);
    parser.addPositionalArgument("EXPERIMENT", kExperimentAbout, "[EXPERIMENT]");
    if (!parser.parse(arguments)) {
        QString why = parser.errorText();
        if (why.endsWith('.')) {
            why.chop(1);  // Qt ends only some of its messages with one
        }
        return bad(why + "; see highwater --help");
    }

    Options o;
    if (parser.isSet(help)) {
        o.help = parser.helpText().replace("<executable_name>", "highwater");  // there is no QApplication yet
    }
    if (parser.isSet(version)) {
        o.help = QStringLiteral("highwater " HIGHWATER_VERSION "\n");
    }
    if (parser.isSet(manual)) {
        const auto page = base::manual(manualText(parser.applicationDescription(), all),
                                       parser.value(manual).toStdString(), "Highwater " HIGHWATER_VERSION);
        if (!page) {
            return base::Error{"--manual " + page.error().message};
        }
        o.help = QString::fromStdString(*page);
    }
    if (parser.positionalArguments().size() > 1) {
        return bad("one experiment at most; see highwater --help");
    }
    o.experiment = parser.positionalArguments().value(0);
    o.scan = parser.value(scan);
    o.labels = parser.value(labels);
    o.trace = parser.value(trace);
    o.claims = parser.isSet(claims);
    o.factorial = parser.isSet(factorial);
    o.sweep = parser.value(sweep);
    o.plan = parser.value(plan);
    o.choose = parser.value(choose).split(',', Qt::SkipEmptyParts);
    o.run = parser.isSet(run);
    o.screenshot = parser.value(screenshot);
    o.report = parser.value(report);
    o.quit = parser.isSet(quit);
    o.store = parser.isSet(store) ? std::filesystem::path(parser.value(store).toStdString())
                                  : base::defaultStoreFolder();
    o.theme = parser.value(theme);
    o.stalls = parser.value(stalls);
    if (!QStringList{"", "light", "dark", "system"}.contains(o.theme)) {
        return bad(QString("--theme: light, dark or system, not \"%1\"").arg(o.theme));
    }
    if (parser.isSet(size)) {
        const QStringList wh = parser.value(size).split('x');
        o.size = QSize(wh.value(0).toInt(), wh.value(1).toInt());
        if (wh.size() != 2 || o.size.width() < 200 || o.size.height() < 150 || o.size.width() > 16000 ||
            o.size.height() > 16000) {
            return bad("--size: width x height in pixels, such as 1600x1000");
        }
    }
    if (parser.isSet(steps)) {
        o.steps = parser.value(steps).toInt();
        if (o.steps < 1 || o.steps > 1000000) {
            return bad("--steps: a whole number from 1 to 1000000");
        }
    }
    if (parser.isSet(patches)) {
        o.patch = parser.value(patches).toInt();
        if (o.patch < 1 || o.patch > 256) {
            return bad("--patches: a whole number from 1 to 256");
        }
    }
    o.coverage = parser.isSet(coverage);
    o.views = parser.isSet(views);
    if (o.patch > 0 && o.coverage) {
        return bad("--patches and --coverage: one of them at a time");
    }
    const int studies = o.claims + o.factorial + !o.sweep.isEmpty();
    if (studies > 1) {
        return bad("--claims, --factorial and --sweep: one of them at a time");
    }
    if (!o.plan.isEmpty() && studies > 0) {
        return bad("--plan plans for the experiment; leave --claims, --factorial and --sweep out");
    }
    if (parser.isSet(choose) && studies == 0) {
        return bad("--choose needs --claims, --factorial or --sweep: it chooses there");
    }
    if (parser.isSet(at)) {
        o.at = parser.value(at).toInt();
        if (o.at < 1 || o.at > 99 || studies == 0 || !o.run || o.screenshot.isEmpty()) {
            return bad("--at: a whole number from 1 to 99, with --screenshot and --run of a study");
        }
    }
    if (!o.report.isEmpty() && (studies > 0 || !o.plan.isEmpty())) {
        return bad(
            "--report reports a run of the experiment; leave --claims, --factorial, --sweep and --plan out");
    }
    if (!o.report.isEmpty() && !o.run) {
        return bad("--report needs --run: it reports the run");
    }
    const auto folderMissing = [](const QString& file) {
        return !file.isEmpty() && !QFileInfo(file).absoluteDir().exists();
    };
    for (const QString& file : {o.screenshot, o.report, o.stalls}) {
        if (folderMissing(file)) {
            return bad(QString("%1: its folder does not exist").arg(file));
        }
    }
    if (!o.screenshot.isEmpty() && QFileInfo(o.screenshot).suffix().toLower() != "png") {
        return bad("--screenshot: the file's name must end in .png");
    }
    return o;
}

}  // namespace highwater::desktop
