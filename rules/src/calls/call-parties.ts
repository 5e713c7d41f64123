import type { Call } from '@patchbay/contract/recent-calls'

/** Returns the caller and the called number of a call, such as `+1 (508) 308-4809 to reception`. */
export const formatParties = (
  { from, to }: Pick<Call, 'from' | 'to'>,
  formatNumber: (number: string) => string,
): string => [from, to].map((number) => (number ? formatNumber(number) : 'unknown')).join(' to ')
