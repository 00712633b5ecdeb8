"""The measure by which perp judges answers, once more: integers for linear problems, mpmath for graphs and cones.

Written from docs/reference/formats.md and docs/reference/notation.md alone; shares nothing with the program.
"""
from fractions import Fraction

import mpmath
from mpmath import mpf

INFINITY = mpf("inf")


class Matrix:
    """By columns: lists of (row, value)."""

    def __init__(self, document):
        self.rows, self.cols = document["shape"]
        self.entries = []
        if "dense" in document:
            self.entries = [(i, j, v) for i, row in enumerate(document["dense"]) for j, v in enumerate(row) if v]
        else:
            self.entries = list(zip(document["row"], document["col"], document["value"]))

    def times(self, x, number):
        y = [number(0)] * self.rows
        for i, j, v in self.entries:
            y[i] += number(v) * x[j]
        return y

    def transposed_times(self, x, number):
        y = [number(0)] * self.cols
        for i, j, v in self.entries:
            y[j] += number(v) * x[i]
        return y


def bound(value):
    return None if isinstance(value, str) else value


def box_measure(z, f, lower, upper, number):
    worst = number(0)
    for z_i, f_i, l, u in zip(z, f, lower, upper):
        value = f_i
        if l is not None:
            value = min(value, z_i - number(l))
        if u is not None:
            value = max(value, z_i - number(u))
        worst = max(worst, abs(value))
    return worst


def linear(p, answer, _):
    matrix, vector = ("H", "c") if p["kind"] == "box_qp" else ("M", "q")
    n = p["n"]
    z = [Fraction(x) for x in answer["z"]]
    f = [a + Fraction(b) for a, b in zip(Matrix(p[matrix]).times(z, Fraction), p[vector])]
    lower = [bound(x) for x in p.get("lower", [0] * n)]
    upper = [bound(x) for x in p.get("upper", ["inf"] * n)]
    return box_measure(z, f, lower, upper, Fraction)


def evaluate(graph, z, parameters):
    one = {"neg": lambda a: -a, "sqrt": mpmath.sqrt, "exp": mpmath.exp, "log": mpmath.log, "sin": mpmath.sin, "cos": mpmath.cos,
           "tan": mpmath.tan, "atan": mpmath.atan, "tanh": mpmath.tanh, "abs": abs}
    two = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
           "pow": lambda a, b: a ** b, "min": min, "max": max}
    values = []
    for operation, *arguments in graph["nodes"]:
        if operation == "const":
            value = mpf(arguments[0])
        elif operation == "var":
            value = z[arguments[0]]
        elif operation == "par":
            value = parameters[arguments[0]]
        elif operation == "norm":
            value = mpmath.sqrt(sum(values[k] ** 2 for k in arguments))
        else:
            value = (one.get(operation) or two[operation])(*(values[k] for k in arguments))
        if isinstance(value, mpmath.mpc) or mpmath.isnan(value):
            raise ValueError("no real value")
        values.append(value)
    return [values[k] for k in graph["outputs"]]


def nonlinear(p, answer, tolerance):
    lower, upper = [bound(x) for x in p["lower"]], [bound(x) for x in p["upper"]]
    z, parameters = [mpf(x) for x in answer["z"]], [mpf(x) for x in p["graph"].get("parameters", [])]
    try:
        f = evaluate(p["graph"], z, parameters)
        natural = box_measure(z, f, lower, upper, mpf)
        if natural > tolerance:
            return natural
        held = [abs(x) > tolerance for x in f]
        at = []
        for z_i, f_i, l, u, is_held in zip(z, f, lower, upper, held):
            inside = max(z_i, mpf(l)) if l is not None else z_i
            inside = min(inside, mpf(u)) if u is not None else inside
            on = l if f_i > 0 else u
            at.append(mpf(on) if is_held and on is not None else inside)
        g = evaluate(p["graph"], at, parameters)
    except (ValueError, ZeroDivisionError, OverflowError):
        return INFINITY
    wrong = [-g_i if f_i > 0 else g_i for f_i, g_i, is_held, l, u in zip(f, g, held, lower, upper) if is_held and (l is None or l != u)]
    return max([natural, *wrong])


def norm(v):
    return mpmath.sqrt(sum((x * x for x in v), mpf(0)))


def project(v, mu, mu_hat=None):
    """The nearest point of |x| <= mu t, in the norm of which mu_hat tells."""
    mu_hat = mu if mu_hat is None else mu_hat
    length = norm(v[1:])
    if v[0] >= 0 and length <= mu * v[0]:
        return list(v)
    if mu_hat * length <= -v[0]:
        return [mpf(0)] * len(v)
    normal = (v[0] + mu_hat * length) / (1 + mu * mu_hat)
    return [normal] + [mu * normal * x / length for x in v[1:]]


