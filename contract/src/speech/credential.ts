import { maskKey, maskPrivateKey, maskUrlCredentials } from '../shared/masking.ts'
import { hasNewSecret, newDestination, storedSecrets } from './destinations.ts'
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
} from './descriptor.ts'

/** The rules of a credential that follow from its vendor's descriptor; the form and the server share them. */

type Part = Question | StoredField

/** What a form holds: questions, fields and uses by name; texts as they are typed. */
export type Values = Readonly<Record<string, string | boolean>>

export type Uses = Readonly<Record<Use, boolean>>

const said = (value: unknown): boolean => value === true || (typeof value === 'string' && value.trim() !== '')

const holds = (condition: Condition, facts: Values): boolean =>
  (Array.isArray(condition) ? condition : [condition]).some((all: Readonly<Record<string, boolean | string>>) =>
    Object.entries(all).every(([name, wanted]) =>
      typeof wanted === 'string' ? facts[name] === wanted : said(facts[name]) === wanted,
    ),
  )

const isStored = (part: Part): part is StoredField => part.kind !== 'question'

const storedFields = ({ parts }: Vendor): StoredField[] => parts.filter(isStored)

/** Each name once: a field may stand in the form in two ways. */
const fieldsByName = (vendor: Vendor): ReadonlyMap<string, StoredField> =>
  new Map(
    storedFields(vendor)
      .toReversed()
      .map((field) => [field.name, field]),
  )

export const findFileField = (vendor: Vendor): FileField | undefined =>
  storedFields(vendor).find((field) => field.kind === 'file')

interface Asked {
  parts: Part[]
  /** what is known when all of them are answered */
  facts: Values
  /** of those the ones that may not be left empty */
  required: ReadonlySet<string>
}

/** Which parts the form asks for. */
export const selectParts = (vendor: Vendor, values: Values, uses: Uses): Asked => {
  const facts: Record<string, string | boolean> = {
    tts: uses.tts && vendor.tts !== undefined,
    stt: uses.stt && vendor.stt !== undefined,
  }
  const parts = vendor.parts.filter((part) => {
    const isAsked = !part.unasked && (part.when === undefined || holds(part.when, facts))
    if (isAsked) facts[part.name] = part.kind === 'derived' ? holds(part.on, facts) : (values[part.name] ?? '')
    return isAsked
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
    like: 'an address that starts with http:// or https://',
  },
  websocket: {
    fits: (text) => /^wss?:$/.test(URL.parse(text)?.protocol ?? ''),
    like: 'an address that starts with ws:// or wss://',
  },
  host: { fits: (text) => /^[^\s/:]+$/.test(text), like: 'a host name' },
  'host-port': { fits: (text) => /^(?:[^\s/:]+|\[[\da-f:]+\]):\d{1,6}$/i.test(text), like: 'host:port' },
}

/** "Region" becomes "region", "API key" and "RoleArn" stay. */
export const inSentence = (label: string): string =>
  /^[A-Z][a-z]+(?: |$)/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

export const unreadableFile = 'Invalid service key file, could not parse as JSON.'

/** The JSON of a file, with all the members it must have; undefined for anything else. */
export const readFile = (field: FileField, text: string): Record<string, unknown> | undefined => {
  if (!isJsonObject(text)) return undefined
  const file = JSON.parse(text) as Record<string, unknown>
  return field.members.every((member) => typeof file[member] === 'string' && file[member] !== '') ? file : undefined
}

const faultOfText = (field: StoredField, text: string): string | undefined => {
  switch (field.kind) {
    case 'text':
      return field.shape && !shapes[field.shape].fits(text) ? `Must be ${shapes[field.shape].like}` : undefined
    case 'options':
      return isJsonObject(text) ? undefined : 'Must be a JSON object'
    case 'file':
      return readFile(field, text) === undefined ? `Choose a JSON file with ${field.members.join(' and ')}` : undefined
    default:
      return undefined
  }
}

const verbs: Partial<Record<StoredField['kind'], string>> = { choice: 'Choose', model: 'Choose', file: 'Choose' }

/** What is wrong in a form, by field; nothing of what it does not ask for, nor of what cannot be changed any more. */
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
    const fault = text === '' ? missing : faultOfText(field, text)
    if (fault) faults[field.name] = fault
  }
  return faults
}

