import { type Endpoint, type EndpointKey, type StoredRecord } from '@patchbay/contract/api/endpoint'
import { throwApiError } from '@patchbay/contract/api/errors'
import { findTable } from '@patchbay/contract/api/record-tables'
import { contract } from '@patchbay/contract/contract'
import type { WriteCondition } from '../lib/caller.ts'

/**
 * Conditional updates: a client reads a record with its version, and sends the version with the update (`If-Match`,
 * RFC 9110 §13.1.1). The server compares it with the stored record.
 */

/** Header of a response with the version of the record that it contains, or that the request has written. */
export const recordVersionHeader = 'record-version'

const getLastParameter = (key: string): string => [...key.matchAll(/:(\w+)/g)].at(-1)?.[1] ?? ''

/** Returns where the record of an update is stored, and the name of the path parameter with its SID. */
const findStored = (key: string, { updates }: Endpoint): { stored: StoredRecord; parameter: string } | undefined => {
  if (updates === undefined) return undefined
  const parameter = getLastParameter(key)
  const stored = updates.stored ?? findTable({ key: parameter })
  if (stored === undefined) throw new Error(`${key}: no table is keyed by ${parameter}`)
  return { stored, parameter }
}

/** The updates of the records that endpoints return, by the endpoint. All updates of a record have the same rows. */
const updatesByRecord = new Map(
  Object.entries<Endpoint>(contract).flatMap((update) =>
    update[1].updates === undefined ? [] : [[update[1].updates.record, update] as const],
  ),
)

/** Returns where the record is stored that an endpoint updates, or that a read returns for an update. */
export const findStoredRecord = (key: string, endpoint: Endpoint) => {
  const update = updatesByRecord.get(key as EndpointKey)
  return findStored(key, endpoint) ?? (update && findStored(...update))
}

/** An entity tag: of a strong version in quotation marks, or of a weak one, which no version equals. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e]*"$/

/**
 * Parses an `If-Match` header.
 * @throws ApiError `invalid` for a text that is no list of entity tags, and `no_versions` for a write without a record
 */
export const parseCondition = (
  ifMatch: string | undefined,
  record: { stored: StoredRecord; parameter: string } | undefined,
  params: Readonly<Record<string, string>>,
): WriteCondition | undefined => {
  if (ifMatch === undefined) return undefined
  if (record === undefined) return throwApiError('no_versions')
  const versions = ifMatch.split(',').map((tag) => tag.trim())
  if (ifMatch.trim() !== '*' && !versions.every((tag) => entityTag.test(tag)))
    return throwApiError('invalid', { msg: 'If-Match must be * or a list of versions in quotation marks' })
  return { stored: record.stored, sid: params[record.parameter] ?? '', versions }
}
