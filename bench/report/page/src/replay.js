// Recorded motion in three dimensions: one run, or two side by side, scrubbed by time.
import {
  AmbientLight, BoxGeometry, BufferGeometry, Color, CylinderGeometry, DirectionalLight, DoubleSide, Float32BufferAttribute, Group, InstancedMesh, Matrix4,
  Mesh, MeshLambertMaterial, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";
import {h, whenSeen} from "./dom.js";
import {frameAt, unpack} from "./frames.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"];
const MODES = [{name: "sticks", colour: "#009e73"}, {name: "slides", colour: "#d55e00"}, {name: "other", colour: "#8c8c8c"}];
const THIN = 0.12;  // of a body in the plane, of its size

// ---- shapes

function meshOf(vertices, faces) {
  const positions = faces.flatMap((face) => face.slice(2).flatMap((_, k) => [face[0], face[k + 1], face[k + 2]]).flatMap((v) => vertices[v]));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

function prism(corners) {
  const size = Math.max(...corners.map(([x, y]) => Math.hypot(x, y))), z = (THIN * size) / 2, n = corners.length;
  const vertices = [...corners.map(([x, y]) => [x, y, z]), ...corners.map(([x, y]) => [x, y, -z])];
  const ring = corners.map((_, k) => k);
  return meshOf(vertices, [ring, ring.map((k) => 2 * n - 1 - k), ...ring.map((k) => [k, n + k, n + ((k + 1) % n), (k + 1) % n])]);
}

function superquadric([a, b, c], [e1, e2]) {
  const power = (x, e) => Math.sign(x) * Math.abs(x) ** e;
  const geometry = new SphereGeometry(1, 48, 32), p = geometry.attributes.position;
  for (let k = 0; k < p.count; ++k) {
    const [x, y, z] = [p.getX(k), p.getY(k), p.getZ(k)];
    const flat = Math.hypot(x, y), cosine = flat > 0 ? x / flat : 1, sine = flat > 0 ? y / flat : 0;
    p.setXYZ(k, a * power(flat, e1) * power(cosine, e2), b * power(flat, e1) * power(sine, e2), c * power(z, e1));
  }
  geometry.computeVertexNormals();
  return geometry;
}

function geometryOf(shape) {
  switch (shape.type) {
    case "sphere": return new SphereGeometry(shape.radius, 24, 16);
    case "disc": return new CylinderGeometry(shape.radius, shape.radius, THIN * shape.radius, 48).rotateX(Math.PI / 2);
    case "box": return new BoxGeometry(...shape.half.map((x) => 2 * x));
    case "ellipsoid": return new SphereGeometry(1, 32, 24).scale(...shape.half);
    case "superquadric": return superquadric(shape.half, shape.exponents);
    case "cylinder": return new CylinderGeometry(shape.radius, shape.radius, 2 * shape.half_length, 32).rotateX(Math.PI / 2);
    case "polygon": return prism(shape.vertices);
    case "polyhedron": return meshOf(shape.vertices, shape.faces);
    default: return null;
  }
}

function halfSpace(shape, body, reach, middle) {
  const normal = new Vector3(...shape.normal), [w, x, y, z] = body.orientation;
  const turn = new Quaternion(x, y, z, w);
  const mesh = new Mesh(new PlaneGeometry(4 * reach, 4 * reach), new MeshLambertMaterial({color: "#9a9a9a", side: DoubleSide, transparent: true, opacity: 0.45}));
  normal.applyQuaternion(turn);
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
  // As near to what happens as the plane comes.
  const point = new Vector3(...shape.normal).multiplyScalar(shape.offset).applyQuaternion(turn).add(new Vector3(...body.position));
  mesh.position.copy(middle).addScaledVector(normal, point.sub(middle).dot(normal));
  return mesh;
}

// ---- a view

class View {
  constructor(motion, canvas) {
    this.motion = motion;
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({canvas, antialias: true, alpha: true});
    this.scene = new Scene();
    this.scene.add(new AmbientLight(0xffffff, 1.2));
    const sun = new DirectionalLight(0xffffff, 2);
    sun.position.set(2, -3, 5);
    this.scene.add(sun);
    this.middle = new Vector3(...motion.low).addScaledVector(new Vector3(...motion.size), 0.5);
    this.reach = Math.max(...motion.size) + 2.2 * this.typicalSize();
    this.camera = new PerspectiveCamera(35, 1, this.reach / 100, 100 * this.reach);
    this.camera.up.set(0, 0, 1);
    const away = motion.dimension === 2 ? new Vector3(0, 0, 1) : new Vector3(0.35, -1, 0.35).normalize();
    if (motion.dimension === 2) this.camera.up.set(0, 1, 0);
    // The sphere around all bodies at all times fits into the view.
    const radius = 0.5 * Math.hypot(...motion.size) + this.largestRadius();
    this.camera.position.copy(this.middle).addScaledVector(away, radius / Math.sin((35 / 2) * (Math.PI / 180)));
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.target.copy(this.middle);
    this.controls.update();  // so that the camera looks there
    this.controls.addEventListener("change", () => this.draw());
    this.addBodies();
    this.addCentres();
    this.addContacts();
    this.resize();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
  }

  moverShapes() {
    const movers = new Set(this.motion.moving.map((body) => body.shape));
    return this.motion.shapes.filter((s, k) => s.type !== "half_space" && movers.has(k));
  }

  // Of the sphere around the centre that holds a body.
  largestRadius() {
    const radii = this.moverShapes().map((s) => Math.max((s.radius ?? 0) + (s.half_length ?? 0), Math.hypot(...(s.half ?? [0])), ...(s.vertices ?? []).map((v) => Math.hypot(...v))));
    return Math.max(...radii, 0.1 * Math.max(...this.motion.size), 1e-3);
  }

  typicalSize() {
    const sizes = this.moverShapes().map((s) => Math.max(s.radius ?? 0, s.half_length ?? 0, ...(s.half ?? [0]), ...(s.vertices ?? []).map((v) => Math.hypot(...v))));
    return Math.max(...sizes, 0.1 * Math.max(...this.motion.size), 1e-3);
  }

  addBodies() {
    const {bodies, shapes, moving} = this.motion;
    this.parts = [];  // of each shape the moving bodies that have it, in one mesh
    shapes.forEach((shape, k) => {
      const geometry = geometryOf(shape);
      const fixed = bodies.filter((body) => body.fixed && body.shape === k);
      for (const body of fixed) {
        const mesh = geometry ? new Mesh(geometry, new MeshLambertMaterial({color: "#9a9a9a"})) : halfSpace(shape, body, this.reach, this.middle);
        if (geometry) {
          mesh.position.set(...body.position);
          mesh.quaternion.set(body.orientation[1], body.orientation[2], body.orientation[3], body.orientation[0]);
        }
        this.scene.add(mesh);
      }
      const owners = moving.map((body, b) => [body, b]).filter(([body]) => body.shape === k).map(([, b]) => b);
      if (owners.length === 0 || !geometry) return;
      const mesh = new InstancedMesh(geometry, new MeshLambertMaterial({flatShading: ["polygon", "polyhedron", "box"].includes(shape.type)}), owners.length);
      owners.forEach((b, i) => mesh.setColorAt(i, new Color(COLOURS[b % COLOURS.length])));
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      this.parts.push({mesh, owners});
    });
  }

  // Of bodies without a shape (links, pistons) the mass centre.
  addCentres() {
    const owners = this.motion.moving.map((body, b) => [body, b]).filter(([body]) => body.shape === null).map(([, b]) => b);
    if (owners.length === 0) return;
    const mesh = new InstancedMesh(new SphereGeometry(0.12 * this.typicalSize(), 16, 12), new MeshLambertMaterial(), owners.length);
    owners.forEach((b, i) => mesh.setColorAt(i, new Color(COLOURS[b % COLOURS.length])));
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    this.parts.push({mesh, owners});
  }

  addContacts() {
    const {starts, contacts} = this.motion;
    const most = Math.max(0, ...starts.slice(1).map((end, k) => end - starts[k]));
    let largest = 0;
    for (let k = 0; k < contacts.length; k += 7) largest = Math.max(largest, Math.hypot(contacts[k + 3], contacts[k + 4], contacts[k + 5]));
    this.longest = largest;
    const size = 0.06 * this.typicalSize();
    this.points = new InstancedMesh(new SphereGeometry(1.6 * size, 10, 8), new MeshLambertMaterial({depthTest: false, transparent: true}), Math.max(1, most));
    this.arrows = new InstancedMesh(new CylinderGeometry(0.6 * size, 0.6 * size, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2), new MeshLambertMaterial({depthTest: false, transparent: true}), Math.max(1, most));
    for (const mesh of [this.points, this.arrows]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 1;
      this.scene.add(mesh);
    }
  }

  /** @param what {contacts, forces}: what is shown beside the bodies */
  show(t, what) {
    this.frame = frameAt(this.motion.t, t);
    const place = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1), matrix = new Matrix4();
    for (const {mesh, owners} of this.parts) {
      owners.forEach((b, i) => {
        this.motion.pose(this.frame, b, place, turn);
        mesh.setMatrixAt(i, matrix.compose(place, turn, one));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    const {starts, contacts} = this.motion, first = starts[this.frame], count = starts[this.frame + 1] - first;
    this.points.count = what.contacts ? count : 0;
    this.arrows.count = what.forces ? count : 0;
    const force = new Vector3();
    for (let i = 0; i < count; ++i) {
      const [x, y, z, fx, fy, fz, mode] = contacts.subarray(7 * (first + i), 7 * (first + i) + 7);
      const colour = new Color(MODES[mode].colour);
      place.set(x, y, z);
      this.points.setMatrixAt(i, matrix.compose(place, new Quaternion(), one));
      this.points.setColorAt(i, colour);
      force.set(fx, fy, fz);
      const length = (1.5 * this.typicalSize() * force.length()) / this.longest;
      turn.setFromUnitVectors(new Vector3(0, 0, 1), force.normalize());
      this.arrows.setMatrixAt(i, matrix.compose(place, turn, new Vector3(1, 1, length)));
      this.arrows.setColorAt(i, colour);
    }
    for (const mesh of [this.points, this.arrows]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.draw();
  }

  resize() {
    const {clientWidth, clientHeight} = this.canvas.parentElement;
    if (clientWidth === 0) return;
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
  }

  /** Looks where another view looks. */
  follow(other) {
    this.camera.position.copy(other.camera.position);
    this.controls.target.copy(other.controls.target);
    this.controls.update();
  }

  end() {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

// ---- the player

class Player {
  constructor(runs, place) {
    this.runs = runs;
    this.t = runs[0].motion.t[0];
    this.what = {contacts: true, forces: true};
    this.views = [];
    this.places = h("div", {class: "views"});
    this.slider = h("input", {type: "range", min: 0, max: 1000, value: 0, "aria-label": "time", oninput: () => this.go(this.begin() + (this.slider.value / 1000) * (this.end() - this.begin()))});
    this.clock = h("output", {});
    this.button = h("button", {onclick: () => this.toggle()}, "Play");
    this.speed = h("select", {"aria-label": "speed"}, [["0.1", "a tenth of the speed"], ["0.5", "half the speed"], ["1", "as fast as it was"], ["4", "four times as fast"]].map(([value, text]) => h("option", {value, selected: value === "1"}, text)));
    const box = (name, text) => h("label", {}, h("input", {type: "checkbox", checked: true, onchange: (event) => { this.what[name] = event.target.checked; this.go(this.t); }}), ` ${text}`);
    const chooser = (k) => h("select", {"aria-label": k === 0 ? "run" : "beside it", onchange: (event) => this.choose(k, event.target.value)},
      k === 1 && h("option", {value: ""}, "nothing beside it"), runs.map((run, i) => h("option", {value: i}, run.label || run.name)));
    this.chosen = [0, null];
    place.append(this.places, h("div", {class: "controls"}, this.button, this.slider, this.clock, this.speed, box("contacts", "contact points"), box("forces", "impulses"),
      runs.length > 1 && [chooser(0), chooser(1)], h("span", {class: "modes"}, MODES.slice(0, 2).map((mode) => h("span", {class: "solver"}, h("i", {style: {background: mode.colour}}), mode.name)))));
    if (runs.length > 1) {
      this.chosen[1] = 1;
      place.querySelectorAll("select")[2].value = "1";
    }
    this.open();
  }

  begin() { return Math.min(...this.views.map((view) => view.motion.t[0])); }
  end() { return Math.max(...this.views.map((view) => view.motion.t.at(-1))); }

  choose(k, value) {
    this.chosen[k] = value === "" ? null : Number(value);
    this.open();
  }

  open() {
    this.views.forEach((view) => view.end());
    const shown = this.chosen.filter((i) => i !== null);
    const canvases = shown.map((i) => h("canvas", {"aria-label": `motion of ${this.runs[i].label || this.runs[i].name}`}));
    this.names = shown.map(() => h("b", {}));
    this.places.replaceChildren(...canvases.map((canvas, k) => h("div", {class: "view"}, canvas, this.names[k])));
    this.titles = shown.map((i) => this.runs[i].label || this.runs[i].name);
    this.views = canvases.map((canvas, k) => new View(this.runs[shown[k]].motion, canvas));
    const [first, second] = this.views;
    let turning = false;
    const link = (from, to) => from.controls.addEventListener("change", () => {
      if (turning) return;
      turning = true;
      to.follow(from);
      turning = false;
    });
    if (second) {
      second.follow(first);
      link(first, second);
      link(second, first);
    }
    this.go(Math.min(this.t, this.end()));
  }

  go(t) {
    this.t = t;
    this.views.forEach((view, k) => {
      view.show(t, this.what);
      const end = view.motion.t.at(-1);
      this.names[k].textContent = this.titles[k] + (t > end + 1e-9 ? `, which ended at ${end.toFixed(3)} s` : "");
    });
    this.clock.textContent = `${t.toFixed(3)} s`;
    this.slider.value = (1000 * (t - this.begin())) / (this.end() - this.begin() || 1);
  }

  toggle() {
    this.playing = !this.playing;
    this.button.textContent = this.playing ? "Pause" : "Play";
    if (!this.playing) return;
    if (this.t >= this.end()) this.go(this.begin());
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const t = this.t + (Number(this.speed.value) * (now - last)) / 1000;
      last = now;
      this.go(Math.min(t, this.end()));
      if (t < this.end()) requestAnimationFrame(tick);
      else this.toggle();
    };
    requestAnimationFrame(tick);
  }
}

/** The player of a group of runs; nothing if none of them has a motion. */
export function replay(group) {
  const runs = group.runs.filter((run) => run.motion).map((run) => ({...run}));
  if (runs.length === 0) return null;
  return whenSeen(h("div", {class: "replay"}), (place) => {
    try {
      runs.forEach((run) => { run.motion = unpack(run.motion); });
      new Player(runs, place);
    } catch (error) {
      place.replaceChildren(h("p", {class: "missing"}, `The motion cannot be shown: ${error.message}`));
    }
  });
}
