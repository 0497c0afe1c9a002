// Compiles the header that the quick examples share, once.
