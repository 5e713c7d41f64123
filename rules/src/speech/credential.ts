import {
  type Condition,
  type FileField,
  isFilled,
  isOn,
  type Question,
  type Shape,
  type Stored,
  type StoredField,
  type Use,
  type Vendor,
} from '@patchbay/contract/speech/descriptor'
import { maskPrivateKey, maskUrlCredentials } from '../masking/masking.ts'
import { hasNewSecret, maskSecret, newDestination, storedSecrets } from './destinations.ts'

/** Rules of a speech credential, derived from the vendor's descriptor. Shared by the form and the server. */

type Part = Question | StoredField

/** Form values of questions, fields, and uses, by name. */
export type Values = Readonly<Record<string, string | boolean>>

export type Uses = Readonly<Record<Use, boolean>>

const isAnswered = (value: unknown): boolean => value === true || (typeof value === 'string' && value.trim() !== '')

const holds = (condition: Condition, facts: Values): boolean =>
  (Array.isArray(condition) ? condition : [condition]).some((all: Readonly<Record<string, boolean | string>>) =>
    Object.entries(all).every(([name, expected]) =>
      typeof expected === 'string' ? facts[name] === expected : isAnswered(facts[name]) === expected,
    ),
  )

const isStored = (part: Part): part is StoredField => part.kind !== 'question'

const storedFields = ({ parts }: Vendor): StoredField[] => parts.filter(isStored)

/** Maps field names to fields. A field can appear twice in the form, in two variants. */
const fieldsByName = (vendor: Vendor): ReadonlyMap<string, StoredField> =>
  new Map(
    storedFields(vendor)
      .toReversed()
      .map((field) => [field.name, field]),
  )

/** Returns the field that is filled from a file, such as the service key of Google, or undefined. */
export const findFileField = (vendor: Vendor): FileField | undefined =>
  storedFields(vendor).find((field) => field.kind === 'file')

interface SelectedParts {
  parts: Part[]
  /** Answers and values that conditions refer to, including those of all selected parts. */
  facts: Values
  /** Names of the fields that must not be empty. */
  required: ReadonlySet<string>
}

/** Returns the parts that the form displays for these values. */
export const selectParts = (vendor: Vendor, values: Values, uses: Uses): SelectedParts => {
  const facts: Record<string, string | boolean> = {
    tts: uses.tts && vendor.tts !== undefined,
    stt: uses.stt && vendor.stt !== undefined,
  }
  const parts = vendor.parts.filter((part) => {
    const isSelected = !part.unasked && (part.when === undefined || holds(part.when, facts))
    if (isSelected) facts[part.name] = part.kind === 'derived' ? holds(part.on, facts) : (values[part.name] ?? '')
    return isSelected
  })
  const required = parts.filter(
    (part) =>
      part.kind !== 'question' &&
      part.required !== undefined &&
      (part.required === true || holds(part.required, facts)),
  )
  return { parts, facts, required: new Set(required.map(({ name }) => name)) }
}

const shapes: Readonly<Record<Shape, { fits: (text: string) => boolean; like: string }>> = {
  url: {
    fits: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    like: 'a URL that starts with http:// or https://',
  },
  websocket: {
    fits: (text) => /^wss?:$/.test(URL.parse(text)?.protocol ?? ''),
    like: 'a URL that starts with ws:// or wss://',
  },
  host: { fits: (text) => /^[^\s/:]+$/.test(text), like: 'a host name' },
  'host-port': { fits: (text) => /^(?:[^\s/:]+|\[[\da-f:]+\]):\d{1,6}$/i.test(text), like: 'host:port' },
}

/** Converts "Region" to "region" for use within a sentence. "API key" and "RoleArn" are unchanged. */
export const inSentence = (label: string): string =>
  /^[A-Z][a-z]+(?: |$)/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

/** Returns whether a text is a JSON object, not an array or another value. */
export const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

export const unreadableFile = 'Invalid service key file, could not parse as JSON.'

/** Parses the JSON of a file. Returns undefined if it is not JSON or lacks a required member. */
export const parseFile = (field: FileField, text: string): Record<string, unknown> | undefined => {
  if (!isJsonObject(text)) return undefined
  const file = JSON.parse(text) as Record<string, unknown>
  return field.members.every((member) => typeof file[member] === 'string' && file[member] !== '') ? file : undefined
}

const validateText = (field: StoredField, text: string): string | undefined => {
  switch (field.kind) {
    case 'text':
      return field.shape && !shapes[field.shape].fits(text) ? `Must be ${shapes[field.shape].like}` : undefined
    case 'options':
      return isJsonObject(text) ? undefined : 'Must be a JSON object'
    case 'file':
      return parseFile(field, text) === undefined ? `Choose a JSON file with ${field.members.join(' and ')}` : undefined
    default:
      return undefined
  }
}

