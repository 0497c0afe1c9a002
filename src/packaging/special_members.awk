# For Doxygen: moves, deleted copies and destructors that have no comment are left out.
function special() {
  return /= delete;$/ || /^ *(virtual )?~[A-Z][A-Za-z]*\(\)( override| noexcept| = default)?;$/ ||
         /^ *(WEIR_API )?[A-Z][A-Za-z]*\([A-Z][A-Za-z]*&&( other)?\) noexcept;$/ ||
         /^ *[A-Z][A-Za-z]*& operator=\([A-Z][A-Za-z]*&&( other)?\) noexcept;$/
}
{ print special() && before !~ /^ *\/\/\// ? "" : $0; before = $0 }
