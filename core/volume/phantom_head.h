#pragma once

#include <cstdint>

#include "core/volume/phantom_shapes.h"

namespace highwater::volume {

/// A model of a head in millimeters, RAS+, with its middle near (0, 0, 0): x to the patient's right, y to the
/// front, z up.
class Head {
public:
    explicit Head(std::uint64_t seed);
    /// Returns the Hounsfield units of the tissue at a point, without scanner noise.
    double hounsfield(const shapes::Point& p) const;

private:
    /// Returns the signed distance from the skin; not exact outside it.
    double skin(const shapes::Point& p) const;
    double skull(const shapes::Point& p, double vault, double cavity) const;
    double brain(const shapes::Point& p, double depth) const;
    double cerebrum(const shapes::Point& p, double depth) const;
    double ventricles(const shapes::Point& p) const;
    bool faceAir(const shapes::Point& p, double& hounsfield) const;
    bool faceBone(const shapes::Point& p, double& hounsfield) const;
    bool eye(const shapes::Point& p, double& hounsfield) const;
    bool spine(const shapes::Point& p, double& hounsfield) const;
    double softTissue(const shapes::Point& p, double depth) const;

    shapes::Noise noise_;
    shapes::Noise folds_;
};

}  // namespace highwater::volume
