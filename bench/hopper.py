"""Hopper's pieces, each with and without: tensor maps, mbarriers, wgmma, a producer, persistent blocks, multicast.

`python bench/hopper.py --help` explains it; the bench itself is in audits.bench.hopper.run.
"""

from onekernel.bench import script

script("audits.bench.hopper.run")
