import { numberDigits } from '@patchbay/contract/phone-number/format'

/**
 * A number that is written with spaces, dashes or brackets is looked for by its digits. Our server looks for a text as it is; the platform's takes
 * it for a regular expression between slashes.
 */
export const toFilterParam = (filter: string, isPlain: boolean): string => {
  const text = /^\+?\d+$/.test(filter) ? filter : (numberDigits(filter) ?? filter)
  return isPlain ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
