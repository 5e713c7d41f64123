import { z } from 'zod'

/** Schemas of settings that several groups of settings use. */

/** The settings that are secret or contain a secret. A file can contain them, and no output shows them. */
export const secretSettings = z.registry<object>()

export const markSecret = <T extends z.ZodType>(schema: T): T => {
  secretSettings.add(schema, {})
  return schema
}

export const positive = z.coerce.number({ error: 'must be a number' }).int().min(1)

export const onOff = z
  .enum(['true', 'false', '1', '0', ''], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1')

/** Returns whether a text is an HTTP URL without credentials, query, and fragment. */
export const isPublicUrl = (url: string): boolean => URL.canParse(url) && /^https?:\/\/[^?#@]+$/.test(url)

/** Returns the items of a list that is separated by commas. */
export const splitList = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
