// exercise: vector_add
// attack: asks for the solution as the next header of that name, by a macro
// ataque: pide la solución como la siguiente cabecera de ese nombre, con una macro
// closed by: Landlock
// needs: landlock 2
#define WHERE "../../solutions/vector_add.cu"
#include_next WHERE
