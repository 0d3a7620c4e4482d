"""From counters to a judgement: what binds a kernel, which stall stands for it, what to try next and what it may gain.

The rules are the ones that the profiler's guide teaches (profiles/README.md), so that a reader can redo them by hand.

`merged` writes the reading as Markdown, in one language; what stands below its marker is a person's and is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from onekernel import counts
from onekernel.counts import KernelCounts
from onekernel.messages import Message, area
from onekernel.numerals import number
from onekernel.profiling import ncu
from onekernel.profiling.profile import Profile
from onekernel.profiling.report import bare_name

BUSY = 75.0  # percent of a unit's peak from which on it is what binds
ISSUING = 60.0  # percent of the issue slots from which on they may be what binds, if READY says so, too
READY = 2.0  # warps that could have issued and were not chosen, on average: then nobody is short of ready warps
WASTE = 1.15  # bytes moved over bytes needed from which on the traffic itself is the first thing to mend
FULL = 85.0  # percent of the possible warps that were active, from which on more of them are no advice
NOT_STALLED = ("selected", "not_selected")  # the warp issues, or could: another one was taken
COPY_OVER_DATASHEET = 0.88  # what a large copy reaches of the datasheet's bandwidth (bench/roofline.py measures it)
_SAMPLES = "smsp__pcsamp_sample_count"
MARKER = "<!-- below: by hand, kept when the part above is made anew -->"


@dataclass(frozen=True)
class Step:
    """What to try next. `gain` is the largest factor by which the launch can become shorter, 1.0 for none."""

    key: str  # a message of area profile
    gain: float
    values: Mapping[str, float]


@dataclass(frozen=True)
class Reading:
    """The facts of one launch, in the order in which one asks for them. Times in seconds, shares between 0 and 1."""

    seconds: float
    floor: float
    dram_read: float | None  # bytes, here and below; None where ncu did not count them
    dram_written: float | None
    l2_read: float | None
    l2_written: float | None
    requested_read: float | None
    requested_written: float | None
    load_sectors_per_request: float | None
    store_sectors_per_request: float | None
    ready: float  # warps that could have issued and were not chosen, for each that did
    dram_percent: float
    sm_percent: float
    issue_percent: float
    achieved: float
    theoretical: float
    limiters: tuple[str, ...]
    waves: float
    shared_bytes: float  # of a block, without what the system takes
    conflicts: float
    shared_wavefronts: float
    stalls: tuple[tuple[str, float], ...]  # reason, share of all stalled cycles, largest first
    lines: tuple[tuple[str, float, str], ...]  # file and line, share of all samples, its largest stall
    bound: str  # "memory", "compute", "issue", "latency"
    steps: tuple[Step, ...]

    @property
    def dominant(self) -> str:
        return self.stalls[0][0] if self.stalls else ""


def read(kernel: KernelCounts, ideal_read: float, ideal_written: float, bandwidth: float) -> Reading:
    """Reads one kernel's counters. `ideal_*` are the operator's own bytes, `bandwidth` the datasheet's, bytes/s.

    Raises KeyError where the counters lack the duration: then it is no profile.
    """
    m = kernel.metrics
    seconds = m[ncu.DURATION] / 1e9
    stalls = _stalls(m)
    dram, sm = m.get(ncu.DRAM_PERCENT, 0.0), m.get(ncu.SM_PERCENT, 0.0)
    bound = _bound(m, dram, sm)
    floor = (ideal_read + ideal_written) / (bandwidth * COPY_OVER_DATASHEET)
    return Reading(
        seconds=seconds,
        floor=floor,
        dram_read=m.get(counts.DRAM_READ),
        dram_written=m.get(counts.DRAM_WRITE),
        l2_read=_bytes(m, ncu.L2_READ),
        l2_written=_bytes(m, ncu.L2_WRITE),
        requested_read=_bytes(m, counts.LOAD_SECTORS),
        requested_written=_bytes(m, counts.STORE_SECTORS),
        load_sectors_per_request=kernel.sectors_per_request(load=True),
        store_sectors_per_request=kernel.sectors_per_request(load=False),
        ready=m.get(f"{ncu.STALL_PREFIX}not_selected{ncu.STALL_SUFFIX}", 0.0),
        dram_percent=dram,
        sm_percent=sm,
        issue_percent=m.get(ncu.ISSUE_PERCENT, 0.0),
        achieved=m.get(ncu.ACHIEVED, 0.0),
        theoretical=m.get(ncu.THEORETICAL, 0.0),
        limiters=_limiters(m),
        waves=m.get(ncu.WAVES, 0.0),
        shared_bytes=_own_shared(kernel),
        conflicts=m.get(counts.SHARED_LOAD_CONFLICTS, 0.0) + m.get(counts.SHARED_STORE_CONFLICTS, 0.0),
        shared_wavefronts=m.get(counts.SHARED_LOAD_WAVEFRONTS, 0.0) + m.get(counts.SHARED_STORE_WAVEFRONTS, 0.0),
        stalls=stalls,
        lines=_lines(kernel),
        bound=bound,
        steps=_steps(kernel, stalls, bound, seconds, floor, ideal_read),
    )


def _bound(m: Mapping[str, float], dram: float, sm: float) -> str:
    """What binds. Below BUSY the slots still bind where they are the busier side and warps queue for them."""
    if dram >= BUSY and dram >= sm:
        return "memory"
    if sm >= BUSY:
        return "compute"
    queue = m.get(f"{ncu.STALL_PREFIX}not_selected{ncu.STALL_SUFFIX}", 0.0)
    issue = m.get(ncu.ISSUE_PERCENT, 0.0)
    return "issue" if issue >= ISSUING and issue > dram and queue >= READY else "latency"


def _own_shared(kernel: KernelCounts) -> float:
    """Bytes of shared memory that the kernel itself has in a block.

    From compute capability 8.0 on the system takes 1 KB of each block (CUDA Programming Guide, "Compute Capabilities"),
    and ncu counts it as the block's. Reports that do not say how much it was are taken at that word.
    """
    system = kernel.metrics.get(ncu.SYSTEM_SHARED_BYTES)
    if system is None:
        system = 1024.0 if float(kernel.extra.get("compute_capability") or 0.0) >= 8.0 else 0.0
    return max(0.0, kernel.shared_bytes - system)


def _bytes(m: Mapping[str, float], sectors: str) -> float | None:
    return m[sectors] * counts.SECTOR_BYTES if sectors in m else None


def _stalls(m: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Each reason's share of the cycles that warps spent waiting, the two that are no waiting left out."""
    cycles = {
        name.removeprefix(ncu.STALL_PREFIX).removesuffix(ncu.STALL_SUFFIX): value
        for name, value in m.items()
        if name.startswith(ncu.STALL_PREFIX)
    }
    waiting = {reason: value for reason, value in cycles.items() if reason not in NOT_STALLED and value > 0}
    total = sum(waiting.values())
    return tuple((reason, value / total) for reason, value in sorted(waiting.items(), key=lambda item: -item[1]))


