#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Small readers of SVG and HTML for tests.
namespace highwater::report {

/// Why the markup is not well-formed XML ("" if it is): tags must nest and close, attributes must be quoted.
std::string xmlFault(std::string_view text);

/// The subpaths of every <path> filled with this color, as points in the order drawn.
struct PathPoint {
    double x = 0, y = 0;
    bool operator==(const PathPoint&) const = default;
};
std::vector<std::vector<PathPoint>> filledPaths(std::string_view svg, std::uint32_t rgb);
/// The same for paths whose line has this color.
std::vector<std::vector<PathPoint>> strokedPaths(std::string_view svg, std::uint32_t rgb);

/// All values of an attribute, e.g. "id".
std::vector<std::string> attributeValues(std::string_view text, std::string_view name);

int count(std::string_view text, std::string_view what);

}  // namespace highwater::report
