/* SPDX-License-Identifier: MIT */
/*
 * Processor time that this process and its children (the engines) have used.
 */
#ifndef PLYMILL_PIPELINE_REPORT_CPU_TIME_H
#define PLYMILL_PIPELINE_REPORT_CPU_TIME_H

/*
 * Seconds since the start, user and system: own threads, children that have ended and, where the
 * system lists them (Linux, /proc), those that run.
 */
double cpu_time(void);

#endif
