#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/report/charts.h"

namespace highwater::report {

/// Memory against another quantity, as dots.
struct Scatter {
    enum class Kind { Plain, Best, Chosen };  ///< how a dot is drawn
    struct Dot {
        double bytes = 0, y = 0;
        double low = 0, high = 0;  ///< an interval of y; equal if there is none
        std::string label = {};    ///< beside the dot; empty: none
        Kind kind = Kind::Plain;
    };
    std::string title;
    std::vector<Dot> dots;
    std::string unit;  ///< of y: "%" or "ms"
    std::string bytesName, yName;
    std::size_t joined = 0;  ///< the number of dots, from the first, that a line joins in order
    double limit = 0;        ///< bytes, drawn as a line if it is near the dots; 0: none
    std::string limitName = {};
    std::array<std::string, 3> legend = {};  ///< by kind; empty: not listed
};
/// The axes begin near the smallest values. Bad numbers are left out.
Chart scatterChart(Scatter scatter);

}  // namespace highwater::report
