"""A line search for the strong Wolfe conditions, as LBFGS uses it (torch/optim/lbfgs.py).

The names are those of the literature: f a loss, g a gradient, d the direction, t a step length
along it, gtd the slope g . d there.
"""

from __future__ import annotations

import flambeau


def cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """Where the cubic through two values and slopes is least, kept within the bounds."""
    if bounds is not None:
        low, high = bounds
    else:
        low, high = (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    d2_square = d1**2 - g1 * g2
    if not d2_square >= 0:
        return (low + high) / 2.0
    d2 = d2_square.sqrt()
    if x1 <= x2:
        best = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        best = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(best, low), high)


class _Points:
    """The one or two ends of the bracket: step lengths, losses, gradients, slopes."""

    def __init__(self, *points) -> None:
        self.t, self.f, self.g, self.gtd = (list(column) for column in zip(*points, strict=True))

    def set(self, i: int, t, f, g, gtd) -> None:
        self.t[i], self.f[i], self.g[i], self.gtd[i] = t, f, g, gtd

    def order(self) -> tuple[int, int]:
        """The positions of the lower and of the higher loss."""
        return (0, 1) if self.f[0] <= self.f[-1] else (1, 0)


def strong_wolfe(evaluate_at, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """The loss, gradient and step length found, and the number of evaluations it took."""
    d_norm = d.abs().max()
    g = _keep(g)
    f_new, g_new = evaluate_at(x, t, d)
    evals = 1
    gtd_new = g_new.dot(d)

    # Go on until an interval holds an acceptable point.
    t_prev, f_prev, g_prev, gtd_prev = 0, f, g, gtd
    done = False
    bracket = None
    ls_iter = 0
    while ls_iter < max_ls:
        too_high = f_new > (f + c1 * t * gtd) or (ls_iter > 1 and f_new >= f_prev)
        if not too_high and abs(gtd_new) <= -c2 * gtd:
            bracket = _Points((t, f_new, g_new, gtd_new))
            done = True
            break
        if too_high or gtd_new >= 0:
            bracket = _Points((t_prev, f_prev, g_prev, gtd_prev), (t, f_new, _keep(g_new), gtd_new))
            break
        bounds = (t + 0.01 * (t - t_prev), t * 10)
        t_next = cubic_interpolate(t_prev, f_prev, gtd_prev, t, f_new, gtd_new, bounds=bounds)
        t_prev, f_prev, g_prev, gtd_prev = t, f_new, _keep(g_new), gtd_new
        t = t_next
        f_new, g_new = evaluate_at(x, t, d)
        evals += 1
        gtd_new = g_new.dot(d)
        ls_iter += 1
    if ls_iter == max_ls:
        bracket = _Points((0, f, g, gtd), (t, f_new, g_new, gtd_new))

    # Narrow the interval.
    insufficient = False
    low, high = bracket.order()
    while not done and ls_iter < max_ls:
        if abs(bracket.t[1] - bracket.t[0]) * d_norm < tolerance_change:
            break
        t = cubic_interpolate(bracket.t[0], bracket.f[0], bracket.gtd[0], bracket.t[1], bracket.f[1], bracket.gtd[1])
        t, insufficient = _away_from_ends(t, bracket.t, insufficient)
        f_new, g_new = evaluate_at(x, t, d)
        evals += 1
        gtd_new = g_new.dot(d)
        ls_iter += 1
        if f_new > (f + c1 * t * gtd) or f_new >= bracket.f[low]:
            bracket.set(high, t, f_new, _keep(g_new), gtd_new)
            low, high = bracket.order()
            continue
        if abs(gtd_new) <= -c2 * gtd:
            done = True
        elif gtd_new * (bracket.t[high] - bracket.t[low]) >= 0:
            bracket.set(high, bracket.t[low], bracket.f[low], bracket.g[low], bracket.gtd[low])
        bracket.set(low, t, f_new, _keep(g_new), gtd_new)

    return bracket.f[low], bracket.g[low], bracket.t[low], evals


def _away_from_ends(t, ends, insufficient: bool):
    """The second time in a row that t comes close to an end, put it a tenth inside."""
    eps = 0.1 * (max(ends) - min(ends))
    if not min(max(ends) - t, t - min(ends)) < eps:
        return t, False
    if not (insufficient or t >= max(ends) or t <= min(ends)):
        return t, True
    if abs(t - max(ends)) < abs(t - min(ends)):
        return max(ends) - eps, False
    return min(ends) + eps, False


def _keep(g):
    return g.clone(memory_format=flambeau.contiguous_format)
