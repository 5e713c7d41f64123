import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissingFile } from '../../lib/error-code.ts'
import type { Quotas } from './quotas.ts'

/**
 * Limits the bytes of recordings that an account has in the data folder. The size is measured on disk, so that
 * restarts, uploads, deletions, and other processes on the same folder need no bookkeeping.
 */
export interface RecordingQuota {
  /** Starts counting a recording. Returns undefined if the account has used up its quota. */
  begin(account_sid: string): Promise<RecordingAllowance | undefined>
}

/** Quota check of a recording in progress. */
export interface RecordingAllowance {
  /** Reports the current size of the recording. Returns false if its account has used up its quota. */
  grow(bytes: number): boolean
  /** Must be called when the recording has been stored. */
  end(): Promise<void>
}

/** Validity of a measurement. Recordings made in the meantime are added to it. */
const countMs = 10_000

const maxAccounts = 10_000

const listFolder = async (folder: string): Promise<string[]> => (await readdir(folder).catch(ignoreMissingFile)) ?? []

interface Day {
  mtimeMs: number
  bytes: number
}

const sumFileSizes = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const name of await listFolder(folder))
    bytes += (await stat(join(folder, name)).catch(ignoreMissingFile))?.size ?? 0
  return bytes
}

/**
 * Measures the recordings of an account. Day folders that have not changed since the last measurement are not read
 * again.
 */
const countBytes = async (folder: string, cached: ReadonlyMap<string, Day>): Promise<Map<string, Day>> => {
  const days = new Map<string, Day>()
  for (const year of await listFolder(folder))
    for (const month of await listFolder(join(folder, year)))
      for (const day of await listFolder(join(folder, year, month))) {
        const path = join(folder, year, month, day)
        const mtimeMs = (await stat(path).catch(ignoreMissingFile))?.mtimeMs
        const before = cached.get(path)
        if (mtimeMs === undefined) continue
        days.set(path, before?.mtimeMs === mtimeMs ? before : { mtimeMs, bytes: await sumFileSizes(path) })
      }
  return days
}

interface Usage {
  countedAt: number
  days: Map<string, Day>
  bytes: number
}

/**
 * Creates the quota for recordings that are stored as files.
 * @param limit bytes per account
 * @param now returns milliseconds on a monotonic clock
 */
export const createRecordingQuota = (
  dataDir: string,
  limit: number,
  quotas: Pick<Quotas, 'noteRecordings'>,
  now: () => number = () => performance.now(),
): RecordingQuota => {
  const usages = new Map<string, Usage>()
  /** Bytes of recordings in progress, by account. */
  const growing = new Map<string, number>()

  const getUsage = async (account_sid: string): Promise<Usage> => {
    const cached = usages.get(account_sid)
    if (cached !== undefined && now() - cached.countedAt < countMs) return cached
    const days = await countBytes(join(dataDir, 'recordings', account_sid.toLowerCase()), cached?.days ?? new Map())
    const bytes = [...days.values()].reduce((sum, day) => sum + day.bytes, 0)
    const usage = { countedAt: now(), days, bytes }
    usages.delete(account_sid)
    usages.set(account_sid, usage)
    const [oldest] = usages.keys()
    if (usages.size > maxAccounts && oldest !== undefined) usages.delete(oldest)
    return usage
  }

  const addGrowing = (account_sid: string, bytes: number): void => {
    const sum = (growing.get(account_sid) ?? 0) + bytes
    if (sum > 0) growing.set(account_sid, sum)
    else growing.delete(account_sid)
  }

  const unlimited: RecordingAllowance = { grow: () => true, end: () => Promise.resolve() }

  return {
    async begin(account_sid) {
      if (limit === 0) return unlimited
      const total = (usage: Usage) => usage.bytes + (growing.get(account_sid) ?? 0)
      const usage = await getUsage(account_sid)
      if (total(usage) >= limit) {
        await quotas.noteRecordings(account_sid, total(usage))
        return undefined
      }
      let size = 0
      return {
        grow(bytes) {
          addGrowing(account_sid, bytes - size)
          size = bytes
          return total(usages.get(account_sid) ?? usage) < limit
        },
        async end() {
          addGrowing(account_sid, -size)
          const counted = usages.get(account_sid) ?? usage
          counted.bytes += size
          await quotas.noteRecordings(account_sid, total(counted))
        },
      }
    },
  }
}
