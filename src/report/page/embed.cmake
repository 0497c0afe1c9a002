# cmake -D FOLDER=… -D SCRIPTS=…;… -D CHART_JS=… -D OUTPUT=… -P embed.cmake
# Inserts style and scripts into the template and writes it as C++, in two parts: before and after the
# mark for the data.

set(script)
foreach(name IN LISTS SCRIPTS)
  file(READ ${FOLDER}/${name} part)
  string(APPEND script "${part}\n")
endforeach()
file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
file(READ ${CHART_JS} chart)
foreach(mark style script chart)
  string(REPLACE "@${mark}@" "${${mark}}" page "${page}")
endforeach()

string(FIND "${page}" "@data@" mark)
if(mark LESS 0)
  message(FATAL_ERROR "page.html has no place for the data")
endif()
string(SUBSTRING "${page}" 0 ${mark} before)
math(EXPR mark "${mark} + 6")
string(SUBSTRING "${page}" ${mark} -1 after)

# Writes escaped literals, because compilers read them many times faster than arrays of numbers. Writes
# chunks, because the standard requires compilers to accept only 65536 characters in a literal.
function(literal NAME TEXT)
  string(HEX "${TEXT}" hex)
  string(LENGTH "${hex}" left)
  set(at 0)
  set(chunks)
  while(left GREATER 0)
    set(taken 32000)
    if(left LESS taken)
      set(taken ${left})
    endif()
    string(SUBSTRING "${hex}" ${at} ${taken} chunk)
    string(REGEX REPLACE "(..)" "\\\\x\\1" chunk "${chunk}")
    string(APPEND chunks "    std::string_view(\"${chunk}\", ${taken} / 2),\n")
    math(EXPR at "${at} + ${taken}")
    math(EXPR left "${left} - ${taken}")
  endwhile()
  set(code "${code}const std::string_view ${NAME}_chunks[] = {\n${chunks}};\n" PARENT_SCOPE)
endfunction()

set(code)
literal(before "${before}")
literal(after "${after}")
file(WRITE ${OUTPUT} "// Made by embed.cmake.
#include \"report/page/embedded.hpp\"

namespace weir::report {
namespace {

${code}
}  // namespace

const std::span<const std::string_view> page_before = before_chunks;
const std::span<const std::string_view> page_after = after_chunks;

}  // namespace weir::report
")
