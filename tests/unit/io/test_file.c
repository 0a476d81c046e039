/* SPDX-License-Identifier: MIT */
/*
 * Files appear whole or not at all: also when the process is killed, or a call fails, at any point
 * of the way. Each fault runs in a child process (again.h).
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "formats/io/file.h"
#include "tests/unit/io/again.h"

#define OLD_TEXT "the old text"
#define NEW_SIZE 300000 /* more than one chunk */

struct folder {
    char path[64], file[96];
};

/* "new" content: bytes that depend on their place. */
static void fill_new(char *text)
{
    for (size_t i = 0; i < NEW_SIZE; i++)
        text[i] = (char)('a' + i * i % 23);
}

static int task_write(const char *path)
{
    static char text[NEW_SIZE];
    struct error err = {0};
    fill_new(text);
    return file_write_all(path, text, NEW_SIZE, &err) < 0 ? err.code : 0;
}

static int setup(void **state)
{
    static struct folder folder;
    snprintf(folder.path, sizeof folder.path, "/tmp/plymill-test-XXXXXX");
    if (mkdtemp(folder.path) == NULL)
        return -1;
    snprintf(folder.file, sizeof folder.file, "%s/file", folder.path);
    *state = &folder;
    return 0;
}

static void visit(const struct folder *folder, unsigned *files, unsigned *temporary, bool clean)
{
    DIR *dir = opendir(folder->path);
    struct dirent *entry;
    *files = *temporary = 0;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        *(file_is_temporary(entry->d_name) ? temporary : files) += 1;
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
        if (clean)
            unlink(path);
    }
    closedir(dir);
}

static int teardown(void **state)
{
    const struct folder *folder = *state;
    unsigned files, temporary;
    visit(folder, &files, &temporary, true);
    return rmdir(folder->path);
}

static bool holds(const char *path, const char *text, size_t size)
{
    struct buffer buffer;
    struct error err = {0};
    buffer_init(&buffer, NEW_SIZE);
    bool same = file_read_all(path, &buffer, &err) == 0 && buffer.length == size &&
                memcmp(buffer.data, text, size) == 0;
    buffer_free(&buffer);
    return same;
}

static bool holds_new(const char *path)
{
    static char text[NEW_SIZE];
    fill_new(text);
    return holds(path, text, NEW_SIZE);
}

static void write_old(const struct folder *folder)
{
    struct error err = {0};
    assert_int_equal(file_write_all(folder->file, OLD_TEXT, strlen(OLD_TEXT), &err), 0);
    assert_true(holds(folder->file, OLD_TEXT, strlen(OLD_TEXT)));
}

static void a_commit_replaces_and_a_discard_does_not(void **state)
{
    const struct folder *folder = *state;
    struct atomic_file *file;
    struct error err = {0};
    unsigned files, temporary;
    write_old(folder);
    assert_int_equal(atomic_file_create(folder->file, &file, &err), 0);
    assert_int_equal(atomic_file_write(file, "half", 4, &err), 0);
    assert_true(file_is_temporary(atomic_file_path(file)));
    assert_true(file_exists(atomic_file_path(file)));
    assert_true(holds(folder->file, OLD_TEXT, strlen(OLD_TEXT)));
    atomic_file_discard(file);
    assert_true(holds(folder->file, OLD_TEXT, strlen(OLD_TEXT)));
    assert_int_equal(task_write(folder->file), 0);
    assert_true(holds_new(folder->file));
    visit(folder, &files, &temporary, false);
    assert_int_equal(files, 1);
    assert_int_equal(temporary, 0);
}

/* A temporary file of the same name, left behind by a killed process or held by another host. */
static void two_writers_do_not_meet(void **state)
{
    const struct folder *folder = *state;
    struct atomic_file *one, *two;
    struct error err = {0};
    assert_int_equal(atomic_file_create(folder->file, &one, &err), 0);
    assert_int_equal(atomic_file_create(folder->file, &two, &err), 0);
    assert_string_not_equal(atomic_file_path(one), atomic_file_path(two));
    assert_true(file_is_temporary(atomic_file_path(two)));
    assert_int_equal(atomic_file_write(one, "first", 5, &err), 0);
    assert_int_equal(atomic_file_write(two, "second", 6, &err), 0);
    assert_int_equal(atomic_file_commit(two, &err), 0);
    assert_true(holds(folder->file, "second", 6));
    assert_int_equal(atomic_file_commit(one, &err), 0);
    assert_true(holds(folder->file, "first", 5));
}

static void killed_anywhere_it_is_old_or_new(void **state)
{
    const struct folder *folder = *state;
    static const char *const kinds[] = {"write", "fsync", "rename"};
    unsigned killed = 0;
    for (unsigned kind = 0; kind < 3; kind++) {
        for (unsigned n = 1; n < 10; n++) {
            char fault[32];
            write_old(folder);
            snprintf(fault, sizeof fault, "%s:%u:kill", kinds[kind], n);
            int status = run_again(fault, "write", folder->file);
            if (WIFEXITED(status)) {
                assert_int_equal(WEXITSTATUS(status), 0);
                assert_true(holds_new(folder->file));
                break;
            }
            assert_int_equal(WTERMSIG(status), SIGKILL);
            killed++;
            /* The second fsync is of the folder: the rename has happened by then. */
            bool renamed = kind == 1 && n == 2;
            assert_true(renamed ? holds_new(folder->file)
                                : holds(folder->file, OLD_TEXT, strlen(OLD_TEXT)));
        }
    }
    assert_int_equal(killed, 4); /* one write, two fsyncs, one rename */
}

