// Compiles once the headers that the tests share.
