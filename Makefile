# plymill: one Makefile, no recursion. `make help` lists the targets.
#
#   MODE=release|debug|asan|tsan|fuzz   where and how things are built: build/$(MODE)/
#   DEVELOPER=1                         warnings are errors
#   NO_INSTALL=1                        never install packages, only say what is missing

MODE ?= release
BUILD ?= build
OUT := $(BUILD)/$(MODE)
prefix ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

ifeq ($(MODE),fuzz)
CC := clang
else ifeq ($(origin CC),default)
CC := gcc
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wundef -Wcast-qual -Wwrite-strings -Wformat=2
ifdef DEVELOPER
WARNINGS += -Werror
endif

OPTIMISE.release := -O2 -g
OPTIMISE.debug := -O0 -g3
OPTIMISE.asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
                 -fno-omit-frame-pointer
OPTIMISE.tsan := -O1 -g -fsanitize=thread
OPTIMISE.fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
                 -DPGN_CHUNK=2048u
ifndef OPTIMISE.$(MODE)
$(error MODE is one of release debug asan tsan fuzz, not "$(MODE)")
endif

CFLAGS ?=
OBJCOPY ?= objcopy
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DPLYMILL_VERSION='"$(VERSION)"' -I. $(WARNINGS) \
             $(OPTIMISE.$(MODE)) -ffp-contract=off -fno-math-errno -pthread $(CFLAGS)
LIBS := -lzstd -lz -lsqlite3 -ljansson -lxxhash -lcrypto -lm

# Folders that become one archive each, in link order: a folder may use those behind it.
FOLDERS := pipeline/cli pipeline/report pipeline/stages pipeline/recipe labeler nnue/tools \
           nnue/core formats formats/chess formats/io
