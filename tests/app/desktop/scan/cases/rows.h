#pragma once

#include "app/desktop/scan/cases/case_values.h"

namespace highwater::testing {

inline desktop::SeriesRow series(const char* id, std::array<qint64, 3> size = {256, 256, 64}) {
    desktop::SeriesRow row;
    row.id = id;
    row.description = id;
    row.modality = "MR";
    row.number = 3;
    row.size = size;
    row.spacing = {0.5, 0.5, 2};
    row.files = size[2];
    return row;
}

inline desktop::CaseRow unread(const char* name) {
    desktop::CaseRow row;
    row.name = name;
    return row;
}

inline desktop::CaseRow caseRow(const char* name, std::array<qint64, 3> size, double low, double high) {
    desktop::CaseRow row;
    row.name = name;
    row.read = true;
    row.size = size;
    row.spacing = {1, 1, 2};
    row.low = low;
    row.high = high;
    row.channels = 2;
    return row;
}

}  // namespace highwater::testing
