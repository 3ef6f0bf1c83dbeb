#include "app/scan/commands.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/scan/reader/bytes/input.h"
#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

constexpr std::size_t kMostNames = 10'000;  // with 255 bytes each, an answer stays below 16 MiB

Series seriesOf(const std::string& path, const volume::Header& header) {
    Series series;
    series.files = 1;
    series.size = header.geometry.size;
    if (header.spacingKnown) {
        series.spacing = header.geometry.spacing;
    }
    series.volumes = header.volumes;
    series.firstFile = reader::fileName(path);
    series.warnings = header.warnings;
    return series;
}

base::Result<Contents> listFile(const std::string& path, const reader::ProgressSink& progress) {
    reader::Request request;
    request.path = path;
    const auto header = HIGHWATER_TRY(reader::readScanFile(request, progress));
    Contents contents;
    contents.series.push_back(seriesOf(path, header));
    return contents;
}

void tidy(Contents& contents) {
    std::sort(contents.scans.begin(), contents.scans.end(), naturalLess);
    if (contents.scans.size() > kMostNames) {
        contents.ignored += static_cast<std::int64_t>(contents.scans.size() - kMostNames);
        contents.scans.resize(kMostNames);
    }
}

}  // namespace

base::Result<Contents> listContents(const std::string& path, const reader::ProgressSink& progress) {
    std::error_code ignored;
    const bool file = std::filesystem::is_regular_file(path, ignored);
    const bool folder = std::filesystem::is_directory(path, ignored);
    auto contents = folder || (file && reader::isDicomFile(path)) ? reader::listDicom(path, progress)
                                                                  : listFile(path, progress);
    if (contents) {
        tidy(*contents);
    }
    return contents;
}

}  // namespace highwater::scan
