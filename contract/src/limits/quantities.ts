/** Limits of accounts and service providers (docs/reference/platform-api/tenants.md#limits). */

export const limitCategories = [
  'api_rate',
  'voice_call_session',
  'device',
  'voice_call_minutes',
  'voice_call_session_license',
  'voice_call_minutes_license',
] as const
export type LimitCategory = (typeof limitCategories)[number]

/** Maximum of the database column. */
export const maxQuantity = 2_147_483_647

/** Returns whether a number is a valid limit: an integer from 0 to `maxQuantity`. */
export const isQuantity = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= maxQuantity

/** Returns whether a limit means unlimited: it is missing or 0. */
export const isUnlimited = (quantity: number | null): boolean => quantity === null || quantity === 0
