import { maskedDigit } from '@patchbay/contract/shared/masking-limits'
import { asRecord } from '@patchbay/rules/traces/traces'
import type { TextMasker } from './text-masker.ts'

/**
 * Masks the texts in JSON values and in JSON text, which stays JSON. Pure. IDs, the phone numbers of the call, times, and
 * numbers other than card numbers are kept, because Patchbay finds and shows calls by them.
 */

const idNames = /(?:^|[._-])(?:s?id|uuid|s?ID|UUID)s?$|[a-z](?:Sid|SID|I[dD])s?$/
const phoneNumberNames = /^(?:from|to|caller|called|callee|(?:calling|called|phone)_?number|caller_?id|msisdn|e164)$/i
const measurementNames = /(?:_ms|_nanos?|latency|talkspurts|_time|timestamp|duration)$/i

/** Names of members with the digits that a caller has pressed. */
const digitNames = /^(?:dtmf|digits)$/i

/** Names of members with one or some of these digits. */
export const keypadNames = /^(?:dtmf|dtmf_?digits?|digits?|key|key_?pressed|button)$/i

/** JSON text in JSON text is read up to this depth, such as the body of a webhook in an attribute in a log line. */
const maxJsonDepth = 4

/** Data of the application, in which names are no evidence: a `card_id` can be the number of a card. */
const argumentNames = /(?:^|[._])(?:arguments|args|parameters|params|tool_input|tool_output|output)$/i

/** Names of members with a card, however they end. */
const cardNames = /card|credit|debit|payment|(?:^|[._-])pan(?:$|[._-])/i

const isKeptName = (name: string): boolean =>
  !cardNames.test(name) && (idNames.test(name) || phoneNumberNames.test(name) || measurementNames.test(name))

/** Replaces the digits and signs of a keypad. */
export const maskDigits = (text: string): string => text.replaceAll(/[\d*#]/g, maskedDigit)

/** A number of JSON text in its original notation, because card numbers with 19 digits are not exact as a number. */
class JsonNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** Shorter numbers are no card numbers. */
const minLongNumber = 1e12

type Revive = (name: string, value: unknown, context: { source?: string }) => unknown

/** ECMAScript 2026 has these functions, but the type library does not. */
const json = JSON as unknown as {
  parse(text: string, revive: Revive): unknown
  rawJSON(text: string): unknown
}

const parseJson = (text: string): unknown => {
  const first = text.charCodeAt(0)
  // Only objects, lists, and texts contain texts.
  if (first !== 0x7b && first !== 0x5b && first !== 0x22) return undefined
  try {
    return json.parse(text, (_name, value, { source }) =>
      typeof value === 'number' && Math.abs(value) >= minLongNumber && source !== undefined
        ? new JsonNumber(source)
        : value,
    )
  } catch {
    return undefined
  }
}

/** Serializes a value. Long numbers get the notation that they had. */
const stringify = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) => (inner instanceof JsonNumber ? json.rawJSON(inner.source) : inner))

const getSource = (value: number | JsonNumber): string => (value instanceof JsonNumber ? value.source : String(value))

/** Returns a text or a number in its original notation. */
export const toLeafText = (value: Leaf): string => (typeof value === 'string' ? value : getSource(value))

const maskNumber = (value: number | JsonNumber, { mask, rules }: TextMasker): unknown => {
  const source = getSource(value)
  if (rules.card_numbers !== 1 || !/^\d{13,19}$/.test(source)) return value
  const masked = mask(source)
  return masked === source ? value : masked
}

export type Leaf = string | number | JsonNumber

/** The place of a text or number. */
export interface LeafContext {
  /** Names of the members that contain it, without positions in lists. */
  path: string
  /** The last name. */
  name: string
  /** Whether it belongs to the arguments or the result of a tool. */
  isArgument: boolean
  /** The speaker, if a member beside it names one. */
  role: string
  jsonDepth: number
}

/** Replaces a text or number. Texts with JSON are visited as what they contain. */
export type VisitLeaf = (value: Leaf, context: LeafContext) => unknown

/** Replaces the name of a member. */
type VisitName = (name: string) => string

export interface Visitor {
  leaf: VisitLeaf
  name?: VisitName
  /** Returns whether a text is visited as a whole, even if it contains JSON. */
  isWhole?: (context: LeafContext) => boolean
}

/** Members that say who speaks. */
const roleNames = ['role', 'speaker', 'participant', 'channel'] as const

