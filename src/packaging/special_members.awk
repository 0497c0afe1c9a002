# For Doxygen: removes moves, destructors, and defaulted or deleted copies that have no comment.
function special() {
  return /= delete;$/ || /\(const [A-Z][A-Za-z]*&\) = default;$/ || /^ *(virtual )?~[A-Z][A-Za-z]*\(\)( override| noexcept| = default)?;$/ ||
         /^ *(WEIR_API )?[A-Z][A-Za-z]*\([A-Z][A-Za-z]*&&( other)?\) noexcept( = default)?;$/ ||
         /^ *[A-Z][A-Za-z]*& operator=\([A-Z][A-Za-z]*&&( other)?\) noexcept( = default)?;$/
}
{ print special() && before !~ /^ *\/\/\// ? "" : $0; before = $0 }
