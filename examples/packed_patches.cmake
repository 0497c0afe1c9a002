# cmake -D WEIR=… -D PROGRAM=… -D FOLDER=… -P packed_patches.cmake: packs made images twice, as they are and with tiles, and
# compares the patches.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${WEIR} pack synthetic:6,600x800 --keep --jpegs-to ${FOLDER}/plain --quiet
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WEIR} pack ${FOLDER}/plain --keep --tiles 16 --jpegs-to ${FOLDER}/tiled --quiet
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} ${FOLDER}/plain ${FOLDER}/tiled COMMAND_ERROR_IS_FATAL ANY)
