/* commands.h - the subcommands, in the order of the help. A new one is a row here and a file that
 * defines command_NAME; test/cli compares completions and manual with the list. */
#ifndef LIEDER_CLI_COMMANDS_H
#define LIEDER_CLI_COMMANDS_H

#define COMMANDS(X)                                                                                \
    X(simulate)                                                                                    \
    X(sweep)                                                                                       \
    X(eigen)                                                                                       \
    X(stability) X(plot) X(draw) X(view) X(compare) X(export) X(check) X(list) X(doc) X(show) X(lsp)

#endif