const verbs: Partial<Record<StoredField['kind'], string>> = { choice: 'Choose', model: 'Choose', file: 'Choose' }

/**
 * Returns errors by field. Ignores fields that the form does not display, and locked fields of an existing credential.
 */
export const validateCredential = (
  vendor: Vendor,
  values: Values,
  uses: Uses,
  exists: boolean,
): Record<string, string> => {
  const { parts, required } = selectParts(vendor, values, uses)
  const faults: Record<string, string> = {}
  for (const field of parts) {
    if (field.kind === 'question' || field.kind === 'derived' || field.kind === 'flag') continue
    if (exists && field.locked) continue
    const text = String(values[field.name] ?? '').trim()
    const missing = required.has(field.name) && `${verbs[field.kind] ?? 'Enter'} the ${inSentence(field.label)}`
    const fault = text === '' ? missing : validateText(field, text)
    if (fault) faults[field.name] = fault
  }
  return faults
}

/**
 * Converts form values to the vendor's members in a request. Empty texts become null, and flags become 1 or 0. Members
 * that the form does not display become null, so that no value of another variant remains. Locked members are omitted
 * from changes.
 */
export const toCredentialMembers = (
  vendor: Vendor,
  values: Values,
  uses: Uses,
  exists: boolean,
): Record<string, string | 0 | 1 | null> => {
  const { parts, facts } = selectParts(vendor, values, uses)
  const members: Record<string, string | 0 | 1 | null> = {}
  for (const field of storedFields(vendor)) {
    if (field.unasked || (exists && field.locked)) continue
    if (!parts.includes(field)) members[field.name] ??= null
    else if (field.kind === 'flag' || field.kind === 'derived')
      members[field.name] = isAnswered(facts[field.name]) ? 1 : 0
    else members[field.name] = String(facts[field.name]).trim() || null
  }
  return members
}

const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return isFilled(value) ? JSON.stringify(value) : ''
}

/** Returns the initial form values from the stored credential, or the defaults of a new one. */
export const toCredentialValues = (vendor: Vendor, credential?: Stored): Record<string, string | boolean> => {
  const stored = credential ?? {}
  const values: Record<string, string | boolean> = {}
  for (const part of vendor.parts)
    if (part.kind === 'question') values[part.name] = (credential ? undefined : part.start) ?? part.answered(stored)
    else if (part.kind === 'flag' || part.kind === 'derived') values[part.name] = isOn(stored[part.name])
    else
      values[part.name] = textIn(stored[part.name]) || (part.kind === 'choice' && part.start) || values[part.name] || ''
  return values
}

/** Returns whether a value is empty or off and belongs to a sparse field, which is then not stored. */
const isOmitted = (field: StoredField, value: unknown): boolean =>
  field.sparse === true && !isOn(value) && !isNonEmptyText(value)

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isNonEmptyText = (value: unknown): boolean => isText(value) && value !== '0' && value !== 'false'

/** Returns the members of a body that belong to the vendor. */
const pickVendorMembers = (vendor: Vendor, body: Stored): Record<string, unknown> => {
  const members: Record<string, unknown> = {}
  for (const [name, field] of fieldsByName(vendor))
    if (body[name] !== undefined && !isOmitted(field, body[name])) members[name] = body[name]
  return members
}

/**
 * Returns the platform's error message for a missing member
 * (docs/reference/platform-api/speech.md#create-a-credential), or undefined.
 */
const findMissing = (vendor: Vendor, members: Stored, uses: Uses, exists: boolean): string | undefined => {
  const facts = { ...uses, ...Object.fromEntries(Object.keys(members).map((name) => [name, textIn(members[name])])) }
  const missing = [...fieldsByName(vendor).values()].find(
    ({ name, demanded, locked }) =>
      !(exists && locked) &&
      demanded !== undefined &&
      (demanded === true || holds(demanded, facts)) &&
      !isFilled(members[name]),
  )
  if (missing === undefined) return undefined
  return missing.missing ?? `invalid ${vendor.called ?? vendor.vendor} speech credential: ${missing.name} is required`
}

/** Returns the JSON to store for a new credential, or an error message of the platform's API. */
export const newStored = (vendor: Vendor, body: Stored, uses: Uses): { stored: Stored } | { fault: string } => {
  const members = pickVendorMembers(vendor, body)
  const fault = findMissing(vendor, members, uses, false)
  if (fault !== undefined) return { fault }
  const file = findFileField(vendor)
  if (file === undefined) return { stored: members }
  const { [file.name]: text, ...others } = members
  const content = parseFile(file, textIn(text))
  return content === undefined ? { fault: file.invalid } : { stored: { ...content, ...others } }
}

