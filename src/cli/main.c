/* main.c - the program: which subcommand, and how it ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cluster/cluster.h"

#define COMMAND_ADDRESS(name) &command_##name,
const Command *const commands[] = {COMMANDS(COMMAND_ADDRESS) NULL};

static const char *command_name(const void *from, size_t index)
{
    const Command *const *list = from;
    return list[index] ? list[index]->name : NULL;
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* the list of commands, made of the table of commands */
static void print_help(FILE *to)
{
    fprintf(to, "Usage: lieder COMMAND [OPTION]... [ARGUMENT]...\n"
                "Simulates physical systems that are written in "
                "Modelica.\n\nCommands:\n");
    for (size_t i = 0; commands[i]; i++)
        fprintf(to, "  %-10s%-18s%s\n", commands[i]->name, commands[i]->operands,
                commands[i]->text);
    fprintf(to, "\nOptions:\n"
                "  -h, --help     print this help; after a command, the help of "
                "the command\n"
                "  -V, --version  print the version\n\n"
                "Examples:\n"
                "  lieder simulate crane.mo --stop-time 20 -o crane.mat\n"
                "  lieder check crane.mo\n"
                "  lieder doc Planar.Revolute\n\n"
                "Exit codes: 0 done, 1 model wrong, 2 usage, 3 simulation failed "
                "(results up to there\n"
                "are kept), 4 input or output, 130 interrupted. 'man lieder' has "
                "all of it.\n");
}

static ExitCode unknown_command(Log *log, const char *name)
{
    const char *meant = suggest(name, command_name, commands);
    if (name[0] == '-')
        log_error(log, "unknown option %s\n'lieder --help' lists commands and options", name);
    else if (meant)
        log_error(log, "unknown command \"%s\"\ndid you mean 'lieder %s'?", name, meant);
    else
        log_error(log, "unknown command \"%s\"\n'lieder --help' lists the commands", name);
    return EXIT_USAGE;
}

/* chooses the command by the first argument */
static ExitCode run_program(int argc, char **argv)
{
    Log log = log_open();
    bool silent = cluster_rank() > 0;
    if (argc < 2) {
        if (!silent)
            print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (silent && !find_command(name))
        return EXIT_DONE; /* rank 0 answers */
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("lieder %s\n", lieder_version());
        return EXIT_DONE;
    }
    bool help = strcmp(name, "help") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (help && argc < 3)) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const Command *command = find_command(help ? argv[2] : name);
    if (!command)
        return unknown_command(&log, help ? argv[2] : name);
    if (help) {
        command_help(command, stdout);
        return EXIT_DONE;
    }
    /* what several ranks do not share is done by the first */
    return command->shared || cluster_rank() == 0 ? command->run(command, argc - 2, argv + 2)
                                                  : EXIT_DONE;
}

/* Standard descriptors that are closed are opened the wrong way round: a file of results that got
 * the number of stdout or stderr would get the messages as well, and so writing fails instead. */
static bool hold_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!hold_standard_descriptors())
        return EXIT_IO;
    /* a limit on the size of files is an error of write, which is reported, and no sudden end */
    signal(SIGXFSZ, SIG_IGN);
    char why[300];
    if (!cluster_begin(&argc, &argv, why, sizeof why)) {
        Log log = log_open();
        log_error(&log, "%s", why);
        return EXIT_USAGE;
    }
    ExitCode code = run_program(argc, argv);
    cluster_meet(); /* the first rank may have an hour more to do than the others */
    code = ranks_code(code);
    cluster_end();
    /* a full disk behind stdout shows only here, a network file system when it is closed */
    bool failed = ferror(stdout);
    if ((fclose(stdout) != 0 || failed) && code == EXIT_DONE) {
        fprintf(stderr, "lieder: error: cannot write to the standard output: %s\n",
                strerror(errno));
        code = EXIT_IO;
    }
    return code;
}
