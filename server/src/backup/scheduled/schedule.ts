import { FatalError } from '../../lib/cli.ts'

/** Returns the first time of the schedule after a time. Both are in milliseconds since the Unix epoch. */
export type Schedule = (after: number) => number

/**
 * Creates a schedule from five fields of cron. A time that the change to daylight saving time skips moves to the end of
 * the gap, and one that occurs twice is used once.
 * @throws FatalError if the fields are invalid, or no time fits them
 */
export const createSchedule = async (pattern: string, timeZone: string): Promise<Schedule> => {
  const { Cron } = await import('croner')
  const invalid = (reason: string) => new FatalError(`BACKUP_SCHEDULE: ${JSON.stringify(pattern)} ${reason}.`)
  const parse = () => {
    try {
      return new Cron(pattern, { mode: '5-part', paused: true, timezone: timeZone })
    } catch (error) {
      throw invalid(`is not a valid schedule: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const cron = parse()
  const findNext = (after: number): number => {
    const next = cron.nextRun(new Date(after))
    if (next === null) throw invalid('never occurs')
    return next.getTime()
  }
  findNext(Date.now())
  return findNext
}
