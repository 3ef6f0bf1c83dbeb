#include "core/base/text.h"
#include "core/scan/reader/nifti/layout.h"

#include <sys/stat.h>

#include <string_view>

#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

bool isFile(const std::string& path) {
    struct stat facts{};
    return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

struct Parts {
    std::string stem;    ///< including the dot
    std::string ending;  ///< "hdr", "IMG"
    std::string packed;  ///< ".gz" or nothing
};

Parts partsOf(const std::string& path) {
    Parts parts;
    std::string_view name = path;
    if (base::lowered(name).ends_with(".gz")) {
        parts.packed = name.substr(name.size() - 3);
        name.remove_suffix(3);
    }
    const auto dot = name.find_last_of("./");
    if (dot != std::string_view::npos && name[dot] == '.') {
        parts.stem = name.substr(0, dot + 1);
        parts.ending = name.substr(dot + 1);
    }
    return parts;
}

}  // namespace

bool namedHdr(const std::string& path) {
    return base::lowered(partsOf(path).ending) == "hdr";
}

std::optional<std::string> pairedFile(const std::string& path) {
    const Parts parts = partsOf(path);
    const std::string lower = base::lowered(parts.ending);
    if (lower != "hdr" && lower != "img") {
        return std::nullopt;
    }
    const bool capitals = parts.ending.front() < 'a';
    const std::string_view other = lower == "hdr" ? (capitals ? "IMG" : "img") : (capitals ? "HDR" : "hdr");
    const std::string beside = parts.stem + std::string(other);
    const std::string same = beside + parts.packed;
    const std::string differently = parts.packed.empty() ? beside + (capitals ? ".GZ" : ".gz") : beside;
    return isFile(same) || !isFile(differently) ? same : differently;
}

}  // namespace highwater::scan::reader
