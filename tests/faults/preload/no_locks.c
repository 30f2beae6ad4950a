/* A file system without locks, for a process that is started with this library in LD_PRELOAD. */
#include <errno.h>

int flock(int descriptor, int operation) {
  (void)descriptor;
  (void)operation;
  errno = ENOLCK;
  return -1;
}
