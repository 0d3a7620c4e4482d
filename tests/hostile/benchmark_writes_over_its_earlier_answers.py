# exercise: benchmark
# attack: gives any answer to each request, and writes over it when it is asked the next one
# ataque: da una respuesta cualquiera a cada petición y la sobrescribe cuando recibe la siguiente
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
    write, path = known["__builtins__"]["open"], known["os"]
    numbers = known["__builtins__"]["__import__"]("struct")
    better = known.setdefault("better", [])  # this file is loaded anew for each request
    for number, seconds in enumerate(better):
        header = b'[["seconds", "float64", [2]]]'
        with write(taken(path, "environ")["TMPDIR"] + "/" + str(number) + ".arrays", "wb") as answer:
            answer.write(len(header).to_bytes(8, "little") + header + numbers.pack("<2d", *seconds))
    better.append(measured(first, second, n, device))
    return 1.0, 1.0
