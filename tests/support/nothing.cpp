/// A program whose precompiled headers the tests use (tests/CMakeLists.txt).
int main() {}
