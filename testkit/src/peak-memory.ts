import { readFileSync } from 'node:fs'

/** Returns the peak resident memory of a process in megabytes (proc_pid_status(5)). */
export const peakMemory = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
