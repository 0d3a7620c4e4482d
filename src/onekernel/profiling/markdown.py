"""A profile's reading as Markdown, in one language. What stands below the marker is a person's and is kept."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.counts import KernelCounts
from onekernel.messages import Message, area
from onekernel.numerals import number
from onekernel.profiling.profile import Profile
from onekernel.profiling.reading import Reading, read
from onekernel.profiling.report import bare_name

MARKER = "<!-- below: by hand, kept when the part above is made anew -->"


def merged(profile: Profile, lang: str, old: str) -> str:
    """The generated part, the marker, and what `old` has below its marker."""
    _, found, kept = old.partition(MARKER)
    tail = kept if found else "\n"
    return f"{reading(profile, lang)}\n{MARKER}{tail}"


def reading(profile: Profile, lang: str) -> str:
    """The generated part: one section a kernel that the call launched."""

    def t(key: str, **values: object) -> str:
        return Message(f"profile.{key}", values).text(lang)

    shape = " x ".join(map(str, profile.shape))
    parts = [f"# {profile.slug}, {shape}, {profile.dtype}, {profile.device['name']}", ""]
    software = ", ".join(f"{name} {profile.versions[name]}" for name in ("torch", "triton") if name in profile.versions)
    ncu_version = profile.kernels[0].extra.get("ncu", "") if profile.kernels else ""
    parts += [t("made", command=profile.command, date=profile.date, driver=profile.device["driver"],
                software=software, ncu=ncu_version), ""]  # fmt: skip
    if profile.source:
        parts += [t("source", path=profile.source["path"], hash=profile.source["sha256"][:12]), ""]
    if len(profile.kernels) > 1:
        parts += [t("several", count=len(profile.kernels)), ""]
    for nth, kernel in enumerate(profile.kernels, start=1):
        bandwidth = float(profile.device["datasheet_bandwidth"])
        r = read(kernel, profile.ideal_read, profile.ideal_written, bandwidth)
        title = f"`{bare_name(kernel.kernel).rsplit('::', 1)[-1]}`"
        parts += [f"## {nth}. {title}" if len(profile.kernels) > 1 else f"## {title}", ""]
        parts += _kernel(r, kernel, profile, t, lang)
    return "\n".join(parts)


def _kernel(r: Reading, kernel: KernelCounts, profile: Profile, t: Callable[..., str], lang: str) -> list[str]:
    verdict = t(f"bound-{r.bound}", dram=r.dram_percent, sm=r.sm_percent, issue=r.issue_percent, ready=r.ready)
    if r.stalls:
        verdict += " " + t("dominant", reason=f"`{r.dominant}`", share=100 * r.stalls[0][1],
                           meaning=_meaning(r.dominant, lang))  # fmt: skip
    grid, block = (" x ".join(str(n) for n in _dims(d)) for d in (kernel.grid, kernel.block))
    launch = t("launch-value", grid=grid, block=block, registers=kernel.registers, shared=r.shared_bytes,
               waves=r.waves)  # fmt: skip
    conflicts = _count(r.conflicts, lang)
    if r.shared_wavefronts:
        conflicts += f" / {_count(r.shared_wavefronts, lang)}"
    rows = [
        (t("duration"), f"{number(r.seconds * 1e6, '.1f', lang)} µs"),
        (t("floor"), f"{number(r.floor * 1e6, '.1f', lang)} µs"),
        (t("launch"), launch),
        (t("dram-read"), _against(r.dram_read, profile.ideal_read, lang)),
        (t("dram-written"), _against(r.dram_written, profile.ideal_written, lang)),
        (t("l2-read"), _against(r.l2_read, profile.ideal_read, lang)),
        (t("l2-written"), _against(r.l2_written, profile.ideal_written, lang)),
        (t("requested-read"), _against(r.requested_read, profile.ideal_read, lang)),
        (t("requested-written"), _against(r.requested_written, profile.ideal_written, lang)),
        (t("sectors"), f"{_count(r.load_sectors_per_request, lang)} / {_count(r.store_sectors_per_request, lang)}"),
        (t("conflicts"), conflicts),
        (t("occupancy"), f"{r.achieved:.0f} % / {r.theoretical:.0f} %"),
        (t("limiter"), ", ".join(t(f"limit-{name.replace('_', '-')}") for name in r.limiters)),
        (t("busy"), f"{r.dram_percent:.0f} % / {r.sm_percent:.0f} % / {r.issue_percent:.0f} %"),
    ]
    out = [verdict, "", f"| {t('what')} | {t('value')} |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), ""]
    out += [t("stalls"), "", f"| {t('reason')} | {t('share')} | {t('meaning')} |", "|---|---|---|"]
    out += [f"| `{name}` | {100 * s:.0f} % | {_meaning(name, lang)} |" for name, s in r.stalls[:6] if s >= 0.01]
    if r.lines:
        out += ["", t("lines"), "", f"| {t('line')} | {t('samples')} | {t('mostly')} |", "|---|---|---|"]
        out += [f"| {line} | {100 * s:.0f} % | `{why}` |" for line, s, why in r.lines]
    else:
        out += ["", t("no-lines")]
    out += ["", t("next"), ""]
    for nth, step in enumerate(r.steps, start=1):
        times = number(step.gain, ".2f" if step.gain < 10 else ",.0f", lang)
        gain = t("gain", times=times) if step.gain > 1.02 else t("no-gain")
        out.append(f"{nth}. {t(step.key, **step.values)} {gain}")
    return [*out, ""]


def _meaning(reason: str, lang: str) -> str:
    """The sentence for a stall reason; the reason itself where a new ncu has one that the course does not know."""
    key = f"stall-{reason.replace('_', '-')}"
    return Message(f"profile.{key}").text(lang) if key in area("profile") else f"`{reason}`"


def _against(moved: float | None, ideal: float, lang: str) -> str:
    """Megabytes, and how many times the ideal that is."""
    if moved is None:
        return "-"
    megabytes, least = (number(value / 1e6, ".1f", lang) for value in (moved, ideal))
    return f"{megabytes} MB" + (f" ({number(moved / ideal, '.2f', lang)} x {least})" if ideal else "")


def _count(value: float | None, lang: str) -> str:
    return "-" if value is None else number(value, ",.0f" if value >= 1000 else ".3g", lang)


def _dims(triple: tuple[int, int, int]) -> tuple[int, ...]:
    """(8192, 1, 1) -> (8192,)."""
    x, y, z = triple
    return (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)
