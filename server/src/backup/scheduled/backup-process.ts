import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { z } from 'zod'
import { getErrorCode } from '../../lib/error-code.ts'
import { BackupError } from '../backup-error.ts'

/**
 * Writes and verifies backups in a process of their own: the command `patchbay backup` with the environment of the
 * server. So requests do not wait while rows are encoded, and the memory is free again afterwards.
 */

/** Lower than the priority of the server (man 2 setpriority). */
const priority = 10

/** The output is one line. */
const maxOutputBytes = 2 ** 20

const maxReasonLength = 1000

const backupResult = z.object({ bytes: z.number() })

const collect = (stream: NodeJS.ReadableStream | null): (() => string) => {
  const chunks: Buffer[] = []
  let bytes = 0
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxOutputBytes) chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

/** Lowers the priority of a process, unless it has ended or the system does not allow it. */
const lowerPriority = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) setPriority(pid, priority)
  } catch (error) {
    if (!['ESRCH', 'EACCES', 'EPERM', 'ERR_SYSTEM_ERROR'].includes(getErrorCode(error))) throw error
  }
}

const runCommand = async (program: string, args: readonly string[], signal: AbortSignal): Promise<string> => {
  signal.throwIfAborted()
  // If this process ends, the channel closes, which ends the child.
  const child = fork(program, [...args], {
    // A warning of Node would hide the reason of a failure.
    execArgv: [...process.execArgv, '--no-warnings'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  })
  const getOutput = collect(child.stdout)
  const getErrors = collect(child.stderr)
  lowerPriority(child.pid)
  const closed = once(child, 'close')
  const [code, killedBy] = (await closed.catch(async (error: unknown) => {
    // An aborted child can still write until it has ended.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    throw error
  })) as [number | null, string | null]
  if (code === 0) return getOutput()
  // An unexpected error has a stack trace after its message.
  const [reason = ''] = getErrors().trimStart().slice(0, maxReasonLength).split('\n')
  throw new BackupError(reason || `The process that wrote the backup ended with ${killedBy ?? `code ${code}`}.`)
}

/** Writes a new backup to a path or URL, verifies it, and returns its size in bytes. */
export type WriteBackup = (target: string, signal: AbortSignal) => Promise<number>

/**
 * Creates a function that writes a backup, reads it again to verify it, and returns its size in bytes.
 * @param program path of the server's main module
 */
export const createBackupProcess =
  (program: string): WriteBackup =>
  async (target, signal) => {
    const written = await runCommand(program, ['backup', target, '--json'], signal)
    await runCommand(program, ['backup', '--verify', target, '--json'], signal)
    return backupResult.parse(JSON.parse(written)).bytes
  }
