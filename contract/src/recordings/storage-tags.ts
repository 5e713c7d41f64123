import type { StorageVendor } from './storage.ts'

/**
 * Tags of recordings. They are stored as the user metadata of an object, next to the metadata of the call, which all
 * storages send in HTTP headers (docs/reference/platform-api/recordings.md#object-storage).
 */

export interface StorageTag {
  Key: string
  Value: string
}

/** Names of the metadata of a call, which a tag must not replace: recordings are found by them. */
const callMetadataNames: ReadonlySet<string> = new Set(
  'accountSid callSid recordingId sampleRate direction from to callId applicationSid originatingSipIp originatingSipTrunkName'
    .toLowerCase()
    .split(' '),
)

const isCallMetadata = (name: string): boolean => callMetadataNames.has(name.toLowerCase())

/** Converts a value to printable ASCII without spaces at its ends, because object metadata is sent in HTTP headers. */
export const toMetadataValue = (value: string): string =>
  value
    .replaceAll(/\p{Cs}/gu, '')
    .replaceAll(/[^ -~]+/gu, encodeURIComponent)
    // unchecked-regexp: runs on at most 1,000 characters
    .replaceAll(/^ +| +$/g, (spaces) => '%20'.repeat(spaces.length))

/** Returns the longest beginning of a value that has at most `max` bytes as metadata, without parts of characters. */
const cutMetadataValue = (value: string, max: number): string => {
  const characters = Array.from(value).slice(0, max)
  let encoded = toMetadataValue(characters.join(''))
  while (encoded.length > max) {
    characters.pop()
    encoded = toMetadataValue(characters.join(''))
  }
  return encoded
}

/** Bytes of names and values for the metadata of a call. S3 stores 2 KB in all, and the tags have the other half. */
const maxCallMetadataBytes = 1024
/** Bytes of each value. The first that is short enough for all values to fit applies. SIDs are shorter than the last. */
const maxValueBytes = [256, 128, 64]

const countMetadataBytes = (metadata: Readonly<Record<string, string>>): number =>
  Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

/** Returns the metadata of a call as a storage accepts them: in ASCII, with long values shortened. */
export const toCallMetadata = (metadata: Readonly<Record<string, string>>): Record<string, string> => {
  let stored: Record<string, string> = {}
  for (const max of maxValueBytes) {
    stored = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, cutMetadataValue(value, max)]))
    if (countMetadataBytes(stored) <= maxCallMetadataBytes) break
  }
  return stored
}

/** Replaces what Azure rejects in the names of metadata. They have to be identifiers of C#. */
export const toAzureName = (name: string): string => name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_')

/** Returns the tags as metadata. Tags with the name of call metadata are left out. */
export const tagsAsMetadata = (tags: readonly StorageTag[] = []): Record<string, string> =>
  Object.fromEntries(
    tags.flatMap(({ Key, Value }) => (isCallMetadata(Key.trim()) ? [] : [[Key.trim(), toMetadataValue(Value)]])),
  )

interface TagRules {
  name: string
  /** Limit of all metadata of an object. */
  capacity: string
  /** Bytes of all tags, so that the metadata of the call fits, too. */
  maxBytes: number
  /** Returns the name under which the storage keeps the tag. */
  toName: (key: string) => string
  /** Matches the names that the storage accepts. */
  names?: RegExp
}

/** The characters of a header name (RFC 9110 section 5.6.2). */
const headerName = /^[!#$%&'*+.^`|~\w-]+$/

const s3: TagRules = {
  name: 'S3',
  capacity: '2 KB',
  maxBytes: 1024,
  // S3 stores names in lower case.
  toName: (key) => key.toLowerCase(),
  names: headerName,
}

const rules: Readonly<Record<StorageVendor, TagRules>> = {
  aws_s3: s3,
  s3_compatible: s3,
  // Azure compares names without case.
  azure: { name: 'Azure', capacity: '8 KB', maxBytes: 4096, toName: (key) => toAzureName(key).toLowerCase() },
  // The JSON API accepts other names, with which programs cannot read the object by the XML API.
  google: { name: 'Google Cloud Storage', capacity: '8 KB', maxBytes: 4096, toName: (key) => key, names: headerName },
}

export interface TagProblem {
  /** Position of the tag. */
  index: number
  member: 'Key' | 'Value'
  message: string
}

const countBytes = (name: string, value: string): number =>
  new TextEncoder().encode(name).length + toMetadataValue(value).length

/** Returns what the storage cannot keep. The messages continue the name of the field. */
export const findTagProblems = (vendor: StorageVendor, tags: readonly StorageTag[]): TagProblem[] => {
  const { name, capacity, maxBytes, toName, names } = rules[vendor]
  const seen = new Map<string, string>()
  let bytes = 0
  const problems: TagProblem[] = []
  for (const [index, { Key, Value }] of tags.entries()) {
    const key = Key.trim()
    const add = (member: 'Key' | 'Value', message: string) => problems.push({ index, member, message })
    const stored = toName(key)
    const same = seen.get(stored)
    if (key !== '' && names !== undefined && !names.test(key))
      add(
        'Key',
        `must contain only letters of A to Z, digits, and - _ . ! # $ % & ' * + ^ \` | ~, because ${name} sends names in HTTP headers`,
      )
    else if (isCallMetadata(stored)) add('Key', `must not be “${key}”, which each recording has from its call`)
    else if (same !== undefined) add('Key', `must differ from “${same}”, which ${name} stores under the same name`)
    seen.set(stored, key)
    if (Value !== '' && toMetadataValue(Value) === '') add('Value', 'must contain a character that can be encoded')
    const before = bytes
    bytes += countBytes(key, Value)
    if (before <= maxBytes && bytes > maxBytes)
      add(
        'Value',
        `must be shorter: ${name} stores ${capacity} with a recording, of which all tags can have at most ${maxBytes} bytes`,
      )
  }
  return problems
}
