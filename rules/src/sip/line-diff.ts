/** Compares two SIP messages line by line. Pure. */

export type LineChange = 'same' | 'changed' | 'left' | 'right'

export interface ComparedLine {
  change: LineChange
  /** Undefined if only the other message has the line. */
  left: string | undefined
  right: string | undefined
}

interface Line {
  /** Identifies the line independently of its value: `via 1`, `body m= 2 a=rtpmap:0 1`. */
  key: string
  text: string
}

/** Returns the name of a header, or the attribute and payload type that an SDP line describes (RFC 8866 §5). */
const getLineName = (line: string, isBody: boolean): string => {
  if (!isBody) return (/^[^:\s]{1,64}(?=[ \t]*:)/.exec(line)?.[0] ?? line).toLowerCase()
  if (!/^[a-z]=/.test(line)) return line
  if (/^a=(?:sendrecv|sendonly|recvonly|inactive)$/.test(line)) return 'a=direction'
  return /^a=(?:rtpmap|fmtp|rtcp-fb|crypto|ssrc|extmap|candidate):\S+|^a=[^:]+/.exec(line)?.[0] ?? line.slice(0, 2)
}

const toLines = (message: string): Line[] => {
  const counts = new Map<string, number>()
  const keys = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return `${name} ${count}`
  }
  let isBody = false
  let stream = ''
  return message.split(/\r?\n/).map((text, position) => {
    if (position === 0) return { key: 'start', text }
    if (!isBody && text === '') {
      isBody = true
      return { key: 'end of the head', text }
    }
    if (isBody && text.startsWith('m=')) {
      stream = keys('m=')
      return { key: stream, text }
    }
    return { key: keys(`${isBody ? `body ${stream} ` : ''}${getLineName(text, isBody)}`), text }
  })
}

/**
 * Returns the lines in the order of the left message. Lines that only the right message has follow their predecessor.
 */
export const diffLines = (left: string, right: string): ComparedLine[] => {
  const [lines, others] = [toLines(left), toLines(right)]
  const leftKeys = new Set(lines.map(({ key }) => key))
  const counterparts = new Map(others.map(({ key, text }) => [key, text]))
  const following = new Map<string, Line[]>()
  let before = ''
  for (const line of others) {
    if (leftKeys.has(line.key)) before = line.key
    else if (following.get(before)?.push(line) === undefined) following.set(before, [line])
  }
  const only = (key: string): ComparedLine[] =>
    (following.get(key) ?? []).map(({ text }) => ({ change: 'right', left: undefined, right: text }))
  const compared = lines.flatMap(({ key, text }): ComparedLine[] => {
    const other = counterparts.get(key)
    const change = other === undefined ? 'left' : other === text ? 'same' : 'changed'
    return [{ change, left: text, right: other }, ...only(key)]
  })
  return [...only(''), ...compared]
}

/** Returns the lengths of the common prefix and the common suffix of two texts, in characters. */
export const changedPart = (text: string, other: string): readonly [before: number, after: number] => {
  const shorterLength = Math.min(text.length, other.length)
  let before = 0
  while (before < shorterLength && text[before] === other[before]) before += 1
  let after = 0
  while (after < shorterLength - before && text.at(-1 - after) === other.at(-1 - after)) after += 1
  return [before, after]
}
