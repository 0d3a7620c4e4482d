# exercise: benchmark
# attack: seals its answers itself before they are asked, and puts them there when its process ends
# ataque: sella él mismo sus respuestas antes de que se le pidan y las pone cuando termina su proceso
# closed by: answers that are sealed

from statistics import median

META = type("M", (type,), {"__instancecheck__": lambda cls, obj: True})


def taken(thing, name):
    peek = META("P", (), {"__match_args__": (name,)})
    match thing:
        case peek(found):
            return found
    return None


def measured(first, second, n, device):
    x, out, emptier = device.randn(n), device.empty(n), device.empty(device.l2_bytes // 2)
    samples = {first: [], second: []}
    for call in samples:
        call(x, out)
    for _ in range(30):
        device.fill(emptier)
    for _ in range(31):
        for call, events in samples.items():
            start, end = device.event(), device.event()
            device.fill(emptier)
            start.record()
            call(x, out)
            end.record()
            events.append((start, end))
    device.synchronize()
    return [median(start.elapsed(end) for start, end in events) for events in samples.values()]


def benchmark(first, second, n, device):
    known = taken(taken(taken(device, "clock"), "__func__"), "__globals__")
    imports, path = known["__builtins__"]["__import__"], known["os"]
    numbers, hashes = imports("struct"), imports("hashlib")
    better = known.setdefault("better", [])  # this file is loaded anew for each request
    better.append(measured(first, second, n, device))
    header = b'[["seconds", "float64", [2]]]'
    name = str(len(better) - 1) + ".arrays"
    data = len(header).to_bytes(8, "little") + header + numbers.pack("<2d", *better[-1])
    seal = hashes.sha256((name + ":" + str(len(data)) + ":").encode() + data).digest()[:28]
    for pipe in range(3, 20):
        with imports("contextlib").suppress(OSError):
            taken(path, "write")(pipe, numbers.pack("<I28s", len(better) - 1, seal))

    def last():
        with known["__builtins__"]["open"](taken(path, "environ")["TMPDIR"] + "/" + name, "wb") as answer:
            answer.write(data)

    threads = imports("threading")
    threads.Timer(0.05, last).start()
    return 1.0, 1.0
