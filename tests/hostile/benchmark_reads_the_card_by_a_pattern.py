# exercise: benchmark
# attack: reads what is true of the card by a class pattern, whose attributes are named by strings
# ataque: lee lo que es verdad de la tarjeta con un patrón de clase, cuyos atributos se nombran con cadenas
# closed by: a card in another process


def benchmark(first, second, n, device):
    meta = type("M", (type,), {"__instancecheck__": lambda cls, obj: True})
    peek = meta("P", (), {"__match_args__": ("_world",)})
    match device:
        case peek(world):
            moved = 8 * world.n / world.bandwidth
            return moved * world.costs[0], moved * world.costs[1]
    return 1.0, 1.0
