# Draws PROGRAM's PICTURE again from DOCS/PICTURE.json. Both files must be unchanged.
execute_process(COMMAND ${PROGRAM} ${DOCS}/${PICTURE}.json ${SCRATCH} COMMAND_ERROR_IS_FATAL ANY)
foreach(kind svg json)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${DOCS}/${PICTURE}.${kind} ${SCRATCH}.${kind}
                  RESULT_VARIABLE differs)
  if(differs)
    message(FATAL_ERROR "docs/${PICTURE}.${kind} is not what its program makes of docs/${PICTURE}.json")
  endif()
endforeach()
