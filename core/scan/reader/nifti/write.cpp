#include "core/scan/reader/nifti/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/file.h"
#include "core/scan/reader/bytes/gzip.h"
#include "core/scan/reader/nifti/header.h"

namespace highwater::scan::reader {
namespace {

class Bytes {
public:
    explicit Bytes(std::vector<std::byte>& bytes) : bytes_(bytes) {}
    template <class T>
    void put(std::size_t offset, T value) {
        std::memcpy(bytes_.data() + offset, &value, sizeof(T));
    }
    void putText(std::size_t offset, std::string_view text, std::size_t most) {
        std::memcpy(bytes_.data() + offset, text.data(), std::min(text.size(), most));
    }

private:
    std::vector<std::byte>& bytes_;
};

struct Quaternion {
    double b = 0, c = 0, d = 0;
    float handed = 1;
};

/// Returns the rotation of the geometry's axes. The third axis is flipped if they are left-handed (nifti1.h,
/// "nifti_mat44_to_quatern").
Quaternion quaternionOf(const volume::Geometry& geometry) {
    auto d = geometry.direction;
    Quaternion q;
    const double determinant = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                               d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                               d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
    if (determinant < 0) {
        q.handed = -1;
        for (double& component : d[2]) {
            component = -component;
        }
    }
    const double a2 = std::max(0.0, 1 + d[0][0] + d[1][1] + d[2][2]);
    const double b2 = std::max(0.0, 1 + d[0][0] - d[1][1] - d[2][2]);
    const double c2 = std::max(0.0, 1 + d[1][1] - d[0][0] - d[2][2]);
    const double d2 = std::max(0.0, 1 + d[2][2] - d[0][0] - d[1][1]);
    // Starts with the largest of the four components, so that no division is by a small number.
    double a = 0;
    if (const double most = std::max({a2, b2, c2, d2}); most == a2) {
        a = std::sqrt(a2) / 2;
        q.b = (d[1][2] - d[2][1]) / (4 * a), q.c = (d[2][0] - d[0][2]) / (4 * a),
        q.d = (d[0][1] - d[1][0]) / (4 * a);
    } else if (most == b2) {
        q.b = std::sqrt(b2) / 2;
        a = (d[1][2] - d[2][1]) / (4 * q.b), q.c = (d[0][1] + d[1][0]) / (4 * q.b),
        q.d = (d[0][2] + d[2][0]) / (4 * q.b);
    } else if (most == c2) {
        q.c = std::sqrt(c2) / 2;
        a = (d[2][0] - d[0][2]) / (4 * q.c), q.b = (d[0][1] + d[1][0]) / (4 * q.c),
        q.d = (d[1][2] + d[2][1]) / (4 * q.c);
    } else {
        q.d = std::sqrt(d2) / 2;
        a = (d[0][1] - d[1][0]) / (4 * q.d), q.b = (d[0][2] + d[2][0]) / (4 * q.d),
        q.c = (d[1][2] + d[2][1]) / (4 * q.d);
    }
    if (a < 0) {
        q.b = -q.b, q.c = -q.c, q.d = -q.d;
    }
    return q;
}

}  // namespace

base::Result<std::vector<std::byte>> niftiBeginning(const volume::Geometry& geometry,
                                                    const std::string& description) {
    if (std::any_of(geometry.size.begin(), geometry.size.end(), [](auto n) { return n < 1 || n > 32767; })) {
        return base::Error{"NIfTI-1 holds 1 to 32767 voxels along an axis"};
    }
    std::vector<std::byte> header(kNiftiHeaderBytes + kNiftiExtensionBytes);
    Bytes out(header);
    const Quaternion q = quaternionOf(geometry);
    out.put<std::int32_t>(0, kNiftiHeaderBytes);
    out.put<std::int16_t>(40, 3);
    out.put<float>(76, q.handed);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out.put(42 + axis * 2, static_cast<std::int16_t>(geometry.size[axis]));
        out.put(80 + axis * 4, static_cast<float>(geometry.spacing[axis]));
        out.put(268 + axis * 4, static_cast<float>(geometry.origin[axis]));
        for (std::size_t column = 0; column < 3; ++column) {
            out.put(280 + axis * 16 + column * 4,
                    static_cast<float>(geometry.direction[column][axis] * geometry.spacing[column]));
        }
        out.put(280 + axis * 16 + 12, static_cast<float>(geometry.origin[axis]));
    }
    for (std::size_t axis = 4; axis < 8; ++axis) {
        out.put<std::int16_t>(40 + axis * 2, 1);
    }
    out.put<std::int16_t>(70, 4);
    out.put<std::int16_t>(72, 16);
    out.put<float>(108, static_cast<float>(header.size()));
    out.put<float>(112, 1);
    out.put<std::uint8_t>(123, 2);  // millimeters
    out.putText(148, description, 79);
    out.put<std::int16_t>(252, 1);
    out.put<std::int16_t>(254, 1);
    out.put(256, static_cast<float>(q.b));
    out.put(260, static_cast<float>(q.c));
    out.put(264, static_cast<float>(q.d));
    out.putText(344, "n+1", 3);
    return header;
}

base::Status writeNiftiGzip(const std::string& path, const volume::Geometry& geometry,
                            const std::vector<std::int16_t>& voxels, const std::string& description) {
    auto bytes = HIGHWATER_TRY(base::prefixed(path, niftiBeginning(geometry, description)));
    const auto data = std::as_bytes(std::span(voxels));
    bytes.insert(bytes.end(), data.begin(), data.end());
    const auto compressed = HIGHWATER_TRY(base::prefixed(path, deflateGzip(bytes, 6)));
    return base::writeFileAtomically(path,
                                     {reinterpret_cast<const char*>(compressed.data()), compressed.size()});
}

}  // namespace highwater::scan::reader
