/* SPDX-License-Identifier: MIT */
/* Commands that a message or a script repeats: names in them as the shell reads them. */
#ifndef PLYMILL_PIPELINE_RECIPE_SHELL_QUOTE_H
#define PLYMILL_PIPELINE_RECIPE_SHELL_QUOTE_H

/* The text as a shell wants it: 'it'\''s here' where it holds anything that a shell would not take
 * as it is. A fresh string, or NULL when memory is short. */
char *shell_quote(const char *text);

#endif
