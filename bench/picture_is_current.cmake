# Redraws PROGRAM's picture from DOCS/queue-depth.json; neither may come out different.
execute_process(COMMAND ${PROGRAM} ${DOCS}/queue-depth.json ${SCRATCH} COMMAND_ERROR_IS_FATAL ANY)
foreach(kind svg json)
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${DOCS}/queue-depth.${kind} ${SCRATCH}.${kind}
                  RESULT_VARIABLE differs)
  if(differs)
    message(FATAL_ERROR "docs/queue-depth.${kind} is not what draw_sweep makes of docs/queue-depth.json")
  endif()
endforeach()
