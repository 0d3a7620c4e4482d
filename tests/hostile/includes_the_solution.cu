// exercise: vector_add
// attack: includes the course's solution by a path upwards
// ataque: incluye la solución del curso con una ruta hacia arriba
// closed by: Landlock
// needs: landlock 2
#include "../../solutions/vector_add.cu"
