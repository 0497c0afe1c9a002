// Compiles once the header that the quick examples share.
