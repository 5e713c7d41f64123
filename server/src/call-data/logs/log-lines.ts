import { addToGroup } from '@patchbay/rules/lib/groups'
import type { LogLine } from './logs.ts'

/** Functions that all stores of log lines share. */

/** Returns the account that a line names, or undefined. */
export const findAccountOfLine = (text: string): string | undefined =>
  /"account_?[sS]id":"([\da-f-]{36})"/.exec(text)?.[1]

/** Returns the lines of each call, by the id that they name. */
export const groupByCall = (lines: readonly LogLine[]): Map<string, string[]> => {
  const calls = new Map<string, string[]>()
  for (const { call_id, text } of lines) addToGroup(calls, call_id, text)
  return calls
}

const parseTime = (line: string): number | undefined => {
  const [, digits] = /"time":\s*(\d{13})\b/.exec(line) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Returns the positions of lines in the order of their times. A line without a time follows the preceding line. */
export const orderByTime = (lines: readonly string[]): number[] => {
  let last = 0
  const timed = lines.map((text, position) => {
    last = parseTime(text) ?? last
    return { position, time: last }
  })
  return timed.toSorted((a, b) => a.time - b.time).map(({ position }) => position)
}

/** Sorts lines by time. */
export const sortByTime = (lines: readonly string[]): string[] => orderByTime(lines).map((at) => lines[at] ?? '')

/** Creates the last line of a truncated log, in the format of jambonz log lines. */
const createTruncationLine = (lines: readonly string[]): string =>
  JSON.stringify({
    level: 40,
    time: parseTime(lines.at(-1) ?? '') ?? 0,
    msg: `Patchbay shows the first ${lines.length} lines of this call. The call has more lines.`,
  })

/** Sorts the first lines of a call that has more, and adds a line that says so. */
export const toTruncatedLog = (lines: readonly string[]): string[] => {
  const sorted = sortByTime(lines)
  return [...sorted, createTruncationLine(sorted)]
}
