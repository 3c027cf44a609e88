/* Included before everything else in the C of the compiled modules (scripts/compile.py).

mypyc reads the fields of a class that it has not compiled, as those of msgspec's structs, by looking their name up in the class
each time. Here each place in the code that reads a field remembers which class it met last and where in its instances the field
lies, as Python's own interpreter does (PEP 659). A class that is changed gets another version, and is looked up again.
*/
#include <Python.h>
#include <structmember.h>

#ifndef Py_GIL_DISABLED /* Threads without a common lock would share what a place remembers. */

typedef struct {
    unsigned int version; /* Of the class: each version of each class has its own; 0 for none. */
    PyObject *name; /* A place that reads any field, by `getattr`, comes with one name after the other. */
    Py_ssize_t offset; /* In bytes from the start of an instance; -1 for what is no field. */
} FieldPlace;

static void FieldPlace_Find(FieldPlace *place, PyTypeObject *type, PyObject *name) {
    /* Looking up gives the class its version. */
    PyObject *found = _PyType_Lookup(type, name);
    place->version = type->tp_version_tag;
    place->name = name;
    place->offset = -1;
    /* An interned name is the very one in the class, and lives as long as this version of it. */
    if (found != NULL && Py_IS_TYPE(found, &PyMemberDescr_Type) && PyUnicode_CHECK_INTERNED(name) &&
        type->tp_getattro == PyObject_GenericGetAttr) {
        PyMemberDef *member = ((PyMemberDescrObject *)found)->d_member;
        if (member->type == T_OBJECT_EX && PyType_IsSubtype(type, PyDescr_TYPE(found))) {
            place->offset = member->offset;
        }
    }
}

static inline PyObject *FieldPlace_Read(FieldPlace *place, PyObject *object, PyObject *name) {
    PyTypeObject *type = Py_TYPE(object);
    if (place->name != name || place->version != type->tp_version_tag || place->version == 0) {
        FieldPlace_Find(place, type, name);
    }
    if (place->offset >= 0) {
        PyObject *value = *(PyObject **)((char *)object + place->offset);
        if (value != NULL) {
            return Py_NewRef(value);
        }
    }
    return PyObject_GetAttr(object, name); /* Which also raises the error for a field that was never set. */
}

#define PyObject_GetAttr(object, name)                  \
    ({                                                  \
        static FieldPlace field_place;                  \
        FieldPlace_Read(&field_place, (object), (name)); \
    })

#endif
