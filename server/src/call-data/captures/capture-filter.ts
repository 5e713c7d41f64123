import type { Capture } from '@patchbay/contract/call-captures'
import type { CaptureFilter, Captures } from './captures.ts'

/** Returns whether a filter includes a message with this method and time, in microseconds since the Unix epoch. */
export const isIncluded = ({ kinds, includes }: CaptureFilter, method: string, atMicroseconds: number): boolean => {
  const kind = method === 'REGISTER' ? 'register' : 'invite'
  return kinds.includes(kind) && includes(kind, atMicroseconds)
}

/**
 * Returns the time of a message in microseconds since the Unix epoch, or NaN if the message contains no time. Homer's
 * `micro_ts` can contain milliseconds.
 */
export const getTimeMicroseconds = ({
  micro_ts,
  create_date,
}: {
  micro_ts?: unknown
  create_date?: unknown
}): number => {
  const time = typeof micro_ts === 'number' ? micro_ts : typeof create_date === 'number' ? create_date : Number.NaN
  return time > 1e14 ? time : time * 1000
}

/** For responses, `method` is the status code, so the CSeq header of the raw message decides. */
const isRegister = ({ raw, method }: { raw?: unknown; method?: unknown }): boolean =>
  typeof raw === 'string' ? /^CSeq[ \t]*:[ \t]*\d+[ \t]+REGISTER\b/im.test(raw.slice(0, 32_768)) : method === 'REGISTER'

/** Returns the part of a capture that a filter includes. Messages without a time are not included. */
export const filterCapture = (capture: Capture, filter: CaptureFilter): Capture => {
  const messages = capture.data.messages.filter((message) =>
    isIncluded(filter, isRegister(message) ? 'REGISTER' : 'INVITE', getTimeMicroseconds(message)),
  )
  if (messages.length === capture.data.messages.length) return capture
  const hosts = new Set(
    messages.flatMap(({ srcIp, srcPort, dstIp, dstPort }) => [`${srcIp}:${srcPort}`, `${dstIp}:${dstPort}`]),
  )
  const ids = new Set(messages.map(({ id }) => id))
  const pickHosts = <T>(members: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(members).filter(([host]) => hosts.has(host)))
  return {
    ...capture,
    total: messages.length,
    data: {
      messages,
      calldata: capture.data.calldata.filter(({ id }) => ids.has(id)),
      hosts: pickHosts(capture.data.hosts),
      alias: pickHosts(capture.data.alias),
    },
  }
}

/** Reads the messages of a Call-ID that a filter includes, from a store that applies filters or not. */
export const readFiltered = async (captures: Captures, sip_callid: string, filter: CaptureFilter): Promise<Capture> => {
  const capture = await captures.read(sip_callid, filter)
  return captures.filters ? capture : filterCapture(capture, filter)
}
