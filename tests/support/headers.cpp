// Compiles the headers that the tests share, once.
