import type { Queue } from '@patchbay/contract/live-calls'
import type { Redis } from 'ioredis'
import { chunk } from '../../lib/chunk.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { RedisConnection } from '../redis.ts'
import { type ScanBounds, scanBounds, scanThrough } from '../redis-scan.ts'
import { matchesGlob } from './glob-match.ts'
import { createInProgressCounter } from './in-progress-counter.ts'
import type { CallMembers, LiveCalls, StoredCall } from './live-calls.ts'
import { activeCalls, getAccount, parseScores, runForEachKey } from './redis-call-keys.ts'

/**
 * Calls as the feature servers and SBCs of jambonz store them
 * (docs/reference/platform-api/live-calls.md#call-records-in-redis,
 * docs/reference/platform-api/live-calls.md#call-counts).
 */

const createCallKeyPrefix = (account_sid: string): string => `call:${account_sid}:`

/** Latest time that a Date can represent. */
const maxDateMs = 8.64e15

const toLiveCall = (
  key: string,
  members: CallMembers | undefined,
  score: number | undefined,
): StoredCall | undefined =>
  members === undefined || Object.keys(members).length === 0
    ? undefined
    : {
        call_sid: key.slice(key.lastIndexOf(':') + 1),
        members,
        startedAt: score !== undefined && score > 0 && score <= maxDateMs ? score : undefined,
      }

const getLastKeyPart = (key: string): string => key.slice(key.lastIndexOf(':') + 1)

/** @param cluster jambonz cluster name, the prefix of the set that lists the feature servers */
export const createRedisLiveCalls = (
  connection: RedisConnection,
  cluster: string,
  bounds: ScanBounds = scanBounds,
): LiveCalls => {
  const { run } = connection
  // A list scans the data of all accounts, so few scans run at the same time and few wait per account.
  const queue = createFairQueue({ name: 'live_calls', concurrency: 2, max: 16 })

  const scanKeys = async (redis: Redis, pattern: string): Promise<string[]> => {
    const keys = new Set<string>()
    await scanThrough(
      bounds,
      (cursor) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', bounds.batch),
      (batch) => {
        for (const key of batch) keys.add(key)
      },
    )
    return [...keys].sort()
  }

  const runQueued = <T>(account_sid: string, work: (redis: Redis) => Promise<T>): Promise<T> =>
    queue.run(account_sid, (runStep) => runStep(() => run(work)))

  /** Reads the start times of the calls whose keys match a pattern, newest first. */
  const scanCalls = async (redis: Redis, pattern: string): Promise<[key: string, score: number][]> => {
    const startTimes = new Map<string, number>()
    await scanThrough(
      bounds,
      (cursor) => redis.zscan(activeCalls, cursor, 'MATCH', pattern, 'COUNT', bounds.batch),
      (batch) => {
        for (const [key, score] of parseScores(batch)) startTimes.set(key, score)
      },
    )
    return [...startTimes].sort(([one, at], [other, otherAt]) => otherAt - at || (one < other ? -1 : 1))
  }

  /** Reads the records of calls. The set still contains calls whose records have expired. */
  const readCalls = async (redis: Redis, started: readonly (readonly [key: string, score: number])[]) => {
    const keys = started.map(([key]) => key)
    const records = await runForEachKey<CallMembers>(redis, keys, (pipeline, key) => pipeline.hgetall(key))
    return started.flatMap(([key, score], index) => {
      const call = toLiveCall(key, records[index], score)
      return call ? [{ ...call, account_sid: getAccount(key) }] : []
    })
  }

  return {
    list: (account_sid) =>
      runQueued(account_sid, async (redis) =>
        readCalls(redis, await scanCalls(redis, `${createCallKeyPrefix(account_sid)}*`)),
      ),

    listOfAccounts: (owner, account_sids, max) =>
      runQueued(owner, async (redis) => {
        const owned = (await scanCalls(redis, `${createCallKeyPrefix('*')}*`)).filter(([key]) =>
          account_sids.has(getAccount(key)),
        )
        // Records can have expired, so only what is read says how many calls there are.
        const calls: Awaited<ReturnType<typeof readCalls>> = []
        for (const part of chunk(owned, max)) {
          if (calls.length > max) break
          calls.push(...(await readCalls(redis, part)))
        }
        return { calls: calls.slice(0, max), isCut: calls.length > max }
      }),

    find: (account_sid, call_sid) =>
      run(async (redis) => {
        const key = `${createCallKeyPrefix(account_sid)}${call_sid}`
        const [members] = await runForEachKey<CallMembers>(redis, [key], (pipeline, one) => pipeline.hgetall(one))
        const score = await redis.zscore(activeCalls, key)
        return toLiveCall(key, members, score === null ? undefined : Number(score))
      }),

    remove: (account_sid, call_sid) =>
      run(async (redis) => {
        const key = `${createCallKeyPrefix(account_sid)}${call_sid}`
        const removed = await redis.del(key)
        await redis.zrem(activeCalls, key)
        return removed > 0
      }),

    count: (account_sid) =>
      run(async (redis) => {
        const [inbound, outbound] = await redis.mget(
          `incalls:account:${account_sid}`,
          `outcalls:account:${account_sid}`,
        )
        const number = (text: string | null | undefined) => Math.trunc(Number(text)) || 0
        return { inbound: number(inbound), outbound: number(outbound) }
      }),

    countInProgress: createInProgressCounter(connection, bounds),

    queues: (account_sid, pattern = '*') =>
      runQueued(account_sid, async (redis): Promise<Queue[]> => {
        const prefix = `queue:${account_sid}:`
        const keys = (await scanKeys(redis, `${prefix}*`)).filter((key) =>
          matchesGlob(pattern, key.slice(prefix.length)),
        )
        const lengths = await runForEachKey<number>(redis, keys, (pipeline, key) => pipeline.zcard(key))
        return keys.flatMap((key, index) => {
          const { [index]: length } = lengths
          return length === undefined ? [] : [{ name: getLastKeyPart(key), length }]
        })
      }),

    conferences: (account_sid) =>
      runQueued(account_sid, async (redis) => (await scanKeys(redis, `conf:${account_sid}:*`)).map(getLastKeyPart)),

    featureServers: () => run(async (redis) => (await redis.smembers(`${cluster}:fs-service-url`)).sort()),
  }
}
