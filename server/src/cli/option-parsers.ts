import { InvalidArgumentError } from 'commander'

/**
 * Parses an option that is a whole number of at most nine digits.
 * @throws InvalidArgumentError for other texts
 */
export const parseWholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/**
 * Parses an option that is a time, such as `2026-11-21T12:00:00Z`. Returns milliseconds since 1970.
 * @throws InvalidArgumentError for other texts
 */
export const parseTime = (text: string): number => {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-11-21T12:00:00Z.')
  return time
}
