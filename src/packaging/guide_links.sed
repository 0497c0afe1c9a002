# For Doxygen: what is no page is, seen from build/docs/html, one folder further up.
s,](\.\./\.\./examples,](../../../examples,g
