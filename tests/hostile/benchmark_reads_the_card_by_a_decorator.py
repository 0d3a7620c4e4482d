# exercise: benchmark
# attack: names what a class pattern looks up by the name of a function
# ataque: nombra lo que busca un patrón de clase con el nombre de una función
# closed by: refused names


def names(function):
    return ("_world",)


class Meta(type):
    def __instancecheck__(cls, obj):
        return True


class Peek(metaclass=Meta):
    @names
    def __match_args__(self):
        pass


def benchmark(first, second, n, device):
    match device:
        case Peek(world):
            moved = 8 * world.n / world.bandwidth
            return moved * world.costs[0], moved * world.costs[1]
    return 1.0, 1.0
