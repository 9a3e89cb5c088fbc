/* Brings up the loopback device of a new network namespace, and gives it an address that looks like one of the internet. */
#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static int give(int fd, const char *name, const char *address) {
  struct ifreq request = {0};
  struct sockaddr_in *in = (struct sockaddr_in *)&request.ifr_addr;
  strcpy(request.ifr_name, name);
  in->sin_family = AF_INET;
  inet_pton(AF_INET, address, &in->sin_addr);
  return ioctl(fd, SIOCSIFADDR, &request);
}

int main(void) {
  struct ifreq request = {0};
  strcpy(request.ifr_name, "lo");
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (ioctl(fd, SIOCGIFFLAGS, &request)) return 1;
  request.ifr_flags |= IFF_UP;
  if (ioctl(fd, SIOCSIFFLAGS, &request)) return 1;
  return give(fd, "lo:1", "203.0.113.5") || give(fd, "lo:2", "203.0.113.6") ? 1 : 0;
}
