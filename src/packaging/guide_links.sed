# For Doxygen: a link to a file that is not a page is resolved from build/docs/html and needs one more "../".
s,](\.\./\.\./examples,](../../../examples,g
# Pages outside the guide are not part of the reference.
s,\[\([^]]*\)\](\.\./\(benchmarks\|footprint\)\.md[^)]*),\1 (docs/\2.md),g
s,\[\([^]]*\)\](\.\./\.\./\(README\.md\|src/[^)#]*\)[^)]*),\1 (\2),g
# Doxygen does not know the headings of a page by their names on GitHub.
s,\(](\|[a-z-]\.md\)#[a-z-]*),\1),g
s,\[\([^]]*\)\](),\1,g
