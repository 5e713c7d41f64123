import type { Capture } from '@patchbay/contract/call-captures'
import type { CaptureFilter } from './captures.ts'

/** Whether a filter includes a message of a method, seen at a time in epoch microseconds. */
export const isIncluded = ({ kinds, includes }: CaptureFilter, method: string, atMicroseconds: number): boolean => {
  const kind = method === 'REGISTER' ? 'register' : 'invite'
  return kinds.includes(kind) && includes(kind, atMicroseconds)
}

/** Returns epoch microseconds; what Homer calls `micro_ts` may be milliseconds. Returns NaN if there is no time. */
const momentOf = ({ micro_ts, create_date }: { micro_ts?: unknown; create_date?: unknown }): number => {
  const moment = typeof micro_ts === 'number' ? micro_ts : typeof create_date === 'number' ? create_date : Number.NaN
  return moment > 1e14 ? moment : moment * 1000
}

/** In the answer to a REGISTER, `method` is a status: the message itself says what it belongs to. */
const isRegister = ({ raw, method }: { raw?: unknown; method?: unknown }): boolean =>
  typeof raw === 'string' ? /^CSeq[ \t]*:[ \t]*\d+[ \t]+REGISTER\b/im.test(raw.slice(0, 32_768)) : method === 'REGISTER'

/** Returns the part of a capture that a filter includes. Messages without a time are not included. */
export const filteredCapture = (capture: Capture, filter: CaptureFilter): Capture => {
  const messages = capture.data.messages.filter((message) =>
    isIncluded(filter, isRegister(message) ? 'REGISTER' : 'INVITE', momentOf(message)),
  )
  if (messages.length === capture.data.messages.length) return capture
  const hosts = new Set(
    messages.flatMap(({ srcIp, srcPort, dstIp, dstPort }) => [`${srcIp}:${srcPort}`, `${dstIp}:${dstPort}`]),
  )
  const ids = new Set(messages.map(({ id }) => id))
  const those = <T>(members: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(members).filter(([host]) => hosts.has(host)))
  return {
    ...capture,
    total: messages.length,
    data: {
      messages,
      calldata: capture.data.calldata.filter(({ id }) => ids.has(id)),
      hosts: those(capture.data.hosts),
      alias: those(capture.data.alias),
    },
  }
}