/**
 * Returns the JSON to store after a change (docs/reference/platform-api/speech.md#update-a-credential), or an error.
 * Locked fields are unchanged, whatever the request contains. Other fields that the request omits are removed, except
 * those with `keptIfAbsent`. If the service moves to a new host, the request must contain its secrets again, and they
 * replace the stored ones.
 */
export const changedStored = (
  vendor: Vendor,
  before: Stored,
  body: Stored,
  uses: Uses,
): { stored: Stored } | { fault: string; field?: string } => {
  const fields = fieldsByName(vendor)
  const isFile = findFileField(vendor) !== undefined
  const isUnchanged = (name: string): boolean => {
    const field = fields.get(name)
    // Members of the uploaded file are not fields, and are unchanged.
    return field === undefined
      ? isFile
      : field.locked === true || (field.keptIfAbsent === true && body[name] === undefined)
  }
  const isChangeable = (name: string): boolean => !fields.get(name)?.locked
  const stored = Object.fromEntries([
    ...Object.entries(before).filter(([name]) => isUnchanged(name)),
    ...Object.entries(pickVendorMembers(vendor, body)).filter(([name]) => isChangeable(name)),
  ])
  const fault = findMissing(vendor, stored, uses, true)
  if (fault !== undefined) return { fault }
  const host = newDestination(vendor, before, stored)
  if (host === undefined) return { stored }
  const secrets = storedSecrets(vendor, before)
  const field = secrets.find((name) => !hasNewSecret(body, before, name))
  if (field !== undefined)
    return { fault: `${field} must be sent again, because the service moves to a new host: ${host}`, field }
  return { stored: { ...stored, ...Object.fromEntries(secrets.map((name) => [name, body[name]])) } }
}

/** Returns the fields with the keys of a stored credential, which only a replacement can change. */
export const keyFields = (vendor: Vendor): KeyField[] => [...fieldsByName(vendor).values()].filter(isKeyField)

export type KeyField = Extract<StoredField, { kind: 'secret' | 'text' | 'file' }>

const isKeyField = (field: StoredField): field is KeyField =>
  field.locked === true && !field.unasked && (field.kind === 'secret' || field.kind === 'text' || field.kind === 'file')

/**
 * Returns the JSON to store after some keys of a credential are replaced, or an error of a member. Other members are
 * unchanged. A field of an unknown vendor may be an address, so that all of its fields are replaced at once: the stored
 * secrets must not be sent to a new one.
 */
export const withNewKeys = (
  vendor: Vendor,
  before: Stored,
  keys: Readonly<Record<string, string>>,
): { stored: Stored } | { fault: string; field: string } => {
  const fields = keyFields(vendor)
  const keptField =
    vendor.generic &&
    fields.find(({ name }) => isFilled(before[name]) && typeof before[name] !== 'boolean' && keys[name] === undefined)
  if (keptField)
    return {
      fault: `${keptField.name} must be replaced, too, because any field can be an address`,
      field: keptField.name,
    }
  let stored = before
  for (const [name, value] of Object.entries(keys)) {
    const field = fields.find((one) => one.name === name)
    if (field === undefined) return { fault: `${name} is not a key of this speech service`, field: name }
    const text = value.trim()
    const fault = validateText(field, text)
    if (fault !== undefined) return { fault, field: name }
    if (field.kind === 'secret' && !hasNewSecret({ [name]: text }, before, name))
      return { fault: `${name} must be the new value, not the masked one`, field: name }
    stored =
      field.kind === 'file' ? withNewFile(vendor, stored, parseFile(field, text) ?? {}) : { ...stored, [name]: text }
  }
  return { stored }
}

/** Replaces the members of the uploaded file, which are those that are no fields. */
const withNewFile = (vendor: Vendor, stored: Stored, content: Stored): Stored => {
  const fields = fieldsByName(vendor)
  return { ...content, ...Object.fromEntries(Object.entries(stored).filter(([name]) => fields.has(name))) }
}

/**
 * Returns the members for an API response. Secrets are masked, or omitted for callers who cannot change the credential.
 */
export const toResponseMembers = (vendor: Vendor, stored: Stored, canChange: boolean): Record<string, unknown> => {
  const file = findFileField(vendor)
  const members: Record<string, unknown> = {}
  for (const [name, field] of fieldsByName(vendor)) {
    const value = stored[name]
    if (field.kind === 'file') {
      const masked = { ...stored, [field.masked]: maskPrivateKey(textIn(stored[field.masked])) }
      const ofFile = Object.entries(masked).filter(([member]) => member === name || !fieldsByName(vendor).has(member))
      if (canChange) members[name] = JSON.stringify(Object.fromEntries(ofFile))
    } else if (field.kind !== 'secret')
      members[name] =
        canChange || typeof value !== 'string' ? (value ?? (file ? null : value)) : maskUrlCredentials(value)
    else if (canChange) members[name] = maskSecret(field, value)
  }
  return members
}
