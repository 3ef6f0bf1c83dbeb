#include "core/volume/phantom_head.h"

#include <algorithm>

#include "core/volume/phantom.h"

namespace highwater::volume {
namespace {

using namespace shapes;

constexpr double kAir = -1000, kFat = -95, kWater = 8, kWhite = 27, kGray = 40, kSoft = 55;
constexpr double kTable = 1450;  // compact bone
constexpr double kRaise = 5;
constexpr double kPi = 3.14159265358979323846;

constexpr Ellipsoid kScalp{{0, -12, 18}, {74, 92, 82}};
constexpr Ellipsoid kSkull{{0, -12, 18}, {67.5, 85.5, 75.5}};
constexpr Ellipsoid kCerebellum{{0, -50, -30}, {47, 36, 23}};
constexpr Point kEye{31, 56, -8};
constexpr Ellipsoid kOrbit{{27, 45, -8}, {17, 27, 15}};
constexpr Ellipsoid kMaxillary{{28, 46, -37}, {13, 15, 13}};
constexpr Ellipsoid kFrontalSinus{{11, 68, 12}, {10, 5, 9}};
constexpr Ellipsoid kEthmoid{{0, 40, -10}, {11, 21, 10}};
constexpr Ellipsoid kSphenoid{{0, 12, -17}, {12, 9, 8}};
constexpr Ellipsoid kNasal{{0, 50, -36}, {14, 27, 19}};
constexpr Ellipsoid kMastoid{{52, -24, -34}, {12, 14, 17}};

double bump(double x, double center, double width) {
    const double t = (x - center) / width;
    return std::exp(-t * t);
}

/// Returns the height of the inner skull base: front, middle (low at the sides, the sella between) and rear
/// fossa, the petrous ridge between the last two.
double baseHeight(const Point& m) {
    const double front = smoothStep(16, 30, m.y);
    const double rear = 1 - smoothStep(-26, -8, m.y);
    const double frontHeight = -1 + 6 * bump(m.x, 28, 14);
    const double middleHeight = -6 - 20 * smoothStep(12, 26, m.x);
    const double rearHeight = -52 + 10 * smoothStep(20, 60, m.x);
    const double ridge = 22 * bump(m.y, -13 - 0.2 * m.x, 8) * smoothStep(9, 20, m.x);
    return front * frontHeight + (1 - front) * ((1 - rear) * middleHeight + rear * rearHeight) + ridge;
}

/// Returns the distance from the curve on which the teeth stand, seen from above.
double archDistance(const Point& m) {
    if (m.y >= 36) {
        return std::abs(std::hypot(m.x / 26, (m.y - 36) / 36) - 1) * 30;
    }
    return std::abs(m.x - 26 - (36 - m.y) * 0.45) * 0.91;
}

bool tooth(const Point& m, double arch, double& hounsfield) {
    if (m.y < 28 || m.z > -58 || m.z < -86) {
        return false;
    }
    const double along = m.y >= 36 ? std::atan2(m.x / 26, (m.y - 36) / 36) * 30 : 47 + (36 - m.y);
    const double cell = 8.2;
    const double gap = std::abs(along / cell - std::floor(along / cell) - 0.5);
    const double fromBite = std::abs(m.z + 72);
    if (fromBite < 0.8 || fromBite > 13 || gap > 0.43 || arch > 4.2 - 0.12 * fromBite) {
        return false;
    }
    const bool crown = fromBite < 7;
    const bool pulp = arch < 1.1 && gap < 0.15 && fromBite > 3;
    hounsfield = pulp ? 300 : crown && (arch > 2.2 || gap > 0.3 || fromBite < 2.5) ? 2500 : 1600;
    return true;
}

/// Joins the face, the neck and the ears to the scalp, whose distance is d.
double joinBelowVault(const Point& p, double d) {
    const Point m = mirrored(p);
    d = smoothUnion(d, {{0, 30, -50}, {57, 56, 60}}, p, 22);
    d = smoothUnion(d, capsule(p, {0, -24, -62}, {0, -34, -140}, 53, 57), 26);
    if (p.y > 0) {  // the face, which has no effect behind this plane
        d = smoothUnion(d, capsule(p, {0, 77, 0}, {0, 94, -29}, 5, 9), 12);
        d = smoothUnion(d, {{8, 85, -31}, {7, 8, 6}}, m, 6);
        d = smoothUnion(d, {{0, 73, -90}, {22, 15, 15}}, p, 14);
        d = smoothUnion(d, {{0, 79, -65}, {21, 7, 4.5}}, p, 6);
        d = smoothUnion(d, {{0, 78, -74}, {19, 7, 4.5}}, p, 6);
        d = smoothUnion(d, {{36, 56, -34}, {20, 18, 20}}, m, 16);
        d = smoothUnion(d, {{31, 58, -8}, {15, 14, 11}}, m, 8);
        d = smoothUnion(d, {{22, 70, 6}, {22, 9, 6}}, m, 14);
    }
    if (const double ear = distanceWithin({{77, -16, -14}, {7, 15, 29}}, m, d + 5); ear < d + 5) {
        d = smoothUnion(d, std::max(ear, -distance({{84, -12, -14}, {8, 8, 15}}, m)), 5);
    }
    return d;
}

}  // namespace

Head::Head(std::uint64_t seed) : noise_(seed * 2 + 1), folds_(seed * 2 + 2) {}

double Head::skin(const Point& p) const {
    double d = distanceWithin(kScalp, p, 70);
    if (d >= 70) {
        return d;
    }
    // Above this height the other shapes have no effect: each is so far away that it only changes a d that is
    // large and stays positive, and whose exact value does not matter.
    if (p.z < 40) {
        d = joinBelowVault(p, d);
    }
    return d > 0.6 ? d : d + 0.6 * noise_(p, 18);  // outside, whatever the noise
}

double Head::skull(const Point& p, double vault, double cavity) const {
    const double outer = -vault;
    const Point m = mirrored(p);
    if (inside(kFrontalSinus, m)) {
        return kAir + 10;
    }
    if (inside(kMastoid, m)) {
        return noise_(p, 3.2) > 0.02 ? -800 : 750;
    }
    if (std::min(outer, cavity) < 1.7) {
        return kTable + 150 * noise_(p, 9);
    }
    return 620 + 300 * noise_(p, 3.4);
}

double Head::ventricles(const Point& p) const {
    const Point m = mirrored(p);
    const double wider = p.x < 0 ? 1.8 : 0;
    double d = capsule(m, {8, 31, 18}, {9, 10, 29}, 4, 5.5);
    d = std::min(d, capsule(m, {9, 10, 29}, {14, -26, 29}, 5.5, 6));
    d = std::min(d, capsule(m, {14, -26, 29}, {25, -54, 16}, 6.5, 4));
    d = std::min(d, capsule(m, {24, -40, 14}, {35, -6, -10}, 4.5, 2.2));
    d = std::max(d, 1.2 - m.x) - wider;
    d = distanceWithin({{0, -8, 14}, {2.4, 14, 9}}, p, d);
    return distanceWithin({{0, -38, -30}, {7, 4, 9}}, p, d);
}

double Head::cerebrum(const Point& p, double depth) const {
    const Point m = mirrored(p);
    const double water = 1.6 + 0.8 * noise_(p, 16);
    const bool upper = p.z > -6 + 0.2 * std::abs(p.y) || m.x < 3;
    const double fissure = upper && depth < 48 - 0.2 * std::abs(p.y) ? m.x - 1.5 : 99;
    if (depth < 5.5 && m.x < 5 && p.z > 5) {
        return 62;  // the sagittal sinus
    }
    if (m.x < 0.9 && fissure < 0) {
        return 52;  // the falx
    }
    if (inside({{50, 12, 0}, {20, 27, 2.2}}, m)) {
        return kWater;
    }
    // Folds: sheets of a gyroid (13 mm apart) bent by noise, open towards the surface.
    const Point w{p.x + 7 * folds_({p.x + 51, p.y, p.z}, 24), p.y + 7 * folds_({p.x, p.y + 77, p.z}, 24),
                  p.z + 7 * folds_({p.x, p.y, p.z + 93}, 24)};
    const double k = 2 * kPi / 27;
    const double gyroid = std::sin(k * w.x) * std::cos(k * w.y) + std::sin(k * w.y) * std::cos(k * w.z) +
                          std::sin(k * w.z) * std::cos(k * w.x);
    const double sheet = std::abs(gyroid) / (1.35 * k);
    const double deep = 17 + 4 * noise_(p, 30);
    const double open = 1.75 * (1 - 0.5 * depth / deep);
    const double sulcus = depth < deep ? sheet - open : std::hypot(sheet, depth - deep);
    const double toWater = std::min({depth - water, sulcus, fissure});
    if (toWater < 0) {
        return kWater;
    }
    const bool nuclei = inside({{23, 5, 14}, {7, 17, 10}}, m) || inside({{9, -14, 16}, {8, 13, 8}}, m) ||
                        inside({{14, 20, 24}, {4, 9, 7}}, m);
    return toWater < 3.2 || nuclei ? kGray : kWhite;
}

double Head::brain(const Point& p, double depth) const {
    const Point m = mirrored(p);
    const Point fromLesion = p - Point{kPhantomLesion[0], kPhantomLesion[1], kPhantomLesion[2] - kRaise};
    const double lesion = length(fromLesion) + 1.8 * noise_(p, 5);
    if (lesion < 6.5) {
        return 520 + 350 * noise_(p, 2.6);
    }
    if (length(m - Point{21, -46, 20}) < 2.2 || length(p - Point{0, -31, 12}) < 2.4) {
        return 240;  // choroid plexus and pineal gland, calcified as in most adults
    }
    if (ventricles(p) < 0) {
        return kWater - 2;
    }
    if (capsule(p, {0, -14, -4}, {0, -32, -66}, 14, 7) < 0) {
        return 33;
    }
    const double cerebellum = distanceWithin(kCerebellum, p, 1.6);
    if (cerebellum < 0 && depth > 1.5) {
        const double rings = std::sin(2 * kPi * length(p - Point{0, -30, -24}) / 5.2 + 2.5 * noise_(p, 12));
        const bool core = inside({{15, -46, -30}, {15, 15, 9}}, m);
        return cerebellum > -1.5 ? kWater : core ? 30 : rings > 0.75 ? 24 : 42;
    }
    if (cerebellum < 1.6 && p.z > kCerebellum.center.z) {
        return 50;  // the tentorium
    }
    if (p.z < -30 && p.y < -8) {
        return kWater;
    }
    const double tissue = cerebrum(p, depth);
    return lesion < 15 + 4 * noise_(p, 11) && tissue > kWater ? 17 : tissue;
}

bool Head::eye(const Point& p, double& hounsfield) const {
    const Point m = mirrored(p);
    const double globe = length(m - kEye) - 12;
    if (globe < 0) {
        hounsfield = inside({{31, 65, -8}, {5, 2.4, 5}}, m) ? 90 : globe > -1.3 ? 60 : 10;
        return true;
    }
    const double orbit = distanceWithin(kOrbit, m, 2.2);
    if (orbit < 0) {
        const double strings = std::min({capsule(m, {30, 45, -8}, {12, 20, -8}, 2.1, 2.1),
                                         capsule(m, {20, 54, -8}, {10, 20, -8}, 2.2, 1.6),
                                         capsule(m, {41, 52, -8}, {16, 20, -8}, 2.2, 1.6),
                                         capsule(m, {31, 50, 4}, {13, 20, -4}, 2, 1.6),
                                         capsule(m, {31, 50, -20}, {13, 20, -12}, 2, 1.6)});
        hounsfield = strings < 0 ? 45 : -85;
        return true;
    }
    if (orbit < 2.2 && m.y < 62) {
        hounsfield = 900;
        return true;
    }
    return false;
}

bool Head::faceAir(const Point& p, double& hounsfield) const {
    const Point m = mirrored(p);
    hounsfield = kAir + 10;
    if (inside(kMaxillary, m)) {
        if (p.x < 0 && p.z < -44) {
            hounsfield = 18;  // a little fluid, on the left only
        }
        return true;
    }
    if (inside(kEthmoid, p)) {
        hounsfield = std::abs(noise_(p, 6.5)) < 0.09 || m.x < 0.8 ? 320 : hounsfield;
        return true;
    }
    if (inside(kSphenoid, p)) {
        hounsfield = std::abs(p.x - 2) < 0.8 ? 450 : hounsfield;
        return true;
    }
    if (inside(kNasal, p)) {
        const bool conchae =
            inside({{8, 54, -43}, {3.6, 21, 4}}, m) || inside({{7.5, 50, -31}, {3, 16, 3.6}}, m);
        hounsfield = m.x < 1.8 ? 60 : conchae ? 40 : hounsfield;
        return true;
    }
    return capsule(p, {0, 17, -36}, {0, 8, -130}, 7, 8) < 0 || inside({{0, 46, -57}, {17, 22, 1.8}}, p) ||
           capsule(m, {88, -12, -18}, {52, -12, -20}, 3.4, 2.8) < 0 ||
           capsule(m, {7, 88, -40}, {5, 72, -38}, 2.8, 3.2) < 0;
}

bool Head::faceBone(const Point& p, double& hounsfield) const {
    const Point m = mirrored(p);
    if (inside(kMastoid, m)) {
        hounsfield = noise_(p, 3.2) > 0.1 ? -780 : 750;
        return true;
    }
    const double arch = archDistance(m);
    if (tooth(m, arch, hounsfield)) {
        return true;
    }
    // The remaining thickness at each point; a negative value is outside that bone.
    const double thin = 2 - std::min({distanceWithin(kMaxillary, m, 2), distanceWithin(kEthmoid, p, 2),
                                      distanceWithin(kSphenoid, p, 2), 0.4 + distanceWithin(kNasal, p, 2),
                                      distanceWithin(kFrontalSinus, m, 2)});
    double bone = m.y < 76 ? thin : -1;
    bone = std::max(bone, -capsule(m, {39, 58, -22}, {57, 34, -24}, 5.5, 4));
    bone = std::max(bone, -capsule(m, {57, 34, -24}, {66, -2, -20}, 3.4, 2.6));
    bone = std::max(bone, -capsule(m, {42, 55, -22}, {46, 48, 4}, 4, 4));
    bone = std::max(bone, -capsule(m, {39, 12, -86}, {50, -3, -30}, 6.5, 5));
    bone = std::max(bone, -capsule(m, {44, 14, -60}, {48, 16, -36}, 4, 2.5));
    if (m.y > 8) {
        const double lower = std::min(5.6 - arch, 10 - std::abs(m.z + 92));
        const double upper = m.y > 26 ? std::min(5.0 - arch, 5 - std::abs(m.z + 56)) : -1;
        const double palate = m.x < 26 && m.y > 28 && m.y < 68 ? 1.6 - std::abs(m.z + 53) : -1;
        bone = std::max({bone, lower, upper, palate});
    }
    if (bone <= 0) {
        return false;
    }
    hounsfield = bone < 1.8 ? 1150 + 150 * noise_(p, 8) : 480 + 220 * noise_(p, 3.6);
    return true;
}

bool Head::spine(const Point& p, double& hounsfield) const {
    if (p.z > -46) {
        return false;
    }
    const double y = p.y + 34;
    const double canal = std::hypot(p.x, y);
    if (canal < 9) {
        hounsfield = canal < 6 ? 36 : kWater;
        return true;
    }
    const double level = (p.z + 46) / 18 - std::floor((p.z + 46) / 18);
    const double body = std::hypot(p.x / 13, (y - 18) / 9.5);
    if (body < 1) {
        hounsfield = level < 0.22                                 ? 95
                     : body > 0.85 || level < 0.3 || level > 0.93 ? 800
                                                                  : 330 + 120 * noise_(p, 3.5);
        return true;
    }
    const bool ring = canal < 13.5 && y < 9 && level > 0.3 && level < 0.85;
    const bool spinous = std::abs(p.x) < 3.2 && y < -10 && y > -32 && level > 0.35 && level < 0.75;
    const bool sides =
        std::abs(p.x) < 27 && std::abs(p.x) > 9 && std::abs(y - 5) < 5.5 && level > 0.35 && level < 0.8;
    hounsfield = 720 + 200 * noise_(p, 4);
    return ring || spinous || sides;
}

double Head::softTissue(const Point& p, double depth) const {
    if (depth < 1.8) {
        return 35;
    }
    const double face = smoothStep(-10, -40, p.z);
    const double fat = 1.8 + 2.6 + face * (4 + 3 * noise_(p, 20));
    if (depth < fat) {
        return kFat;
    }
    const bool plane = face > 0 && std::abs(noise_({p.x, p.y, p.z * 0.3}, 15)) < 0.06;
    return plane ? -75 : kSoft + 8 * noise_(p, 6);
}

double Head::hounsfield(const Point& at) const {
    // The following was designed 5 mm too low for the chin to fit.
    const Point p{at.x, at.y, at.z - kRaise};
    const double vault = distanceWithin(kSkull, p, 0);
    const bool foramen = p.z < -40 && std::hypot(p.x, p.y + 33) < 15;
    double hounsfield = 0;
    if (vault < 0) {
        const double occipital = 2.5 * smoothStep(-60, -95, p.y);
        const double thickness = 6.2 + 1.4 * noise_(p, 34) + occipital;
        const double under = 0.8 * (baseHeight(mirrored(p)) - p.z);
        const double cavity = std::max(vault + thickness, under);
        if (cavity < 0) {
            return brain(p, -cavity);
        }
        if (eye(p, hounsfield)) {
            return hounsfield;
        }
        if (under < 4.5 + noise_(p, 12) && !foramen) {
            return skull(p, vault, cavity);
        }
    }
    const double outside = skin(p);
    if (outside > 0) {
        return kAir;
    }
    if (faceAir(p, hounsfield) || eye(p, hounsfield) || faceBone(p, hounsfield) || spine(p, hounsfield)) {
        return hounsfield;
    }
    return foramen ? kWater : softTissue(p, -outside);
}

}  // namespace highwater::volume
