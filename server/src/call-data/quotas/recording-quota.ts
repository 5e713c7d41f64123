import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsent } from '../recordings/ignore-missing-file.ts'
import type { Quotas } from './quotas.ts'

/**
 * Limits the bytes of recordings that an account has in the data folder. What is there is counted on the disk, so that
 * restarts, uploads, deletions and other processes on the same folder need no bookkeeping.
 */
export interface RecordingQuota {
  /** Counts a recording that begins. Returns undefined if the account has used up its quota. */
  begin(account_sid: string): Promise<RecordingAllowance | undefined>
}

/** What a recording in progress may use. */
export interface RecordingAllowance {
  /** Tells how large the recording is now. Returns false if its account has used up its quota. */
  grow(bytes: number): boolean
  /** To be called when the recording is stored. */
  end(): Promise<void>
}

/** How long a count is used before the disk is looked at again, beside what is recorded meanwhile. */
const countMs = 10_000

const maxAccounts = 10_000

const listFolder = async (folder: string): Promise<string[]> => (await readdir(folder).catch(isAbsent)) ?? []

interface Day {
  mtimeMs: number
  bytes: number
}

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const name of await listFolder(folder)) bytes += (await stat(join(folder, name)).catch(isAbsent))?.size ?? 0
  return bytes
}

/** Counts the bytes of an account. Folders of days that have not changed since the last count are not read again. */
const countBytes = async (folder: string, cached: ReadonlyMap<string, Day>): Promise<Map<string, Day>> => {
  const days = new Map<string, Day>()
  for (const year of await listFolder(folder))
    for (const month of await listFolder(join(folder, year)))
      for (const day of await listFolder(join(folder, year, month))) {
        const path = join(folder, year, month, day)
        const mtimeMs = (await stat(path).catch(isAbsent))?.mtimeMs
        const before = cached.get(path)
        if (mtimeMs === undefined) continue
        days.set(path, before?.mtimeMs === mtimeMs ? before : { mtimeMs, bytes: await bytesIn(path) })
      }
  return days
}

interface Usage {
  countedAt: number
  days: Map<string, Day>
  bytes: number
}

export const createRecordingQuota = (
  dataDir: string,
  limit: number,
  quotas: Pick<Quotas, 'noteRecordings'>,
  now: () => number = () => performance.now(),
): RecordingQuota => {
  const usages = new Map<string, Usage>()
  /** bytes of recordings in progress */
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