def conic(p, answer, _):
    x, y = [mpf(v) for v in answer["z"]], [mpf(v) for v in answer["dual"]]
    a = Matrix(p["A"])
    s = [mpf(b) - v for b, v in zip(p["b"], a.times(x, mpf))]
    gradient = [u + mpf(c) + v for u, c, v in zip(Matrix(p["P"]).times(x, mpf), p["c"], a.transposed_times(y, mpf))]
    worst, at = max((abs(g) for g in gradient), default=mpf(0)), 0
    for cone in p["cones"]:
        size = 1 if cone["type"] != "second_order" else cone["size"]
        for first in range(at, at + cone["size"], size):
            u, v = s[first:first + size], y[first:first + size]
            if cone["type"] == "zero":
                worst = max(worst, abs(u[0]))
                continue
            pu, pv = project(u, mpf(1)), project(v, mpf(1))
            moved = project([i - j for i, j in zip(u, v)], mpf(1))
            natural = max(abs(i - j) for i, j in zip(u, moved))
            product = max(mpf(0), sum(i * j for i, j in zip(pu, pv)))
            off = max(abs(i - j) for i, j in zip(u + v, pu + pv))
            worst = max(worst, off, min(natural, product))
        at += cone["size"]
    return worst


def parts(p):
    """Contacts that act on each other have one name."""
    d, nc = p["dimension"], len(p["mu"])
    name = list(range(nc))

    def root(c):
        while name[c] != c:
            c = name[c]
        return c
    if "W" in p:
        squares = {}
        for i, j, v in Matrix(p["W"]).entries:
            squares[i // d, j // d] = squares.get((i // d, j // d), mpf(0)) + mpf(v) ** 2
        size = {key: mpmath.sqrt(value) for key, value in squares.items()}
        for (a, b), value in size.items():
            if value > mpf(2) ** -52 * mpmath.sqrt(size.get((a, a), mpf(0)) * size.get((b, b), mpf(0))):
                name[root(a)] = root(b)
        return [root(c) for c in range(nc)]
    j, m = Matrix(p["J"]), Matrix(p["M"])
    name = list(range(nc + m.cols))
    for row, col, v in m.entries:
        if v:
            name[root(nc + row)] = root(nc + col)
    for row, col, v in j.entries:
        if v:
            name[root(row // d)] = root(nc + col)
    return [root(c) for c in range(nc)]


def friction(p, answer, _):
    d = p["dimension"]
    r = [mpf(x) for x in answer["z"]]
    if "W" in p:
        u = Matrix(p["W"]).times(r, mpf)
    else:
        j, m = Matrix(p["J"]), Matrix(p["M"])
        dense = mpmath.zeros(m.rows, m.cols)
        for row, col, v in m.entries:
            dense[row, col] += mpf(v)
        u = j.times(list(mpmath.lu_solve(dense, mpmath.matrix(j.transposed_times(r, mpf)))), mpf)
    u = [a + mpf(q) + mpf(c) * x for a, q, c, x in zip(u, p["q"], p.get("compliance", [0] * p["n"]), r)]
    errors, sizes, error, size = {}, {}, mpf(0), mpf(0)
    for c, part in enumerate(parts(p)):
        mu, impulse, hat = mpf(p["mu"][c]), r[d * c:d * c + d], u[d * c:d * c + d]
        normal = min(impulse[0], hat[0])
        hat[0] += mu * norm(hat[1:])
        nearest = project([a - b for a, b in zip(impulse, hat)], mu)
        square = sum((a - b) ** 2 for a, b in zip(impulse, nearest))
        own = sum(mpf(q) ** 2 for q in p["q"][d * c:d * c + d])
        errors[part], sizes[part] = errors.get(part, 0) + max(square, normal ** 2), sizes.get(part, 0) + own
        error, size = error + square, size + own
    error, size = mpmath.sqrt(error), mpmath.sqrt(size)
    if size <= 1e-14:
        return max([error] + [mpmath.sqrt(e) for e in errors.values()])
    return max([error / size] + [mpmath.sqrt(e) / max(mpmath.sqrt(sizes[k]), min(mpf(1), size)) for k, e in errors.items()])


def convex(p, answer, _):
    v, a, j = [mpf(x) for x in answer["z"]], Matrix(p["A"]), Matrix(p["J"])
    y = [(mpf(b) - x) / mpf(r) for b, x, r in zip(p["bias"], j.times(v, mpf), p["R"])]
    gamma = []
    for c, mu in enumerate(p["mu"]):
        mu_hat = mpf(mu) * mpf(p["R"][3 * c + 1]) / mpf(p["R"][3 * c])
        gamma += project(y[3 * c:3 * c + 3], mpf(mu), mu_hat)
    inertia = a.times([x - mpf(w) for x, w in zip(v, p["v_star"])], mpf)
    return max((abs(f - g) for f, g in zip(inertia, j.transposed_times(gamma, mpf))), default=mpf(0))


MEASURES = {"lcp": linear, "mlcp": linear, "box_qp": linear, "mcp": nonlinear, "conic_qp": conic, "friction_contact": friction,
            "convex_contact": convex}


def measure(problem, answer, tolerance, digits=50):
    """Of an answer {"z", "dual"}; infinite if it holds what is no number."""
    if any(x is None for x in [*answer["z"], *answer.get("dual", [])]):
        return INFINITY
    with mpmath.workdps(digits):
        value = MEASURES[problem["kind"]](problem, answer, mpf(tolerance))
        return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value
