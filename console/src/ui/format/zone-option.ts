import { preferences } from '../preferences.ts'

/** Returns the option of Intl for the chosen time zone. */
export const zoneOption = (): { timeZone?: string } => {
  const { timeZone } = preferences()
  return timeZone === 'local' ? {} : { timeZone }
}
