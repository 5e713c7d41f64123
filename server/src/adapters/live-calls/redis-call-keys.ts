import type { ChainableCommander, Redis } from 'ioredis'
import { chunk } from '../../lib/chunk.ts'

/** Sorted set of the keys of all calls, scored by start time in epoch milliseconds. */
export const activeCalls = 'active-call-sids'

/** Returns the account of a key such as `call:{account_sid}:{call_sid}`. */
export const getAccount = (key: string): string => key.split(':')[1] ?? ''

/** Number of records read per pipeline. */
const readBatchSize = 200

/** A key with a value of another type cannot be a record of the requested kind. */
const isWrongTypeError = (error: Error): boolean => error.message.startsWith('WRONGTYPE')

/** Runs the same command for each key, in batches. The reply is undefined if a key holds a value of another type. */
export const runForEachKey = async <Reply>(
  redis: Redis,
  keys: readonly string[],
  addCommand: (pipeline: ChainableCommander, key: string) => unknown,
): Promise<(Reply | undefined)[]> => {
  const replies: (Reply | undefined)[] = []
  for (const batch of chunk(keys, readBatchSize)) {
    const pipeline = redis.pipeline()
    for (const key of batch) addCommand(pipeline, key)
    for (const [error, reply] of (await pipeline.exec()) ?? []) {
      if (error && !isWrongTypeError(error)) throw error
      replies.push(error ? undefined : (reply as Reply))
    }
  }
  return replies
}

/** Converts the alternating members and scores of a ZSCAN reply to pairs. */
export const parseScores = (membersAndScores: readonly string[]): [string, number][] =>
  chunk(membersAndScores, 2).map(([member = '', score = '']) => [member, Number(score)])
