#!/usr/bin/env python3
"""Compares what papers claim with what ./bench/run has recorded.

    bench/claims.py FOLDER

reads FOLDER/records*.jsonl and the runs below FOLDER/simulations, and writes FOLDER/claims/max-dissipation.json, which
`perp report` takes in. A claim whose runs are missing is left out.
"""
import csv
import json
import math
import os
import statistics
import sys


class Results:
    def __init__(self, folder):
        self.simulations = os.path.join(folder, "simulations")
        self.records = []
        for name in sorted(os.listdir(folder)):
            if name.startswith("records") and name.endswith(".jsonl"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.records += [json.loads(line) for line in file]

    def runs(self, group):
        folder = os.path.join(self.simulations, group)
        found = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [name for name in found if os.path.isfile(os.path.join(folder, name, "run.json"))]

    def summary(self, run):
        with open(os.path.join(self.simulations, run, "run.json"), encoding="utf-8") as file:
            return json.load(file)

    def rows(self, run, table):
        with open(os.path.join(self.simulations, run, table + ".csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def has(self, *runs):
        return all(os.path.isfile(os.path.join(self.simulations, run, "run.json")) for run in runs)

    def last_velocity(self, run):
        row = self.rows(run, "trajectory")[-1]
        return [float(row[key]) for key in ("vx", "vy", "vz")]

    def solves(self, suite, solver, kind, label="", sequence=""):
        return [r for r in self.records
                if r["suite"] == suite and r["solver"] == solver and r["kind"] == kind
                and r.get("label", "") == label and sequence in r["sequence"] and r["mode"] in ("zero", "cold")]


def apart(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5


def seconds(record):
    """Of setup and solve."""
    times = record["times"]
    return times.get("total", times["setup"] + times["solve"])


def median_ms(records):
    return 1e3 * statistics.median(map(seconds, records))


def time_text(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{seconds / size:.3g} {unit}"


def dissipation_runs(results):
    """All recorded runs of the models, with what their steps tell."""
    groups = os.listdir(results.simulations) if os.path.isdir(results.simulations) else []
    for group in sorted(groups):
        for name in results.runs(group):
            run = f"{group}/{name}"
            summary = results.summary(run)
            if summary["formulation"].startswith("max-dissipation"):
                yield run, summary, results.rows(run, "steps")


def energy(results):
    steps, worst, worst_run, failed, cut = 0, -float("inf"), "", 0, 0
    for run, summary, rows in dissipation_runs(results):
        last = {row["step"]: row for row in rows}  # columns of a step stand in its last row
        failed += summary["failed_steps"]
        cut += summary["cut_short_steps"]
        for row in last.values():
            if row.get("energy_change", "") == "":
                continue
            steps += 1
            excess = float(row["energy_change"]) - float(row["feeding"])
            if excess > worst:
                worst, worst_run = excess, run
    if steps == 0:
        return []
    return [{
        "claim": "Contact never adds energy (property 1).",
        "experiment": "Every step of every run of the models in this report, the stabilisation's -gap/h taken off",
        "measured": f"Largest change over {steps} steps: {worst:.2g} J ({worst_run})",
        "verdict": "holds" if worst <= 1e-9 else "does not hold"}, {
        "claim": "Phase I never fails, and failure of phase II costs accuracy only.",
        "experiment": "The same steps",
        "measured": f"{failed} steps failed; phase II was cut short on {cut}",
        "verdict": "holds" if failed == 0 else "does not hold"}]


def ramp(results):
    claims = []
    along = ["ramp-along/stewart-trinkle", "ramp-along/max-dissipation-step"]
    if results.has(*along):
        gap = apart(*(results.last_velocity(run) for run in along))
        claims.append({
            "claim": "A box on a ramp moves as in Anitescu and Potra's model, to numerical precision (Fig. 2).",
            "experiment": "box-on-ramp from rest, 0.4 s, pyramid of four edges",
            "measured": f"Velocities {gap:.1e} m/s apart", "verdict": "holds" if gap < 1e-6 else "does not hold"})
    across = ["ramp-across/stewart-trinkle", "ramp-across/stewart-trinkle-16", "ramp-across/max-dissipation-step"]
    if results.has(*across):
        four, sixteen, cone = (results.last_velocity(run) for run in across)
        claims.append({
            "claim": "The emergent behaviour is that of complementarity methods.",
            "experiment": "The same with (1, 1) m/s at the beginning, across the edges of the pyramid",
            "measured": f"Four edges: {apart(four, cone):.3f} m/s apart; sixteen: {apart(sixteen, cone):.3f} m/s",
            "verdict": "holds" if apart(four, cone) < 1e-6 else
                       "holds in part" if apart(sixteen, cone) < apart(four, cone) else "does not hold"})
    return claims


def solvers(results):
    suite = "max-dissipation"
    claims, rows = [], []
    names = sorted({r["sequence"] for r in results.records if r["suite"] == suite})
    for title, key in (("engine", "engine"), ("granular", "granular")):
        parts = []
        for solver, label in (("lemke", "textbook"), ("lemke", ""), ("auto", "")):
            runs = results.solves(suite, solver, "lcp", label, key) + results.solves(suite, solver, "mlcp", label, key)
            if not runs:
                continue
            solved = sum(r["outcome"] == "solved" for r in runs)
            failed = [r for r in runs if r["outcome"] != "solved"]
            first = min(failed, key=lambda r: r["position"], default=None)
            parts.append(f"{solver}{' (' + label + ')' if label else ''} {solved} of {len(runs)}"
                         + (f", first not {first['instance']}" if first else ""))
        quadratic = [r for kind in ("box_qp", "conic_qp") for r in results.solves(suite, "auto", kind, "", key)]
        if parts and quadratic:
            solved = sum(r["outcome"] == "solved" for r in quadratic)
            fails = "textbook" in parts[0] and "first not" in parts[0] and solved == len(quadratic)
            ours = all("first not" not in part for part in parts[1:])
            claims.append({
                "claim": f"Lemke's method fails on the pyramid's complementarity problems ({title}), the convex programs are solved.",
                "experiment": f"{len(quadratic)} convex programs and the pyramid's problems of the recorded steps, up to "
                              f"{max(r.get('contacts', 0) for r in quadratic)} contacts",
                "measured": f"Pyramid: {'; '.join(parts)}. Convex programs: auto {solved} of {len(quadratic)}",
                "verdict": "holds in part" if fails and ours else "holds" if fails else "does not hold"})
        pyramid = [r for kind in ("lcp", "mlcp") for r in results.solves(suite, "auto", kind, "", key)]
        if pyramid and quadratic:
            # Both phases of a step against its one complementarity problem, in the sequence with most contacts.
            largest = max(pyramid, key=lambda r: r["contacts"])["sequence"]
            size = min(r["contacts"] for r in pyramid if r["sequence"] == largest)
            lcp = [seconds(r) for r in pyramid if r["contacts"] >= size and r["outcome"] == "solved"]
            both = sum(statistics.median([seconds(r) for r in quadratic
                                          if r["kind"] == kind and r["contacts"] >= size and r["outcome"] == "solved"] or [0])
                       for kind in ("box_qp", "conic_qp"))
            if lcp and both > 0:
                ratio = statistics.median(lcp) / both
                rows.append((title, size, statistics.median(lcp), both, ratio))
    for title, size, lcp, both, ratio in rows:
        claims.append({
            "claim": f"The convex programs are solved faster than the complementarity problems (Fig. 4; {title}).",
            "experiment": f"Steps with {size:.0f} contacts and more: medians of auto",
            "measured": f"Pyramid {time_text(lcp)}, phases I and II together {time_text(both)}: {ratio:.2g} times as long",
            "verdict": "holds" if ratio > 1.5 else "holds in part" if ratio > 0.67 else "does not hold"})
    return claims if names else []


def angle_turned(rows, body):
    """About z, from quaternions, whole turns included."""
    turned, last = 0.0, None
    for row in rows:
        if row["body"] != body:
            continue
        angle = 2 * math.atan2(float(row["qz"]), float(row["qw"]))
        if last is not None:
            turned += math.remainder(angle - last, 2 * math.pi)
        last = angle
    return turned


def engine(results):
    run = "engine/four-turn"
    if not results.has(run):
        return []
    summary, rows, bodies = results.summary(run), results.rows(run, "steps"), results.rows(run, "trajectory")
    last = list({row["step"]: row for row in rows}.values())
    angle = angle_turned(bodies, "crank")
    begin = sum(float(row["kinetic"]) + float(row["potential"]) for row in bodies if row["step"] == "0")
    gained = float(last[-1]["kinetic"]) + float(last[-1]["potential"]) - begin
    work = summary["parameters"]["torque"] * angle
    contacts = [int(row["contacts"]) for row in last if float(row["h"]) > 0]
    within = sum(100 <= n <= 200 for n in contacts) / len(contacts)
    overlap = max(float(row["infeasibility"]) for row in last)
    complete = summary["failed_steps"] == 0 and angle > 2 * math.pi - 1e-3
    return [{
        "claim": "An engine held together by contact alone runs (Section 4.1).",
        "experiment": "engine-four, event by event, 24 corners, 4 N m",
        "measured": f"{angle / (2 * math.pi):.3f} turns, {summary['events']} impacts, {summary['failed_steps']} steps failed; "
                    f"overlap {overlap:.1g} m at most; 100 to 200 contacts in {100 * within:.0f} % of the segments; "
                    f"{100 * (1 - gained / work):.1f} % of the work lost at the corners",
        "verdict": "holds" if complete and overlap <= 1e-6 and gained <= work else "does not hold"}]


def grains(results):
    claims = []
    for name in results.runs("granular"):
        count, formulation = name.split("-", 1)
        if formulation != "max-dissipation-step":
            continue
        summary, rows = results.summary(f"granular/{name}"), results.rows(f"granular/{name}", "steps")
        last = list({row["step"]: row for row in rows}.values())
        kinetic = [float(row["kinetic"]) for row in last]
        overlap = max(float(row["infeasibility"]) for row in last)
        rests = kinetic[-1] < 1e-3 * max(kinetic)
        claims.append({
            "claim": "Grains fall into a box and settle, without failure (Section 4.2).",
            "experiment": f"granular, {count} spheres, {summary['steps'] * summary['h']:g} s",
            "measured": f"{summary['failed_steps']} of {summary['steps']} steps failed, phase II cut short on "
                        f"{summary['cut_short_steps']}; up to {max(int(row['contacts']) for row in last)} contacts; kinetic energy "
                        f"{max(kinetic):.3g} J at most, {kinetic[-1]:.2g} J at the end; overlap {overlap:.1g} m at most; "
                        f"{time_text(summary['times']['wall'])}, {summary['peak_memory_mb']:.0f} MB",
            "verdict": "holds" if summary["failed_steps"] == 0 and rests else "does not hold"})
    return claims


def joint_friction(results):
    claims = []
    rates = {}
    for name in results.runs("joint-friction"):
        method, step = name.split("-", 1)
        rows = results.rows(f"joint-friction/{name}", "steps")
        rates[method, float(step)] = max(float(row["largest_rate"]) for row in rows)
    ours = [rate for (method, _), rate in rates.items() if method == "qp"]
    explicit = sorted((step, rate) for (method, step), rate in rates.items() if method == "explicit")
    if ours and explicit:
        step, rate = explicit[0]
        claims.append({
            "claim": "Joint friction by the QP takes steps three orders of magnitude larger (Fig. 8).",
            "experiment": "arm-friction with 5 N m, which should rest: largest joint rate, QP with 0.01 s",
            "measured": f"QP: {max(ours):.1g} rad/s. Explicit: "
                        + ", ".join(f"{r:.2g} rad/s with {s:g} s" for s, r in reversed(explicit)),
            "verdict": "holds" if max(ours) < 1e-10 and (step > 1.1e-5 or rate > 1e-2) else "does not hold"})
    ends = {}
    for name in results.runs("joint-friction-viscous"):
        method, step = name.split("-", 1)
        rows = results.rows(f"joint-friction-viscous/{name}", "joints")
        ends[method, float(step)] = [float(row["theta"]) for row in rows[-8:]]
    reference = max((key for key in ends if key[0] == "qp"), key=lambda key: -key[1], default=None)
    others = sorted((key for key in ends if key[0] == "explicit"), key=lambda key: -key[1])
    if reference and len(others) > 1:
        gaps = [(step, max(abs(a - b) for a, b in zip(ends[method, step], ends[reference]))) for method, step in others]
        coarse = [(s, max(abs(a - b) for a, b in zip(ends[m, s], ends[reference]))) for m, s in ends if m == "qp" and (m, s) != reference]
        claims.append({
            "claim": "The explicit method converges to the QP as its step shrinks (Fig. 9).",
            "experiment": f"arm-friction with 0.25 N m and 0.1 N m s: angles at the end against the QP with {reference[1]:g} s",
            "measured": "Explicit: " + ", ".join(f"{gap:.2g} rad with {step:g} s" for step, gap in gaps)
                        + "; QP: " + ", ".join(f"{gap:.2g} rad with {step:g} s" for step, gap in coarse),
            "verdict": "holds" if gaps[-1][1] < 0.5 * gaps[0][1] else "does not hold"})
    times = {}
    for r in results.solves("joint-friction", "gradient-projection", "box_qp"):
        times.setdefault(r["n"], []).append(r)
    if times:
        parts = [f"n = {n}: {time_text(1e-3 * median_ms(times[n]))}" for n in sorted(times)]
        micro = [n for n in times if median_ms(times[n]) < 1.0]
        claims.append({
            "claim": "QPs of hundreds of joints are solved within microseconds by gradient projection.",
            "experiment": "Suite joint-friction, gradient-projection, medians",
            "measured": "; ".join(parts),
            "verdict": "holds" if len(micro) == len(times) else "holds in part"})
    return claims


def convexity():
    """For mu_c = c = 1: two points of the printed cone |x_T|^2 <= x_N^2 + c^2, and their middle."""
    inside = lambda n, t: t * t <= n * n + 1.0
    a, b = (0.0, 1.0), (1.0, 2.0 ** 0.5)
    middle = tuple((x + y) / 2 for x, y in zip(a, b))
    points = ", ".join(f"({n:.3g}, {t:.4g}) {'in' if inside(n, t * (1 - 1e-15)) else 'out'}" for n, t in (a, b, middle))
    return [{
        "claim": "The models are convex.",
        "experiment": "The cone as printed, mu_c = c = 1, at (x_N, x_T)",
        "measured": points + ". With |x_T| <= mu_c x_N + h mu_v |b_T| in its place, as here, they are",
        "verdict": "holds" if inside(*middle) else "holds in part"}]


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: bench/claims.py FOLDER")
    folder = sys.argv[1]
    results = Results(folder)
    claims = ramp(results) + energy(results) + convexity() + engine(results) + grains(results) + solvers(results) + joint_friction(results)
    os.makedirs(os.path.join(folder, "claims"), exist_ok=True)
    path = os.path.join(folder, "claims", "max-dissipation.json")
    document = {
        "format": "perp-claims", "version": 1,
        "title": "Drumwright and Shell (2010), Modeling contact friction and joint friction by maximum dissipation",
        "caption": "Verdicts are computed from the runs of this report; docs/max-dissipation.md discusses them.",
        "claims": claims}
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
