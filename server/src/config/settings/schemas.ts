import { z } from 'zod'
import { isNetwork } from '../../lib/ip-networks.ts'
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts'

/** Schemas of variables that several groups of settings use. */

/** The values of a group of variables, after they were parsed. */
export type Values<T extends z.core.$ZodShape> = z.output<z.ZodObject<T>>

/** The settings that are secret or contain a secret. A file can contain them, and no output shows them. */
export const secretSettings = z.registry<object>()

export const markSecret = <T extends z.ZodType>(schema: T): T => {
  secretSettings.add(schema, {})
  return schema
}

export const positive = z.coerce.number({ error: 'must be a number' }).int().min(1)
export const port = z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65535)
export const days = z.coerce.number({ error: 'must be a number of days' }).int().min(0)

export const onOff = z
  .enum(['true', 'false', '1', '0', ''], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1')

/** Returns whether a text is an HTTP URL without credentials, query, and fragment. */
const isPublicUrl = (url: string): boolean => URL.canParse(url) && /^https?:\/\/[^?#@]+$/.test(url)

/** @param kind what the URL is, such as `the address of a page, such as https://host/terms` */
export const publicUrl = (kind: string) => z.string().refine(isPublicUrl, { error: `must be ${kind}` })

/** Base URL of an external service, such as `https://host/path`. A trailing slash is removed. */
export const baseAddress = (defaultAddress: string) =>
  publicUrl(`an address such as ${defaultAddress}`)
    .default(defaultAddress)
    .transform((base) => withoutTrailingSlashes(base))

/** Returns the items of a list that is separated by commas. */
export const splitList = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const networkList = z
  .string()
  .transform(splitList)
  .refine((list) => list.every(isNetwork), { error: 'must be networks such as 10.0.0.0/8, separated by commas' })
