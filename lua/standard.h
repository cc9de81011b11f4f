/*
 * The three descriptors that every program counts on.
 *
 * A shell may close them (>&-).  Then the next file that is opened, such as a
 * results file, gets the number of one of them, and what is printed goes into
 * it.  And what could not be printed must not end as if it had been.
 */
#ifndef LUA_STANDARD_H
#define LUA_STANDARD_H

/* Puts something in place of those that are closed, to which nothing can be
 * written and from which nothing can be read.  Before any file is opened. */
void loom_standard_guard(void);

/* At the end: exit status `status`, or another one if that is 0 and something
 * could not be printed, which is told on stderr.  A pipe that nobody reads any
 * more is no news to anybody: nothing is told of it. */
int loom_standard_finish(int status);

#endif
