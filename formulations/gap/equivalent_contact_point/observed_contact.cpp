#include <perp/formulations/gap/equivalent_contact_point/observed_contact.hpp>

#include <Eigen/LU>
#include <stdexcept>

namespace perp {

ObservedContact observed_contact(const Scene& scene, const State& before, const State& after,
                                 double h, int body, const Vector3d& normal, double offset) {
  if (scene.dimension != 3) throw std::invalid_argument("contacts are observed in 3D scenes only");
  const Coordinates coordinates(scene);
  const int at = coordinates.offset(body);
  if (at < 0) throw std::invalid_argument("a fixed body shows no contact");
  const Vector change = coordinates.velocity(after) - free_velocity(scene, before, coordinates, h);
  const Body& b = scene.bodies[static_cast<std::size_t>(body)];
  const Matrix3d axes =
      before.bodies[static_cast<std::size_t>(body)].orientation.toRotationMatrix();
  ObservedContact c;
  c.impulse = b.mass * change.segment<3>(at);
  const Vector3d moment =
      axes * b.inertia.cwiseProduct(axes.transpose() * change.segment<3>(at + 3));
  c.p_n = normal.dot(c.impulse);
  if (!(c.p_n > 0)) throw std::invalid_argument("the body was not pressed on the plane");
  const Vector3d& p = c.impulse;
  const Vector3d& centre = after.bodies[static_cast<std::size_t>(body)].position;
  Eigen::Matrix4d system;
  system << 0, p.z(), -p.y(), normal.x(),  // r x p + n p_r
      -p.z(), 0, p.x(), normal.y(),        //
      p.y(), -p.x(), 0, normal.z(),        //
      normal.x(), normal.y(), normal.z(), 0;
  Eigen::Vector4d right;
  right << moment, offset - normal.dot(centre);
  const Eigen::Vector4d found = system.partialPivLu().solve(right);
  c.point = centre + found.head<3>();
  c.p_r = found[3];
  return c;
}

}  // namespace perp
