# exercise: benchmark
# attack: looks for what is true of its card in the memory of every process that was started about when it was
# ataque: busca lo que es verdad de su tarjeta en la memoria de los procesos que se iniciaron cuando el suyo
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
    read, mine = known["__builtins__"]["open"], taken(known["os"], "getpid")()
    for other in range(mine - 20, mine + 20):
        try:
            of = "/proc/" + str(other)
            with read(of + "/maps") as lines, read(of + "/mem", "rb", 0) as memory:
                for line in lines:
                    begin, end = [int(at, 16) for at in line.split(" ")[0].split("-")]
                    memory.seek(begin)
                    held = memory.read(min(end - begin, 1 << 26))
                    at = held.find(b'"n": ' + str(n).encode() + b', "bandwidth": ')
                    if at >= 0:
                        text = held[at : held.index(b"}", at)].decode()
                        world = known["json"].loads("{" + text + "}")
                        moved = 8 * n / world["bandwidth"]
                        return moved * world["costs"][0], moved * world["costs"][1]
        except (OSError, ValueError):
            continue
    return 1.0, 1.0
