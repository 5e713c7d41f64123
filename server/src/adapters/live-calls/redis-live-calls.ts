import type { Queue } from '@patchbay/contract/live-calls'
import type { ChainableCommander, Redis } from 'ioredis'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { RedisConnection } from '../redis.ts'
import { chunk } from '../../lib/chunk.ts'
import { type ScanBounds, scanBounds, scanThrough } from '../redis-scan.ts'
import type { CallMembers, KeptCall, LiveCalls } from './live-calls.ts'
import { isNamed } from './glob-match.ts'

/** Calls as the platform's feature servers and SBCs keep them (api/4-calls-and-hosted.md §3.2 to §3.5). */

/** The hashes of all calls, scored by when they began, in epoch ms. */
export const activeCalls = 'active-call-sids'

const prefixOf = (account_sid: string): string => `call:${account_sid}:`

/** Records read in one go. */
const readBatchSize = 200

/** What stands under a key of another type is none of what is looked for. */
const isOfAnotherType = (error: Error): boolean => error.message.startsWith('WRONGTYPE')

/** The replies to the same command for each key, a few keys at a time; undefined where a key holds something else. */
export const repliesFor = async <Reply>(
  redis: Redis,
  keys: readonly string[],
  ask: (pipeline: ChainableCommander, key: string) => unknown,
): Promise<(Reply | undefined)[]> => {
  const replies: (Reply | undefined)[] = []
  for (const some of chunk(keys, readBatchSize)) {
    const pipeline = redis.pipeline()
    for (const key of some) ask(pipeline, key)
    for (const [error, reply] of (await pipeline.exec()) ?? []) {
      if (error && !isOfAnotherType(error)) throw error
      replies.push(error ? undefined : (reply as Reply))
    }
  }
  return replies
}

/** Members and scores, which Redis gives in turn. */
export const scoresIn = (found: readonly string[]): [string, number][] =>
  chunk(found, 2).map(([member = '', score = '']) => [member, Number(score)])

/** The last moment that a Date can hold. */
const lastMoment = 8.64e15

const keptCall = (key: string, members: CallMembers | undefined, score: number | undefined): KeptCall | undefined =>
  members === undefined || Object.keys(members).length === 0
    ? undefined
    : {
        call_sid: key.slice(key.lastIndexOf(':') + 1),
        members,
        startedAt: score !== undefined && score > 0 && score <= lastMoment ? score : undefined,
      }

const nameIn = (key: string): string => key.slice(key.lastIndexOf(':') + 1)

/** `cluster`: whose feature servers are asked */
export const createRedisLiveCalls = (
  { run }: RedisConnection,
  cluster: string,
  bounds: ScanBounds = scanBounds,
): LiveCalls => {
  // A list goes through what all have, whoever asks: few at a time, and few of one account.
  const queue = createFairQueue({ concurrency: 2, max: 16 })

  const keysLike = async (redis: Redis, pattern: string): Promise<string[]> => {
    const keys = new Set<string>()
    await scanThrough(
      bounds,
      (cursor) => redis.scan(cursor, 'MATCH', pattern, 'COUNT', bounds.batch),
      (found) => {
        for (const key of found) keys.add(key)
      },
    )
    return [...keys].sort()
  }

  const inTurn = <T>(account_sid: string, work: (redis: Redis) => Promise<T>): Promise<T> =>
    queue.run(account_sid, (runStep) => runStep(() => run(work)))

  return {
    list: (account_sid) =>
      inTurn(account_sid, async (redis) => {
        const prefix = prefixOf(account_sid)
        const began = new Map<string, number>()
        await scanThrough(
          bounds,
          (cursor) => redis.zscan(activeCalls, cursor, 'MATCH', `${prefix}*`, 'COUNT', bounds.batch),
          (found) => {
            for (const [key, score] of scoresIn(found)) began.set(key, score)
          },
        )
        const keys = [...began.keys()].sort((one, other) => (began.get(other) ?? 0) - (began.get(one) ?? 0))
        const read = await repliesFor<CallMembers>(redis, keys, (pipeline, key) => pipeline.hgetall(key))
        // The set still names calls whose records have run out.
        return keys.flatMap((key, index) => keptCall(key, read[index], began.get(key)) ?? [])
      }),

    find: (account_sid, call_sid) =>
      run(async (redis) => {
        const key = `${prefixOf(account_sid)}${call_sid}`
        const [members] = await repliesFor<CallMembers>(redis, [key], (pipeline, one) => pipeline.hgetall(one))
        const score = await redis.zscore(activeCalls, key)
        return keptCall(key, members, score === null ? undefined : Number(score))
      }),

    forget: (account_sid, call_sid) =>
      run(async (redis) => {
        const key = `${prefixOf(account_sid)}${call_sid}`
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

    queues: (account_sid, matching = '*') =>
      inTurn(account_sid, async (redis): Promise<Queue[]> => {
        const prefix = `queue:${account_sid}:`
        const keys = (await keysLike(redis, `${prefix}*`)).filter((key) => isNamed(matching, key.slice(prefix.length)))
        const lengths = await repliesFor<number>(redis, keys, (pipeline, key) => pipeline.zcard(key))
        return keys.flatMap((key, index) => {
          const { [index]: length } = lengths
          return length === undefined ? [] : [{ name: nameIn(key), length }]
        })
      }),

    conferences: (account_sid) =>
      inTurn(account_sid, async (redis) => (await keysLike(redis, `conf:${account_sid}:*`)).map(nameIn)),

    featureServers: () => run(async (redis) => (await redis.smembers(`${cluster}:fs-service-url`)).sort()),
  }
}
