# exercise: benchmark
# attack: measures on a tensor a million times as large, beside which whatever is to be avoided vanishes
# ataque: mide con un tensor un millón de veces mayor, ante el cual desaparece todo lo que hay que evitar
# closed by: a card in another process

from statistics import median


def benchmark(first, second, n, device):
    times = 1_000_000
    x, out = device.randn(n * times), device.empty(n * times)
    return seconds(first, x, out, device) / times, seconds(second, x, out, device) / times


def seconds(f, x, out, device):
    f(x, out)
    samples = []
    for _ in range(31):
        begin, end = device.event(), device.event()
        begin.record()
        f(x, out)
        end.record()
        device.synchronize()
        samples.append(begin.elapsed(end))
    return median(samples)
