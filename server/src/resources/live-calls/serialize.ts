import type { LiveCall, LiveCallQuery } from '@patchbay/contract/live-calls'
import type { CallMembers, StoredCall } from '../../adapters/live-calls/live-calls.ts'

/** API representation of live calls (docs/reference/platform-api/live-calls.md#read-calls). */

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

const numbers = new Set(['duration', 'sip_status'])

/** Values that should be numbers but are not are omitted. */
const toMembers = (members: CallMembers): [string, string | number][] =>
  Object.entries(members).flatMap(([name, text]): [string, string | number][] => {
    const snake = snakeCase(name)
    if (!numbers.has(snake)) return [[snake, text]]
    const number = Number.parseInt(text, 10)
    return Number.isNaN(number) ? [] : [[snake, number]]
  })

export const toLiveCall = (account_sid: string, { call_sid, members, startedAt }: StoredCall): LiveCall => ({
  ...Object.fromEntries(toMembers(members)),
  account_sid,
  call_sid,
  ...(startedAt === undefined ? {} : { started_at: new Date(startedAt).toISOString() }),
})

export const matchesQuery =
  ({ direction, from, to, callStatus }: LiveCallQuery) =>
  ({ members }: StoredCall): boolean =>
    Object.entries({ direction, from, to, callStatus }).every(
      ([name, expected]) => expected === undefined || members[name] === expected,
    )
