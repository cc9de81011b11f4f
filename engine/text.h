/*
 * Text from files, labels and command lines, made harmless to print.
 *
 * A terminal obeys escape sequences, whoever wrote them: a label in a results
 * file can clear the screen or change the window's title.  So what is printed
 * goes through here first, messages included (loom_fail).
 */
#ifndef ENGINE_TEXT_H
#define ENGINE_TEXT_H

#include "engine/base.h"

/* Replaces by `?`, in place, control characters other than tabs and ends of
 * lines, their forms in UTF-8 (U+0080 to U+009F), the marks that turn the
 * direction of text around, and bytes that are no UTF-8. */
void loom_text_tame(char *text);

/* Columns that a text takes: its code points. */
size_t loom_text_width(const char *text);

#endif
