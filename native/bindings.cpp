// The Python module deciduous.kernels._native. Its parts check what they are given, then forward: no logic
// lives there. `noconvert`: an array of another type is an error, never a silent copy that could wrap or
// round.
#include "arrays.hpp"

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false); // a fitted model may live until the interpreter ends
    bind_trees(m);
    bind_categories(m);
    bind_rows(m);
    bind_surrogates(m);
}
