#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace highwater::report {

/// What is not cut by the end of a page: a line of text, a line of a table's row, a figure. Lengths are in
/// points.
struct Strip {
    double before = 0;  ///< free space above it; none at the top of a page
    double height = 0;  ///< at most the page's
    /// It stays on the page of the next one. Where all that are so kept together are higher than a page, they
    /// are parted as if they were not.
    bool keep = false;
    bool newPage = false;  ///< it begins a page
    int header = -1;  ///< the strip (a table's header) that is repeated above it where a page begins with it
};

struct Placed {
    std::size_t strip = 0;
    int page = 0;  ///< from 0
    double y = 0;  ///< of its top, below the page's
    bool repeated = false;
};

/// Places the strips on pages, in order: each once, and headers again where a table goes on.
std::vector<Placed> paginate(std::span<const Strip> strips, double pageHeight);

}  // namespace highwater::report
