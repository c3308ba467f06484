/// A program whose precompiled headers the tests use (CMakeLists.txt).
int main() {}
