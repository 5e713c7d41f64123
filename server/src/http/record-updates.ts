import { isDeepStrictEqual } from 'node:util'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { throwInvalid } from '@patchbay/contract/api/errors'
import { contract } from '@patchbay/contract/contract'
import { isSid } from '@patchbay/contract/shared/sids'
import { z } from 'zod'

/**
 * Lets clients read a record, change one member, and send the whole record back
 * (docs/reference/platform-api/conventions.md#requests).
 */

type Members = Readonly<Record<string, unknown>>

export interface RecordUpdate {
  /** Endpoint that returns the record. */
  recordKey: keyof typeof contract
  /** Members of the response, by name, that cannot be set. */
  readOnly: Readonly<Record<string, z.ZodType>>
  /** Returns whether a body contains a read-only member, so that the current record has to be read. */
  needsRecord(body: unknown): body is Members
  /**
   * Returns the body without the members that have their current value.
   * @param current the record as the caller reads it, or undefined if the caller cannot read it
   * @throws ApiError `invalid` if a read-only member has another value
   */
  removeUnchanged(body: Members, current: Members | undefined): Members
}

const getShape = (schema: unknown): Readonly<Record<string, z.ZodType>> =>
  schema instanceof z.ZodObject ? schema.shape : {}

/** Clients use null, an empty text, and absence interchangeably, as well as flags as booleans and as numbers. */
const normalize = (value: unknown): unknown => {
  if (value === undefined || value === '') return null
  return typeof value === 'boolean' ? Number(value) : value
}

const isSame = (requested: unknown, current: unknown): boolean =>
  isDeepStrictEqual(normalize(requested), normalize(current))

/**
 * Returns the name of the SID of the records that an endpoint creates. The endpoint that deletes or updates one has it
 * in its path.
 */
export const findPrimaryKey = (key: string): string | undefined => {
  const { method, path } = splitKey(key)
  if (method !== 'POST') return undefined
  const ofRecord = Object.keys(contract)
    .map(splitKey)
    .find((other) => /^(DELETE|PUT)$/.test(other.method) && other.path.startsWith(`${path}/:`))
  return /^\w+_sid$/.exec(ofRecord?.path.slice(path.length + 2) ?? '')?.[0]
}

/**
 * Returns a function that removes the SID of a new record from the body. Clients that copy a record send it, and the
 * server generates another one, as in the platform's API: a SID that a client chooses could be that of a deleted record
 * of another tenant.
 *
 * @throws ApiError `invalid` if the SID is not a UUID
 */
export const createSidRemoval = (key: string, { body }: Endpoint): ((input: unknown) => unknown) => {
  const name = findPrimaryKey(key)
  const isStrict = body instanceof z.ZodObject && body.def.catchall instanceof z.ZodNever
  if (name === undefined || !isStrict) return (input) => input
  return (input) => {
    if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return input
    const { [name]: requested, ...rest } = input as Members
    if (typeof requested !== 'string' || !isSid(requested)) throwInvalid(`${name} must be a sid (UUID)`, name)
    return rest
  }
}

/** Returns how the body of an endpoint relates to the record that it updates, if it declares one. */
export const findRecordUpdate = (key: string, { updates, body }: Endpoint): RecordUpdate | undefined => {
  if (updates === undefined) return undefined
  // A test checks that the contract contains every declared endpoint.
  const recordKey = updates.record as keyof typeof contract
  const { responses }: Endpoint = contract[recordKey]
  const writable = getShape(body)
  const readOnly = Object.fromEntries(
    Object.entries(getShape(responses[200])).filter(([name]) => !Object.hasOwn(writable, name)),
  )
  const primaryKey = splitKey(key).path.split('/:').at(-1)
  const { ignored = [], keepUnchanged = false } = updates

  const isDropped = (name: string, value: unknown, current: Members | undefined): boolean => {
    if (!Object.hasOwn(readOnly, name))
      return current !== undefined && !keepUnchanged && Object.hasOwn(current, name) && isSame(value, current[name])
    // Null and an empty text change nothing. The handler rejects callers who cannot read the record.
    if (normalize(value) === null || ignored.includes(name) || current === undefined) return true
    if (isSame(value, current[name])) return true
    return throwInvalid(name === primaryKey ? `primary key ${name} is immutable` : `${name} may not be modified`, name)
  }

  return {
    recordKey,
    readOnly,
    needsRecord: (input): input is Members =>
      typeof input === 'object' && input !== null && Object.keys(input).some((name) => Object.hasOwn(readOnly, name)),
    removeUnchanged: (input, current) =>
      Object.fromEntries(Object.entries(input).filter(([name, value]) => !isDropped(name, value, current))),
  }
}
