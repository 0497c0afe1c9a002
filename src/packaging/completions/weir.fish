# Completes commands, options and their values, as weir itself lists them; else files.
complete -c weir -a '(weir complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
