/** Lines that the platform's programs log during a call, as people read them. Pure. */

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = (typeof levels)[number]

export interface Line {
  /** undefined where the line does not say */
  level: Level | undefined
  /** YYYY-MM-DD HH:mm:ssZ in UTC (console facts A.12); where the line says when */
  time: string | undefined
  message: string
  /** the line as it is shown whole: JSON with its time in words, or as it was written */
  text: string
}

/** pino counts levels by tens from 10; others name them. */
const levelOf = (level: unknown): Level | undefined => {
  if (typeof level === 'number') return levels[Math.min(Math.max(Math.floor(level / 10) - 1, 0), levels.length - 1)]
  return levels.find((name) => name === String(level).toLowerCase())
}

const timeOf = (time: unknown): string | undefined => {
  const date = new Date(typeof time === 'number' || typeof time === 'string' ? time : Number.NaN)
  return Number.isNaN(date.getTime())
    ? undefined
    : date
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z')
}

export const parseLogLine = (line: string): Line => {
  try {
    const parsed: unknown = JSON.parse(line)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('no object')
    const { level, time, msg, message }: Record<string, unknown> = { ...parsed }
    const told = timeOf(time)
    return {
      level: levelOf(level),
      time: told,
      message: [msg, message].find((text) => typeof text === 'string') ?? '',
      text: JSON.stringify(told === undefined ? parsed : { ...parsed, time: told }, null, 2),
    }
  } catch {
    return { level: undefined, time: undefined, message: line, text: line }
  }
}

/** Those at this level and above it that have the text; a line of no level is at every one. */
export const matching = (lines: readonly Line[], minLevel: Level | 'all', filter: string): Line[] => {
  const text = filter.trim().toLowerCase()
  const from = minLevel === 'all' ? 0 : levels.indexOf(minLevel)
  return lines.filter(
    (line) =>
      (line.level === undefined || levels.indexOf(line.level) >= from) &&
      (text === '' || line.text.toLowerCase().includes(text)),
  )
}

/** What is copied and saved: each line whole, with an empty one between (console facts §6.4). */
export const allText = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n\n')