const findRole = (record: Readonly<Record<string, unknown>>): string | undefined => {
  for (const name of roleNames) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined
    if (typeof value === 'string' || typeof value === 'number') return String(value)
  }
  return undefined
}

const isLeaf = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber

/** Returns undefined if the text is not JSON, or nested so deeply that it does not fit the stack. */
const visitJson = (text: string, context: LeafContext, visitor: Visitor): string | undefined => {
  const value = parseJson(text)
  if (value === undefined) return undefined
  try {
    const visited = visitAt(value, { ...context, jsonDepth: context.jsonDepth + 1 }, visitor)
    return visited === value ? text : stringify(visited)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const visitText = (text: string, context: LeafContext, visitor: Visitor): unknown =>
  (context.jsonDepth < maxJsonDepth && visitor.isWhole?.(context) !== true
    ? visitJson(text, context, visitor)
    : undefined) ?? visitor.leaf(text, context)

const visitList = (values: readonly unknown[], context: LeafContext, visitor: Visitor): unknown => {
  const visited = values.map((value) => visitAt(value, context, visitor))
  return visited.some((value, at) => value !== values[at]) ? visited : values
}

const visitAt = (value: unknown, context: LeafContext, visitor: Visitor): unknown => {
  if (typeof value === 'string') return visitText(value, context, visitor)
  if (isLeaf(value)) return visitor.leaf(value, context)
  if (Array.isArray(value)) return visitList(value, context, visitor)
  if (typeof value !== 'object' || value === null) return value
  const record = asRecord(value)
  const role = findRole(record) ?? context.role
  let isChanged = false
  const entries = Object.entries(record).map(([member, inner]): [string, unknown] => {
    const visited = visitAt(inner, toContext(member, { ...context, role }), visitor)
    const name = visitor.name?.(member) ?? member
    isChanged ||= visited !== inner || name !== member
    return [name, visited]
  })
  return isChanged ? Object.fromEntries(entries) : value
}

const noContext: LeafContext = { path: '', name: '', isArgument: false, role: '', jsonDepth: 0 }

const toContext = (name: string, { path, isArgument, role, jsonDepth }: LeafContext): LeafContext => ({
  path: `${path}/${name}`,
  name,
  isArgument: isArgument || argumentNames.test(name),
  role,
  jsonDepth,
})

/**
 * Visits the texts and numbers of a JSON value, and of JSON texts in it. Returns the same value if nothing is replaced.
 * `name` is that of the member it belongs to.
 */
export const visitLeaves = (value: unknown, visitor: Visitor, name = '', role = ''): unknown =>
  visitAt(value, toContext(name, { ...noContext, role }), visitor)

/** A phone number has at most 15 digits, and those with 14 or 15 do not begin like a card. */
const minArgumentDigits = 14

const countDigits = (text: string): number => text.match(/\p{Nd}/gu)?.length ?? 0

/** Returns whether a text is kept because of the name of its member. */
const isKept = (text: string, { name, isArgument }: LeafContext): boolean => {
  if (!isKeptName(name)) return false
  return !isArgument || (phoneNumberNames.test(name) && countDigits(text) < minArgumentDigits)
}

/** Shorter names contain no card number. */
const minNameLength = 13

const createVisitor = (masker: TextMasker): Visitor => {
  const isPressed = ({ name }: LeafContext): boolean => masker.rules.pressed_digits === 1 && digitNames.test(name)
  return {
    isWhole: (context) => isPressed(context) || (isKeptName(context.name) && !context.isArgument),
    leaf: (value, context) => {
      const text = toLeafText(value)
      if (isPressed(context)) return maskDigits(text)
      if (isKept(text, context)) return value
      return typeof value === 'string' ? masker.mask(value) : maskNumber(value, masker)
    },
    name: (name) => (name.length < minNameLength ? name : masker.maskCards(name)),
  }
}

/** Masks a JSON value. Returns the same value if nothing is masked. `name` is that of the member it belongs to. */
export const maskValue = <T>(value: T, masker: TextMasker, name = ''): T =>
  // Masking replaces texts by texts, and long numbers in lists and objects of any type by texts.
  visitLeaves(value, createVisitor(masker), name) as T

/** Masks a line of a log or another text that can be JSON. */
export const maskLine = (line: string, masker: TextMasker): string => maskValue(line, masker)