/**
 * The vendor's members as a form sends them: what it asks for as it stands, empty as null, flags as 1 and 0; what it
 * does not ask for as null, so that nothing of another choice stays. What cannot be changed is left out of a change.
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
    else if (field.kind === 'flag' || field.kind === 'derived') members[field.name] = said(facts[field.name]) ? 1 : 0
    else members[field.name] = String(facts[field.name]).trim() || null
  }
  return members
}

const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return isFilled(value) ? JSON.stringify(value) : ''
}

/** What a form starts with: the stored values, or those of a new credential. */
export const toCredentialValues = (vendor: Vendor, given?: Stored): Record<string, string | boolean> => {
  const stored = given ?? {}
  const values: Record<string, string | boolean> = {}
  for (const part of vendor.parts)
    if (part.kind === 'question') values[part.name] = (given ? undefined : part.start) ?? part.answered(stored)
    else if (part.kind === 'flag' || part.kind === 'derived') values[part.name] = isOn(stored[part.name])
    else
      values[part.name] = textIn(stored[part.name]) || (part.kind === 'choice' && part.start) || values[part.name] || ''
  return values
}

/** A value that is empty or off, of a field of which such are not stored. */
const isLeftOut = (field: StoredField, value: unknown): boolean =>
  field.sparse === true && !isOn(value) && !isText(value)

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value !== '0' && value !== 'false'

/** What of a body belongs to the vendor. */
const taken = (vendor: Vendor, body: Stored): Record<string, unknown> => {
  const members: Record<string, unknown> = {}
  for (const [name, field] of fieldsByName(vendor))
    if (body[name] !== undefined && !isLeftOut(field, body[name])) members[name] = body[name]
  return members
}

/** What is missing on the wire, in its words (api/3-speech.md §1.6); undefined where nothing is. */
const missingOf = (vendor: Vendor, members: Stored, uses: Uses, exists: boolean): string | undefined => {
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

/** What is stored of a new credential, as JSON; or what is wrong with it, in the wire's words. */
export const newStored = (vendor: Vendor, body: Stored, uses: Uses): { stored: Stored } | { fault: string } => {
  const members = taken(vendor, body)
  const fault = missingOf(vendor, members, uses, false)
  if (fault !== undefined) return { fault }
  const file = findFileField(vendor)
  if (file === undefined) return { stored: members }
  const { [file.name]: text, ...others } = members
  const content = readFile(file, textIn(text))
  return content === undefined ? { fault: file.invalid } : { stored: { ...content, ...others } }
}

/**
 * What is stored after a change (api/3-speech.md §1.9): locked fields stay, whatever is sent; of the others what is not
 * sent goes, except what is kept. Or what is wrong with it then. If the service moves to a new host, its secrets have to
 * be sent again, and replace the stored ones.
 */
export const changedStored = (
  vendor: Vendor,
  before: Stored,
  body: Stored,
  uses: Uses,
): { stored: Stored } | { fault: string; field?: string } => {
  const fields = fieldsByName(vendor)
  const isFile = findFileField(vendor) !== undefined
  const stays = (name: string): boolean => {
    const field = fields.get(name)
    // The members of a file stay as they are.
    return field === undefined ? isFile : field.locked === true || (field.kept === true && body[name] === undefined)
  }
  const changes = (name: string): boolean => !fields.get(name)?.locked
  const stored = Object.fromEntries([
    ...Object.entries(before).filter(([name]) => stays(name)),
    ...Object.entries(taken(vendor, body)).filter(([name]) => changes(name)),
  ])
  const fault = missingOf(vendor, stored, uses, true)
  if (fault !== undefined) return { fault }
  const host = newDestination(vendor, before, stored)
  if (host === undefined) return { stored }
  const secrets = storedSecrets(vendor, before)
  const field = secrets.find((name) => !hasNewSecret(body, before, name))
  if (field !== undefined)
    return { fault: `${field} must be sent again, because the service moves to a new host: ${host}`, field }
  return { stored: { ...stored, ...Object.fromEntries(secrets.map((name) => [name, body[name]])) } }
}

/** What of a credential is shown: secrets masked, or left out for those who may not change it. */
export const toResponseMembers = (vendor: Vendor, stored: Stored, mayChange: boolean): Record<string, unknown> => {
  const file = findFileField(vendor)
  const members: Record<string, unknown> = {}
  for (const [name, field] of fieldsByName(vendor)) {
    const value = stored[name]
    if (field.kind === 'file') {
      const masked = { ...stored, [field.masked]: maskPrivateKey(textIn(stored[field.masked])) }
      const ofFile = Object.entries(masked).filter(([member]) => member === name || !fieldsByName(vendor).has(member))
      if (mayChange) members[name] = JSON.stringify(Object.fromEntries(ofFile))
    } else if (field.kind !== 'secret')
      members[name] =
        mayChange || typeof value !== 'string' ? (value ?? (file ? null : value)) : maskUrlCredentials(value)
    else if (mayChange) members[name] = typeof value === 'string' ? maskKey(value) : value
  }
  return members
}
