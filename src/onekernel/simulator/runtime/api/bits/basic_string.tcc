// As in shared_ptr_base.h: libstdc++ 13 and later spell an attribute __noinline__ here.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/basic_string.tcc>
#pragma pop_macro("__noinline__")
