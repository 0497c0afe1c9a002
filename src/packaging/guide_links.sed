# For Doxygen: what is no page is, seen from build/docs/html, one folder further up.
s,](\.\./\.\./examples,](../../../examples,g
# Pages outside the guide are not part of the reference.
s,\[\([^]]*\)\](\.\./\(benchmarks\|footprint\)\.md[^)]*),\1 (docs/\2.md),g
