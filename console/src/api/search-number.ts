import { searchedNumber } from '@patchbay/rules/phone-number/searched-number'
import { escapeLike } from './shared-queries.ts'

/** Returns what a list of numbers is searched for. Removes a leading +, because numbers are stored without it. */
export const toNumberPart = (typed: string): string =>
  escapeLike(searchedNumber(typed)?.digits ?? typed.replace(/^\+/, ''))
