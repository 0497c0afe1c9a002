# cmake -D BUILD=... -D STAGE=... -P install.cmake: installs the program and checks that all its files exist.
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component weir_program --prefix ${STAGE}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
foreach(file bin/weir share/bash-completion/completions/weir share/zsh/site-functions/_weir
             share/fish/vendor_completions.d/weir.fish share/man/man1/weir.1
             share/doc/weir/docs/guide/concepts.md share/doc/weir/docs/concepts.svg share/doc/weir/examples/hello.cpp)
  if(NOT EXISTS ${STAGE}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
execute_process(COMMAND ${STAGE}/bin/weir run synthetic:8,8x8 --size 8x8 --quiet --html ${STAGE}/run.html
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(READ ${STAGE}/run.html page)
if(NOT page MATCHES "${STAGE}/share/doc/weir/docs/guide/concepts.md")
  message(FATAL_ERROR "the page of --html does not name the installed guide")
endif()
file(READ ${STAGE}/share/man/man1/weir.1 page)
if(NOT page MATCHES "130: interrupted")
  message(FATAL_ERROR "the manual page does not name exit status 130")
endif()