ARCHIVES := $(foreach f,$(FOLDERS),$(OUT)/lib/$(subst /,-,$f).a)
sources_of = $(wildcard $1/*.c)
archive_of = $(OUT)/lib/$(subst /,-,$1).a
objects_of = $(patsubst %.c,$(OUT)/obj/%.o,$(filter-out %/main.c,$(call sources_of,$1)))

# What the unit tests of a folder may link: the dependency direction, seen by the linker.
TEST_LINKS.io := formats/io
TEST_LINKS.chess := formats/chess formats/io
TEST_LINKS.formats := formats formats/chess formats/io
TEST_LINKS.labeler := labeler formats formats/chess formats/io
TEST_LINKS.nnue := nnue/tools nnue/core formats formats/chess formats/io
TEST_LINKS.pipeline := $(FOLDERS)
TEST_LINKS.nets := $(TEST_LINKS.nnue)
TEST_GROUPS := io chess formats labeler nnue pipeline

PROGRAM := $(OUT)/plymill
TOOLS := $(patsubst tests/tools/%.c,$(OUT)/tests/%,$(wildcard tests/tools/*.c))
UNIT_TESTS := $(foreach g,$(TEST_GROUPS),\
    $(patsubst tests/unit/%.c,$(OUT)/tests/%,$(wildcard tests/unit/$g/test_*.c)))

NET_TESTS := $(patsubst tests/unit/%.c,$(OUT)/tests/%,$(wildcard tests/unit/nets/test_*.c))

FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_REPLAYS := $(addprefix $(OUT)/tests/fuzz/,$(FUZZ_NAMES))
FUZZ_SECONDS ?= 60

.PHONY: all lib demo test unit-tests fuzz run-fuzz bench lint install uninstall clean help test-engines test-nets test-neon FORCE
.DELETE_ON_ERROR:
# Kept, not deleted as intermediate files are. (All objects: then archives would not miss new ones.)
.SECONDARY: $(patsubst %.c,$(OUT)/obj/%.o,$(wildcard tests/*/*.c tests/unit/*/*.c))

all: $(PROGRAM)

help:
	@echo 'make            build/release/plymill'
	@echo 'make lib        libplynnue.a and .so, for engines'
	@echo 'make demo       installs what is missing, builds, runs the main job on the demo games'
	@echo 'make test       installs what tests need, builds, runs all tests'
	@echo 'make test-engines  long tests with a real engine on the shared games'
	@echo 'make test-torture  crashes, damage and full disks, at every moment'
	@echo 'make test-slurm a job array on a real Slurm of two nodes on this machine'
	@echo 'make test-report  the report in a browser; screenshots in $$(BUILD)/release/report/'
	@echo 'make test-nets  real nets against the integers of their engines'
	@echo 'make test-neon  the kernels for ARM, under emulation'
	@echo 'make fuzz       libFuzzer, FUZZ_SECONDS=60 a target'
	@echo 'make bench      timings'
	@echo 'make lint       clang-format and clang-tidy'
	@echo 'make install    to $$(DESTDIR)$$(prefix), default /usr/local; make uninstall'
	@echo 'make dist       a tarball; make test-dist: it builds and tests itself'
	@echo 'make deb        Debian packages; make test-deb: in a clean Debian 12, as root'
	@echo 'make clean      removes $(BUILD)/'
	@echo 'Variables: MODE=release|debug|asan|tsan|fuzz DEVELOPER=1 NO_INSTALL=1 prefix= DESTDIR='

# A changed flag rebuilds: the flags stand in a file that every object depends on.
$(OUT)/flags: FORCE
	@mkdir -p $(OUT)
	@echo '$(CC) $(subst ','\'',$(ALL_CFLAGS)) $(LIBS)' | cmp -s - $@ || \
	    echo '$(CC) $(subst ','\'',$(ALL_CFLAGS)) $(LIBS)' > $@
FORCE:

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' $1 $2)

SIMD_FLAGS.train_kernels_base := -O3
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
# gcc 12 would make vectors of the addresses of rows.
SIMD_O3 := -O3 -fno-tree-slp-vectorize
SIMD_FLAGS.kernels_avx2 := $(SIMD_O3) -mavx2
SIMD_FLAGS.train_kernels_avx2 := -O3 -mavx2
SIMD_FLAGS.train_kernels_avx512 := -O3 -mavx512f -mavx512bw -mavx512dq -mavx512vl \
                                   -mprefer-vector-width=512
SIMD_FLAGS.kernels_avxvnni := $(SIMD_O3) -mavx2 -mavxvnni
SIMD_FLAGS.kernels_avx512vnni := $(SIMD_O3) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni
endif
SIMD_FLAGS.kernels_neon := -O3
ARM_DOT := -O3 -march=armv8.2-a+dotprod
ifneq ($(filter aarch64%,$(shell $(CC) -dumpmachine)),)
SIMD_FLAGS.kernels_neon_dot := $(ARM_DOT)
endif

# Plain C to compare with: the flags that the files name, -march=native as bench_plain.h says it.
PLAIN_O3 := -O3 -ffp-contract=fast
SIMD_FLAGS.bench_plain_o2 := -O2 -ffp-contract=fast
SIMD_FLAGS.bench_plain_native := $(PLAIN_O3)
SIMD_FLAGS.bench_plain_fast := $(PLAIN_O3) -ffast-math
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
PLAIN_AVX512 := -march=x86-64-v4 -mprefer-vector-width=256
SIMD_FLAGS.bench_plain_native += -march=x86-64-v3
SIMD_FLAGS.bench_plain_fast += -march=x86-64-v3
SIMD_FLAGS.bench_plain_native_avx512 := $(PLAIN_O3) $(PLAIN_AVX512)
SIMD_FLAGS.bench_plain_fast_avx512 := $(PLAIN_O3) -ffast-math $(PLAIN_AVX512)
PLAIN_ZEN := -march=x86-64-v4 -mtune=znver3
SIMD_FLAGS.bench_plain_native_zen := $(PLAIN_O3) $(PLAIN_ZEN)
SIMD_FLAGS.bench_plain_fast_zen := $(PLAIN_O3) -ffast-math $(PLAIN_ZEN)
endif

# The headers of other libraries, and the Debian packages that they are in.
LIBRARIES := zstd.h=libzstd-dev zlib.h=zlib1g-dev sqlite3.h=libsqlite3-dev jansson.h=libjansson-dev \
             xxhash.h=libxxhash-dev openssl/sha.h=libssl-dev
header_of = $(firstword $(subst =, ,$1))
package_of = $(lastword $(subst =, ,$1))
lacks = $(shell echo '\#include <$(call header_of,$1)>' | $(CC) $(CFLAGS) -E -x c - >/dev/null 2>&1 || echo $1)
missing = $(foreach l,$(LIBRARIES),$(call lacks,$l))
advice = On Debian: apt-get install $1, or make demo, which installs all that is missing

# Once, before anything is compiled: what is missing, and what installs it.
$(OUT)/libraries:
	$(if $(shell command -v $(firstword $(CC))),,$(error no compiler ($(CC)). $(call advice,gcc libc6-dev)))
	$(eval lacking := $(missing))
	$(if $(lacking),$(error missing: $(foreach l,$(lacking),$(call header_of,$l)). $(call advice,$(foreach l,$(lacking),$(call package_of,$l)))))
	@mkdir -p $(@D) && touch $@

# Per-file flags: what a kernel needs beyond the baseline, chosen at run time.
$(OUT)/obj/%.o: %.c $(OUT)/flags | $(OUT)/libraries
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(SIMD_FLAGS.$(basename $(notdir $<))) -MMD -MP -c $< -o $@

define folder_rules
$(call archive_of,$1): $(call objects_of,$1)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)ar rcs $$@ $$^
endef
$(foreach f,$(FOLDERS),$(eval $(call folder_rules,$f)))

$(PROGRAM): $(OUT)/obj/pipeline/cli/main.o $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--start-group $(ARCHIVES) -Wl,--end-group $(LIBS)

# libplynnue, for engines: objects of its own, which may lie anywhere in memory and show nothing but
# the functions of plynnue.h. The archive holds one object, whose other names are taken away.
SO_MAJOR := 0
SO_NAME := libplynnue.so.$(SO_MAJOR)
LIBRARY_SOURCES := $(wildcard nnue/core/*.c) formats/chess/attacks.c
PIC_OBJECTS := $(LIBRARY_SOURCES:%.c=$(OUT)/pic/%.o)
LIBRARY_A := $(OUT)/lib/libplynnue.a
LIBRARY_SO := $(OUT)/lib/libplynnue.so.$(VERSION)

lib: $(LIBRARY_A) $(LIBRARY_SO)

$(OUT)/pic/%.o: %.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(SIMD_FLAGS.$(basename $(notdir $<))) -fPIC -fvisibility=hidden \
	    -MMD -MP -c $< -o $@

$(LIBRARY_A): $(PIC_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(LD) -r -o $(OUT)/pic/plynnue.o $^
	$(Q)$(OBJCOPY) -w --keep-global-symbol='plynnue_*' $(OUT)/pic/plynnue.o
	$(Q)ar rcs $@ $(OUT)/pic/plynnue.o

$(LIBRARY_SO): $(PIC_OBJECTS) nnue/core/plynnue.map
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SO_NAME) \
	    -Wl,--version-script=nnue/core/plynnue.map -o $@ $(filter %.o,$^)

define test_rules
$(OUT)/tests/$1/%: $(OUT)/obj/tests/unit/$1/%.o $(foreach f,$(TEST_LINKS.$1),$(call archive_of,$f))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $$@ $$< -Wl,--start-group \
	    $(foreach f,$(TEST_LINKS.$1),$(call archive_of,$f)) -Wl,--end-group -lcmocka $(LIBS)
endef
$(foreach g,$(TEST_GROUPS) nets,$(eval $(call test_rules,$g)))

# Fuzz targets: under libFuzzer, and over their corpus as tests.
FUZZ_ARCHIVES := $(foreach f,nnue/core $(TEST_LINKS.formats),$(call archive_of,$f))

$(OUT)/fuzz/%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(FUZZ_ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_ARCHIVES) $(LIBS)

$(OUT)/tests/fuzz/%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(OUT)/obj/tests/fuzz/replay.o $(FUZZ_ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(FUZZ_ARCHIVES) $(LIBS)

$(OUT)/tests/%: $(OUT)/obj/tests/tools/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--start-group $(ARCHIVES) -Wl,--end-group $(LIBS)

unit-tests: $(UNIT_TESTS)

# What a bare Debian 12 needs beyond git and make.
BUILD_PACKAGES := gcc libc6-dev $(foreach l,$(LIBRARIES),$(call package_of,$l))
DEMO_PACKAGES := $(BUILD_PACKAGES) stockfish
TEST_PACKAGES := $(DEMO_PACKAGES) g++ libcmocka-dev pkg-config zstd procps diffutils python3-numpy
FUZZ_PACKAGES := $(BUILD_PACKAGES) clang libclang-rt-14-dev
LINT_PACKAGES := clang-format clang-tidy

demo:
	@.ci/packages $(DEMO_PACKAGES)
	@$(MAKE) --no-print-directory all
	@PLYMILL=$(PROGRAM) sh configs/demo.sh $(BUILD)/demo

CLI_TESTS := tests/includes.sh $(filter-out tests/cli/lib.sh,$(wildcard tests/cli/*.sh))
RUN_TESTS = PLYMILL=$(PROGRAM) FAKE_ENGINE=$(OUT)/tests/fake_engine OUT=$(OUT) sh tests/run.sh

test:
	@.ci/packages $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory run-tests

.PHONY: run-tests
run-tests: all lib unit-tests $(TOOLS) $(FUZZ_REPLAYS)
	@$(RUN_TESTS) $(OUT)/log $(UNIT_TESTS) $(FUZZ_REPLAYS) $(CLI_TESTS)

# FUZZ_SECONDS a target; what it finds is left in $(BUILD)/fuzz/found/.
fuzz:
	@.ci/packages $(FUZZ_PACKAGES)
	@$(MAKE) --no-print-directory MODE=fuzz run-fuzz

run-fuzz: $(addprefix $(OUT)/fuzz/,$(FUZZ_NAMES))
	@for name in $(FUZZ_NAMES); do \
	    mkdir -p $(OUT)/found/$$name && echo "fuzz $$name" && \
	    $(OUT)/fuzz/$$name -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 \
	        -rss_limit_mb=6000 -malloc_limit_mb=5000 -artifact_prefix=$(OUT)/found/$$name- \
	        -print_final_stats=1 $(OUT)/found/$$name tests/fuzz/corpus/$$name || exit 1; \
	done

# Long: real engines, all of the shared games.
test-engines:
	@.ci/packages $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory run-engine-tests

.PHONY: run-engine-tests
run-engine-tests: all unit-tests $(TOOLS)
	@TEST_TIMEOUT=5000 PLYMILL_LONG_TESTS=1 $(RUN_TESTS) $(OUT)/log \
	    $(OUT)/tests/chess/test_perft_suite $(wildcard tests/engines/*.sh)

# Crashes at every counted moment and at random ones, every kind of damage: tens of minutes.
.PHONY: test-torture run-torture
test-torture:
	@.ci/packages $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory run-torture

run-torture: all $(TOOLS)
	@TMPDIR=$$(sh tests/memory_folder.sh) TEST_TIMEOUT=7200 FAULTS_ALL=1 VERIFY_FLIPS=200 \
	    $(RUN_TESTS) $(OUT)/log tests/cli/faults.sh tests/cli/verify.sh $(wildcard tests/torture/*.sh) \
	    tests/engines/kill_random.sh

# A real Slurm of two nodes on this machine; as root.
SLURM_PACKAGES := slurmctld slurmd slurm-client munge
.PHONY: test-slurm run-slurm
test-slurm:
	@.ci/packages $(TEST_PACKAGES) $(SLURM_PACKAGES)
	@$(MAKE) --no-print-directory run-slurm

run-slurm: all $(TOOLS)
	@TEST_TIMEOUT=7200 $(RUN_TESTS) $(OUT)/log tests/slurm/slurm.sh

# The report in Debian's chromium, and its screenshots: $(OUT)/report/.
.PHONY: test-report run-report
test-report:
	@.ci/packages $(TEST_PACKAGES) chromium fonts-dejavu-core
	@$(MAKE) --no-print-directory run-report

run-report: all $(TOOLS)
	@$(RUN_TESTS) $(OUT)/log tests/report.sh

# Real nets: tens of megabytes, out of ../shared and of packages.
test-nets:
	@.ci/packages $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory run-net-tests

.PHONY: run-net-tests
run-net-tests: $(NET_TESTS)
	@sh tests/nets.sh $(BUILD)/nets
	@TEST_TIMEOUT=2000 PLYMILL_NETS=$(BUILD)/nets $(RUN_TESTS) $(OUT)/log $(NET_TESTS)

# The nnue tests for 64-bit ARM under emulation: what they link, less archives and engines. cmocka
# and SHA-256 come from tests/neon, since no library for that processor is installed.
NEON_CC ?= aarch64-linux-gnu-gcc
NEON_RUN ?= qemu-aarch64
NEON_RUN_OLD ?= $(NEON_RUN) -cpu cortex-a53
NEON_PACKAGES := make gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user procps
NEON_OUT := $(BUILD)/neon
NEON_FLAGS = -std=c11 -D_GNU_SOURCE -I. -Itests/neon $(WARNINGS) -O2 -g -ffp-contract=off \
             -fno-math-errno -ffunction-sections -fdata-sections -pthread
NEON_SOURCES := $(wildcard $(addsuffix /*.c,nnue/core nnue/tools formats formats/chess tests/neon)) \
                $(shell grep -L '\#include <\(zstd\|zlib\|openssl\|xxhash\)' formats/io/*.c)
NEON_OBJECTS := $(NEON_SOURCES:%.c=$(NEON_OUT)/obj/%.o)
NEON_TESTS := $(addprefix $(NEON_OUT)/tests/nnue/test_,acc check dense features incremental \
              kernels kinds leb128 quantize safetensors sf_features sf_files sf_nets tiny_order \
              vectors vectors_nets)

test-neon:
	@.ci/packages $(NEON_PACKAGES)
	@$(MAKE) --no-print-directory run-neon-tests

.PHONY: run-neon-tests
run-neon-tests: $(NEON_TESTS)
	@echo 'on a processor with dot products'
	@TEST_RUNNER='$(NEON_RUN)' sh tests/run.sh $(NEON_OUT)/log $(NEON_TESTS)
	@echo 'on one without'
	@TEST_RUNNER='$(NEON_RUN_OLD)' sh tests/run.sh $(NEON_OUT)/log \
	    $(filter %/test_acc %/test_check %/test_kernels %/test_sf_nets %/test_tiny_order \
             %/test_vectors %/test_vectors_nets,$(NEON_TESTS))

# Kept, as the other objects are.
.SECONDARY: $(NEON_OBJECTS) $(NEON_TESTS:$(NEON_OUT)/tests/%=$(NEON_OUT)/obj/tests/unit/%.o)

$(NEON_OUT)/obj/nnue/core/kernels_neon_dot.o: NEON_FLAGS += $(ARM_DOT)

$(NEON_OUT)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(NEON_CC) $(NEON_FLAGS) -MMD -MP -c $< -o $@

$(NEON_OUT)/tests/%: $(NEON_OUT)/obj/tests/unit/%.o $(NEON_OBJECTS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(NEON_CC) $(NEON_FLAGS) -static -Wl,--gc-sections -o $@ $^ -lm

# Builds of more and more games, for docs/SCALE.md: SCALE_GAMES="100000 1000000".
.PHONY: bench-scale
bench-scale: all $(OUT)/tests/makegames
	@PLYMILL=$(PROGRAM) OUT=$(OUT) sh tests/scale.sh $(SCALE_GAMES)

bench: all
	@PLYMILL=$(PROGRAM) sh tests/bench.sh

SOURCES := $(wildcard $(addsuffix /*.c,$(FOLDERS)) tests/tools/*.c tests/unit/*/*.c tests/fuzz/*.c tests/neon/*.c)
HEADERS := $(wildcard $(addsuffix /*.h,$(FOLDERS)) tests/unit/*.h tests/unit/*/*.h \
             tests/fuzz/*.h tests/neon/*.h)

lint:
	@.ci/packages $(LINT_PACKAGES)
	clang-format --dry-run -Werror $(SOURCES) $(HEADERS)
	clang-tidy --quiet $(wildcard $(addsuffix /*.c,$(FOLDERS))) -- -std=c11 -D_GNU_SOURCE \
	    -DPLYMILL_VERSION='"$(VERSION)"' -I. $(WARNINGS)

# Man pages are written from the command table: `make man` after a change of a command.
.PHONY: man
man: $(OUT)/tests/manpages
	$(OUT)/tests/manpages docs/man

# The same for the completion of bash.
.PHONY: completion
completion: $(OUT)/tests/completion
	@mkdir -p docs/completion
	$(OUT)/tests/completion > docs/completion/plymill

# Quoted: a prefix may hold blanks, which pkg-config wants with a backslash.
blank := $() $()
to := $(DESTDIR)$(prefix)
MAN_PAGES := $(wildcard docs/man/*.1)
COMPLETIONS := share/bash-completion/completions
# Of configs/: installed they say where things are then.
NAME_PLACES := demo.toml newest-month.service newest-month.timer
# The loader finds these folders by its cache alone.
update_loader = $(if $(DESTDIR),,$(if $(filter /usr /usr/local,$(prefix)),-ldconfig))

# Folders, each behind the one that it is in ("." is the prefix). Those that were not there before are
# noted, for uninstall to take away.
INSTALL_FOLDERS := . bin include lib lib/pkgconfig share share/bash-completion $(COMPLETIONS) share/man \
                   share/man/man1 share/plymill
install: all lib
	made=$$(for folder in $(INSTALL_FOLDERS); do [ -d "$(to)/$$folder" ] || echo "$$folder"; done); \
	for folder in $(INSTALL_FOLDERS); do install -d "$(to)/$$folder" || exit 1; done; \
	echo "$$made" >>"$(to)/share/plymill/folders"
	install -m 755 $(PROGRAM) "$(to)/bin/plymill"
	install -m 644 $(MAN_PAGES) "$(to)/share/man/man1"
	install -m 644 $(wildcard configs/*.toml) configs/demo.pgn.zst \
	    configs/newest-month.service configs/newest-month.timer "$(to)/share/plymill"
	install -m 755 configs/newest-month.sh "$(to)/share/plymill"
	for file in $(NAME_PLACES); do sed 's|/usr/local|$(prefix)|; s|"configs/|"$(prefix)/share/plymill/|' \
	    "configs/$$file" >"$(to)/share/plymill/$$file"; done
	install -m 644 docs/completion/plymill "$(to)/$(COMPLETIONS)"
	install -m 644 nnue/core/plynnue.h "$(to)/include"
	install -m 644 $(LIBRARY_A) "$(to)/lib"
	install -m 755 $(LIBRARY_SO) "$(to)/lib"
	ln -sf $(notdir $(LIBRARY_SO)) "$(to)/lib/$(SO_NAME)"
	ln -sf $(SO_NAME) "$(to)/lib/libplynnue.so"
	sed 's|@prefix@|$(subst $(blank),\\ ,$(prefix))|; s|@version@|$(VERSION)|' nnue/core/plynnue.pc.in \
	    >"$(to)/lib/pkgconfig/plynnue.pc"
	$(update_loader)

uninstall:
	rm -f "$(to)/bin/plymill"
	for page in $(notdir $(MAN_PAGES)); do rm -f "$(to)/share/man/man1/$$page"; done
	rm -f "$(to)/$(COMPLETIONS)/plymill"
	rm -f "$(to)/include/plynnue.h" "$(to)/lib/pkgconfig/plynnue.pc" "$(to)/lib"/libplynnue.*
	made=$$(sort -ru "$(to)/share/plymill/folders" 2>/dev/null); rm -rf "$(to)/share/plymill"; \
	for folder in $$made; do [ "$$folder" = . ] || rmdir "$(to)/$$folder" 2>/dev/null; done; \
	case " $$(echo $$made) " in *' . '*) rmdir "$(to)" 2>/dev/null;; esac; true
	$(update_loader)

clean:
	rm -rf $(BUILD)

# A tarball of what is committed; test-dist unpacks it elsewhere, builds it there and runs its tests.
DIST := plymill-$(VERSION)
.PHONY: dist test-dist deb test-deb
dist:
	@mkdir -p $(BUILD)
	git archive --prefix=$(DIST)/ HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz
	@echo $(BUILD)/$(DIST).tar.gz

test-dist: dist
	rm -rf $(BUILD)/dist && mkdir $(BUILD)/dist
	tar -xzf $(BUILD)/$(DIST).tar.gz -C $(BUILD)/dist
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES $(MAKE) -C $(BUILD)/dist/$(DIST) BUILD=build test

# Debian packages: plymill and libplynnue-dev; test-deb installs them in a clean Debian 12, as root.
deb:
	@.ci/packages $(BUILD_PACKAGES) dpkg-dev binutils
	rm -rf $(BUILD)/deb
	$(MAKE) --no-print-directory install MODE=release DESTDIR=$(BUILD)/deb/tree prefix=/usr
	packaging/deb.sh $(VERSION) $(BUILD)/deb/tree $(BUILD)/deb
	rm -r $(BUILD)/deb/tree

test-deb: deb
	@.ci/packages mmdebstrap lintian
	packaging/test-deb.sh $(BUILD)/deb

-include $(shell find $(OUT)/obj $(OUT)/pic $(NEON_OUT)/obj -name '*.d' 2>/dev/null)
