#include "widgets/scan/volume3d/label_surfaces.h"

#include <vtkCellArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkUnsignedShortArray.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/volume/visit.h"
#include "widgets/scan/patch_box.h"
#include "widgets/scan/volume3d/render_grid.h"

namespace highwater::widgets {
namespace {

constexpr int kSurfaceSmoothings = 2;
constexpr std::int64_t kAround =
    1 + kSurfaceSmoothings;                 // cells around a label: the rim, and those filled by smoothing
constexpr std::int64_t kLargestBlock = 32;  // 32³ voxels are counted in 16 bits

struct Extent {
    Index3 first{}, last{};
    void take(std::int64_t i, std::int64_t lastI, std::int64_t j, std::int64_t k) {
        first = {std::min(first[0], i), std::min(first[1], j), std::min(first[2], k)};
        last = {std::max(last[0], lastI), std::max(last[1], j), std::max(last[2], k)};
    }
};

/// Calls visit(value, first i, last i, j, k) for each run of equal values in the rows of the box.
template <class Visit>
bool eachRun(const volume::Volume& map, const Extent& box, const std::atomic<bool>& cancelled,
             const Visit& visit) {
    const auto& h = map.header();
    const auto& size = h.geometry.size;
    return volume::visitType(h.type, [&](auto example) {
        using Stored = decltype(example);
        for (std::int64_t k = box.first[2]; k <= box.last[2] && !cancelled; ++k) {
            for (std::int64_t j = box.first[1]; j <= box.last[1]; ++j) {
                const std::int64_t row = size[0] * (j + size[1] * k);
                for (std::int64_t i = box.first[0]; i <= box.last[0];) {
                    const auto value = volume::loadVoxel<Stored>(map.data(), row + i);
                    const std::int64_t begin = i;
                    while (++i <= box.last[0] && volume::loadVoxel<Stored>(map.data(), row + i) == value) {
                    }
                    visit(static_cast<std::int64_t>(static_cast<double>(value) * h.slope + h.intercept),
                          begin, i - 1, j, k);
                }
            }
        }
        return !cancelled;
    });
}

/// The fraction of each block's voxels that have the label, as 0 to 65535, smoothed.
RenderGrid shares(const volume::Volume& map, std::int64_t value, const Extent& box, std::int64_t block,
                  const std::atomic<bool>& cancelled) {
    RenderGrid grid;
    for (std::size_t a = 0; a < 3; ++a) {
        grid.size[a] = (box.last[a] - box.first[a]) / block + 1 + 2 * kAround;
    }
    grid.voxels.resize(static_cast<std::size_t>(grid.size[0] * grid.size[1] * grid.size[2]));
    const auto cell = [&](std::size_t a, std::int64_t at) { return (at - box.first[a]) / block + kAround; };
    eachRun(map, box, cancelled,
            [&](std::int64_t found, std::int64_t i, std::int64_t last, std::int64_t j, std::int64_t k) {
                if (found == value) {
                    std::uint16_t* const row = grid.voxels.data() + grid.index(0, cell(1, j), cell(2, k));
                    for (; i <= last; ++i) {
                        ++row[cell(0, i)];
                    }
                }
            });
    const std::int64_t whole = block * block * block;
    for (std::uint16_t& voxel : grid.voxels) {
        voxel = static_cast<std::uint16_t>(std::int64_t{voxel} * 65535 / whole);
    }
    for (int n = 0; n < kSurfaceSmoothings; ++n) {
        smoothGrid(grid, cancelled);
    }
    return grid;
}

/// The isovalue: half of a full fraction, or half of the maximum for labels so thin that smoothing leaves
/// less than a full one.
double edgeOf(const RenderGrid& grid) {
    return std::min(32767.5, *std::ranges::max_element(grid.voxels) / 2.0);
}

LabelSurface surfaceOf(const RenderGrid& grid, const volume::Geometry& g, const Extent& box,
                       std::int64_t block) {
    vtkNew<vtkUnsignedShortArray> values;
    // VTK only reads the array; with `save` set it does not free it.
    values->SetArray(const_cast<std::uint16_t*>(grid.voxels.data()),
                     static_cast<vtkIdType>(grid.voxels.size()),
                     /*save=*/1);
    vtkNew<vtkImageData> image;
    image->SetDimensions(static_cast<int>(grid.size[0]), static_cast<int>(grid.size[1]),
                         static_cast<int>(grid.size[2]));
    image->GetPointData()->SetScalars(values);
    vtkNew<vtkFlyingEdges3D> contour;
    contour->SetInputData(image);
    contour->SetValue(0, edgeOf(grid));
    contour->ComputeNormalsOn();
    contour->ComputeScalarsOff();
    contour->Update();
    vtkPolyData* const faces = contour->GetOutput();
    vtkDataArray* const normals = faces->GetPointData()->GetNormals();
    LabelSurface out;
    const auto n = static_cast<std::size_t>(faces->GetNumberOfPoints());
    out.points.reserve(3 * n);
    out.normals.reserve(3 * n);
    for (vtkIdType p = 0; normals && p < faces->GetNumberOfPoints(); ++p) {
        std::array<double, 3> at{}, normal{}, turned{};
        faces->GetPoint(p, at.data());
        normals->GetTuple(p, normal.data());
        for (std::size_t a = 0; a < 3; ++a) {
            at[a] = static_cast<double>(box.first[a]) +
                    (at[a] - static_cast<double>(kAround)) * static_cast<double>(block) +
                    static_cast<double>(block - 1) / 2;
            for (std::size_t c = 0; c < 3; ++c) {
                turned[c] += g.direction[a][c] * normal[a] / g.spacing[a];
            }
        }
        const auto mm = g.toMillimeters(at);
        const double length = std::max(std::hypot(turned[0], turned[1], turned[2]), 1e-12);
        for (std::size_t c = 0; c < 3; ++c) {
            out.points.push_back(static_cast<float>(mm[c]));
            out.normals.push_back(static_cast<float>(turned[c] / length));
        }
    }
    vtkCellArray* const polygons = faces->GetPolys();
    out.triangles.reserve(3 * static_cast<std::size_t>(polygons->GetNumberOfCells()));
    vtkIdType count = 0;
    const vtkIdType* corners = nullptr;
    for (polygons->InitTraversal(); polygons->GetNextCell(count, corners);) {
        for (vtkIdType c = 0; c < count; ++c) {
            out.triangles.push_back(static_cast<std::uint32_t>(corners[c]));
        }
    }
    return out;
}

}  // namespace

std::shared_ptr<const LabelSurfaces> makeLabelSurfaces(const volume::Volume& labels,
                                                       const std::set<std::int64_t>& values,
                                                       const std::atomic<bool>& cancelled) {
    const volume::Geometry& g = labels.geometry();
    const Extent all{{}, {g.size[0] - 1, g.size[1] - 1, g.size[2] - 1}};
    std::map<std::int64_t, Extent> boxes;
    for (const std::int64_t value : values) {
        boxes[value] = {g.size, {-1, -1, -1}};
    }
    const bool found =
        eachRun(labels, all, cancelled,
                [&](std::int64_t value, std::int64_t i, std::int64_t last, std::int64_t j, std::int64_t k) {
                    if (const auto at = boxes.find(value); at != boxes.end()) {
                        at->second.take(i, last, j, k);
                    }
                });
    auto out = std::make_shared<LabelSurfaces>();
    for (const auto& [value, box] : boxes) {
        if (!found || cancelled) {
            return nullptr;
        }
        std::int64_t longest = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            longest = std::max(longest, box.last[a] - box.first[a] + 1);
        }
        const std::int64_t block = (longest + kSurfaceVoxels - 1) / kSurfaceVoxels;
        if (longest < 1 || block > kLargestBlock) {
            continue;
        }
        const RenderGrid grid = shares(labels, value, box, block, cancelled);
        if (cancelled) {
            return nullptr;
        }
        LabelSurface surface = surfaceOf(grid, g, box, block);
        surface.value = value;
        out->push_back(std::move(surface));
    }
    return cancelled ? nullptr : out;
}

}  // namespace highwater::widgets