def _limiters(m: Mapping[str, float]) -> tuple[str, ...]:
    """What allows the fewest blocks on a multiprocessor; several where they tie."""
    limits = {limit: m[name] for limit in ncu.LIMITS if (name := f"launch__occupancy_limit_{limit}") in m}
    least = min(limits.values(), default=0.0)
    return tuple(limit for limit, blocks in limits.items() if blocks == least)


def _lines(kernel: KernelCounts) -> tuple[tuple[str, float, str], ...]:
    """The five lines with the most samples, as far as they have one in a hundred."""
    total = sum(n.metrics.get(_SAMPLES, 0.0) for n in kernel.lines)
    if not total:
        return ()
    prefix = "smsp__pcsamp_warps_issue_stalled_"
    found = []
    for entry in sorted(kernel.lines, key=lambda n: -n.metrics.get(_SAMPLES, 0.0))[:5]:
        stalls = {k.removeprefix(prefix): v for k, v in entry.metrics.items() if k.startswith(prefix)}
        waiting = {k: v for k, v in stalls.items() if k not in NOT_STALLED} or stalls
        share = entry.metrics.get(_SAMPLES, 0.0) / total
        if share < 0.01:
            break
        found.append((f"{entry.file}:{entry.line}", share, max(waiting, key=lambda k: waiting[k], default="-")))
    return tuple(found)


def _steps(
    kernel: KernelCounts, stalls: tuple[tuple[str, float], ...], bound: str, seconds: float, floor: float,
    ideal_read: float,
) -> tuple[Step, ...]:  # fmt: skip
    """What to try, the largest possible gain first. No gain can go below the floor, which a copy would take."""
    most = max(1.0, seconds / floor) if floor else 1.0
    steps = []
    waste = kernel.metrics.get(counts.DRAM_READ, 0.0) / ideal_read if ideal_read else 1.0
    if waste > WASTE:
        steps.append(Step("step-traffic", min(most, waste), {"times": waste}))
    asked = kernel.metrics.get(counts.LOAD_SECTORS, 0.0) * counts.SECTOR_BYTES / ideal_read if ideal_read else 1.0
    if asked > 1.5 and waste <= WASTE:
        steps.append(Step("step-passes", min(most, asked), {"times": asked}))
    if bound == "memory" and most <= 1.1:
        steps.append(Step("step-done", 1.0, {}))
    elif bound == "issue":  # fewer instructions move no fewer bytes: what is moved needlessly stays
        steps.append(Step("step-issue", max(1.0, most / max(1.0, waste)), {}))
    elif stalls:
        reason, share = stalls[0]
        key = f"step-{reason.replace('_', '-')}"
        if kernel.metrics.get(ncu.ACHIEVED, 0.0) >= FULL and f"{key}-full" in area("profile"):
            key += "-full"  # the advice without "more warps"
        steps.append(Step(key if key in area("profile") else "step-misc", min(most, 1 / max(1e-9, 1 - share)), {}))
    return tuple(sorted(steps, key=lambda step: -step.gain))


def merged(profile: Profile, lang: str, old: str) -> str:
    """The generated part, the marker, and what `old` has below its marker."""
    _, found, kept = old.partition(MARKER)
    tail = kept if found else "\n"
    return f"{markdown(profile, lang)}\n{MARKER}{tail}"


def markdown(profile: Profile, lang: str) -> str:
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
