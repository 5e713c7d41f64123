/** Parses log lines of jambonz processes. */

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = (typeof levels)[number]

export interface Line {
  /** Undefined if the line has no level. */
  level: Level | undefined
  /** YYYY-MM-DD HH:mm:ssZ in UTC. Undefined if the line has no time. */
  time: string | undefined
  message: string
  /** Full text of the line: indented JSON with a formatted time, or the unchanged line if it is not JSON. */
  text: string
}

/** Parses a level. pino counts in tens from 10, and other loggers use names. */
const parseLevel = (level: unknown): Level | undefined => {
  if (typeof level === 'number') return levels[Math.min(Math.max(Math.floor(level / 10) - 1, 0), levels.length - 1)]
  return levels.find((name) => name === String(level).toLowerCase())
}

const formatTime = (time: unknown): string | undefined => {
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
    const formattedTime = formatTime(time)
    return {
      level: parseLevel(level),
      time: formattedTime,
      message: [msg, message].find((text) => typeof text === 'string') ?? '',
      text: JSON.stringify(formattedTime === undefined ? parsed : { ...parsed, time: formattedTime }, null, 2),
    }
  } catch {
    return { level: undefined, time: undefined, message: line, text: line }
  }
}

/** Returns the lines at or above a level that contain the text. Lines without a level are always included. */
export const filterLines = (lines: readonly Line[], minLevel: Level | 'all', filter: string): Line[] => {
  const text = filter.trim().toLowerCase()
  const from = minLevel === 'all' ? 0 : levels.indexOf(minLevel)
  return lines.filter(
    (line) =>
      (line.level === undefined || levels.indexOf(line.level) >= from) &&
      (text === '' || line.text.toLowerCase().includes(text)),
  )
}

/** Returns the text to copy or to download: all lines in full, separated by empty lines. */
export const allText = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n\n')