static void failed_anywhere_it_says_so_and_cleans_up(void **state)
{
    const struct folder *folder = *state;
    static const struct {
        const char *fault;
        int code;
        bool is_new;
    } cases[] = {
        {"write:1:fail", ERROR_FAILED, false},
        {"write:1:full", ERROR_RETRY, false},
        {"fsync:1:fail", ERROR_FAILED, false},
        {"fsync:2:fail", ERROR_FAILED, true},
        {"rename:1:fail", ERROR_FAILED, false},
        {"rename:1:full", ERROR_RETRY, false},
        {"malloc:1:fail", ERROR_FAILED, false},
        {"malloc:2:fail", ERROR_FAILED, false},
        {"malloc:3:fail", ERROR_FAILED, false},
        {"write:1:short", 0, true},
        {"write:2:fail", 0, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned files, temporary;
        write_old(folder);
        assert_int_equal(run_again_code(cases[i].fault, "write", folder->file), cases[i].code);
        assert_true(cases[i].is_new ? holds_new(folder->file)
                                    : holds(folder->file, OLD_TEXT, strlen(OLD_TEXT)));
        visit(folder, &files, &temporary, false);
        assert_int_equal(files, 1);
        assert_int_equal(temporary, 0);
    }
}

static void what_cannot_be_written_is_named(void **state)
{
    const struct folder *folder = *state;
    struct atomic_file *file;
    struct error err = {0};
    char path[128], words[256];
    assert_int_equal(atomic_file_create(folder->path, &file, &err), -1);
    snprintf(words, sizeof words, "%s: Is a directory", folder->path);
    assert_string_equal(err.text, words);
    snprintf(path, sizeof path, "%s/none/file", folder->path);
    assert_int_equal(atomic_file_create(path, &file, &err), -1);
    snprintf(words, sizeof words, "%s: No such file or directory", path);
    assert_string_equal(err.text, words);
}

/* A device keeps being a device. */
static void devices_are_written_directly(void **state)
{
    (void)state;
    struct error err = {0};
    struct stat status;
    assert_int_equal(file_write_all("/dev/null", "x", 1, &err), 0);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(file_write_all("/dev/full", "x", 1, &err), -1);
    assert_int_equal(err.code, ERROR_RETRY);
    assert_string_equal(err.text, "/dev/full: No space left on device");
}

static void reading_stops_at_the_cap(void **state)
{
    const struct folder *folder = *state;
    struct buffer buffer;
    struct error err = {0};
    write_old(folder);
    buffer_init(&buffer, strlen(OLD_TEXT));
    assert_int_equal(file_read_all(folder->file, &buffer, &err), 0);
    buffer_free(&buffer);
    buffer_init(&buffer, strlen(OLD_TEXT) - 1);
    assert_int_equal(file_read_all(folder->file, &buffer, &err), -1);
    assert_non_null(strstr(err.text, "/file: over 11 bytes"));
    buffer_free(&buffer);
}

static void small_helpers(void **state)
{
    const struct folder *folder = *state;
    struct error err = {0};
    uint64_t size = 0;
    write_old(folder);
    assert_int_equal(file_size(folder->file, &size, &err), 0);
    assert_int_equal(size, 12);
    assert_false(file_is_directory(folder->file));
    assert_true(file_is_directory(folder->path));
    assert_int_equal(file_make_directory(folder->path, &err), 0);
    assert_int_equal(file_make_directory(folder->file, &err), -1);
    assert_non_null(strstr(err.text, "Not a directory"));
    char *moved = file_join(folder->path, "moved", &err);
    assert_int_equal(file_publish(folder->file, moved, &err), 0);
    assert_false(file_exists(folder->file));
    assert_true(holds(moved, OLD_TEXT, 12));
    assert_int_equal(file_remove(moved, &err), 0);
    assert_int_equal(file_remove(moved, &err), 0);
    assert_int_equal(file_size(moved, &size, &err), -1);
    free(moved);
    static const struct {
        const char *folder, *joined;
    } joins[] = {{"a", "a/b"}, {"a/", "a/b"}, {"/", "/b"}, {"", "b"}, {".", "./b"}};
    for (unsigned i = 0; i < sizeof joins / sizeof *joins; i++) {
        char *joined = file_join(joins[i].folder, "b", &err);
        assert_string_equal(joined, joins[i].joined);
        free(joined);
    }
}

static void temporary_names_are_told(void **state)
{
    (void)state;
    assert_true(file_is_temporary("a/x.rec.tmp-12"));
    assert_true(file_is_temporary("x.rec.tmp-12-3"));
    assert_false(file_is_temporary("x.rec"));
    assert_false(file_is_temporary("x.tmp-"));
    assert_false(file_is_temporary("x.tmp-a"));
    assert_false(file_is_temporary("x.tmp-1.rec"));
    assert_false(file_is_temporary("x.tmp-1-"));
    assert_false(file_is_temporary("a.tmp-1/x"));
}

static void test_folder(void **state)
{
    static const char *const tries[][2] = {
        {"net", "."}, {"a/net", "a"}, {"/net", "/"}, {"/a/b/net", "/a/b"}, {"./net", "."}};
    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        char *folder = file_folder(tries[i][0], NULL);
        assert_string_equal(folder, tries[i][1]);
        free(folder);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return task_write(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folder),
        cmocka_unit_test_setup_teardown(a_commit_replaces_and_a_discard_does_not, setup, teardown),
        cmocka_unit_test_setup_teardown(two_writers_do_not_meet, setup, teardown),
        cmocka_unit_test_setup_teardown(killed_anywhere_it_is_old_or_new, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_anywhere_it_says_so_and_cleans_up, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(devices_are_written_directly, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_stops_at_the_cap, setup, teardown),
        cmocka_unit_test_setup_teardown(small_helpers, setup, teardown),
        cmocka_unit_test(temporary_names_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
