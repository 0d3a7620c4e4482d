# exercise: benchmark
# attack: goes from a method of the device to Python's own functions, and reads what its cards are in the job's files
# ataque: llega desde un método del dispositivo a las funciones de Python, y lee qué son sus tarjetas en los ficheros
# closed by: a card in another process

META = type("M", (type,), {"__instancecheck__": lambda cls, obj: True})


def taken(thing, name):
    peek = META("P", (), {"__match_args__": (name,)})
    match thing:
        case peek(found):
            return found
    return None


def benchmark(first, second, n, device):
    known = taken(taken(taken(device, "clock"), "__func__"), "__globals__")
    read, names = known["__builtins__"]["open"], taken(known["os"], "listdir")
    parts = [taken(known["os"], "getcwd")()]
    for name in [*names(parts[0]), "cards", "job.json"]:
        try:
            with read(parts[0] + "/" + name) as file:
                text = file.read()
        except (OSError, ValueError):
            continue
        for world in known["json"].loads(text) if "bandwidth" in text else ():
            if world["n"] == n:
                moved = 8 * n / world["bandwidth"]
                return moved * world["costs"][0], moved * world["costs"][1]
    return 1.0, 1.0
