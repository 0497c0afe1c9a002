#include "cli/commands.hpp"

int main(int argc, char* argv[]) { return weir::cli::program({argv + 1, argv + argc}); }
