/* The smallest game server there is: tells its SDK server that it is ready, then sends every datagram back. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at(const char *variable, unsigned address) {
  const char *port = getenv(variable);
  struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons(port ? atoi(port) : 0)};
  result.sin_addr.s_addr = htonl(address);
  return result;
}

static int tell_ready(void) {
  static const char request[] =
      "POST /ready HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\nConnection: close\r\n\r\n{}";
  char answer[4096] = {0};
  struct sockaddr_in sdk = at("AGONES_SDK_HTTP_PORT", INADDR_LOOPBACK);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(server, (struct sockaddr *)&sdk, sizeof sdk) != 0) return 1;
  if (write(server, request, sizeof request - 1) != sizeof request - 1) return 1;
  if (read(server, answer, sizeof answer - 1) < 12) return 1;
  close(server);
  return strncmp(answer + 9, "200", 3) != 0;
}

int main(void) {
  char datagram[2048];
  struct sockaddr_in own = at("PORT", INADDR_ANY), sender;
  int game = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(game, (struct sockaddr *)&own, sizeof own) != 0) return 1;
  if (tell_ready() != 0) return 2;
  for (;;) {
    socklen_t length = sizeof sender;
    ssize_t size = recvfrom(game, datagram, sizeof datagram, 0, (struct sockaddr *)&sender, &length);
    if (size >= 0) sendto(game, datagram, size, 0, (struct sockaddr *)&sender, length);
  }
}
