// For test/machines/musl-node.sh: what the libraries made there need beside, for a Node of a newer compiler and without glibc.
#ifdef OF_GCC
// Since glibc 2.35 the unwinder asks glibc for its table of loaded objects. Without one it asks dl_iterate_phdr(3).
extern "C" int _dl_find_object(void *, void *) { return -1; }
#else
#include <cstring>
#include <string>

extern "C" {
__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;
}

// libstdc++ 13 has a function of its own for a replacement whose new text lies in the old one.
extern "C" void replaceInPlace(std::string *, char *at, std::size_t before, const char *text, std::size_t after, std::size_t rest)
  asm("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm");

extern "C" void replaceInPlace(std::string *, char *at, std::size_t before, const char *text, std::size_t after, std::size_t rest) {
  const std::string copy(text, after);
  std::memmove(at + after, at + before, rest);
  std::memcpy(at, copy.data(), after);
}
#endif
