import { maskedDigit } from '@patchbay/contract/shared/masking-limits'
import { asRecord } from '@patchbay/contract/shared/traces'
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

/** JSON text in JSON text is read up to this depth, such as the body of a webhook in an attribute in a log line. */
const maxJsonDepth = 4

const isKeptName = (name: string): boolean =>
  idNames.test(name) || phoneNumberNames.test(name) || measurementNames.test(name)

const maskDigits = (text: string): string => text.replaceAll(/[\d*#]/g, maskedDigit)

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

const maskNumber = (value: number | JsonNumber, { mask, rules }: TextMasker): unknown => {
  const source = getSource(value)
  if (rules.card_numbers !== 1 || !/^\d{13,19}$/.test(source)) return value
  const masked = mask(source)
  return masked === source ? value : masked
}

/** Returns undefined if the text is not JSON, or nested so deeply that it does not fit the stack. */
const maskJson = (text: string, masker: TextMasker, jsonDepth: number): string | undefined => {
  const value = parseJson(text)
  if (value === undefined) return undefined
  try {
    const masked = maskAt(value, '', masker, jsonDepth + 1)
    return masked === value ? text : stringify(masked)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const maskText = (text: string, masker: TextMasker, jsonDepth: number): string =>
  (jsonDepth < maxJsonDepth ? maskJson(text, masker, jsonDepth) : undefined) ?? masker.mask(text)

const maskList = (values: readonly unknown[], name: string, masker: TextMasker, jsonDepth: number): unknown => {
  const masked = values.map((value) => maskAt(value, name, masker, jsonDepth))
  return masked.some((value, at) => value !== values[at]) ? masked : values
}

const maskAt = (value: unknown, name: string, masker: TextMasker, jsonDepth: number): unknown => {
  if (masker.rules.pressed_digits === 1 && digitNames.test(name)) {
    if (typeof value === 'string') return maskDigits(value)
    if (typeof value === 'number' || value instanceof JsonNumber) return maskDigits(getSource(value))
  }
  if (typeof value === 'string') return isKeptName(name) ? value : maskText(value, masker, jsonDepth)
  if (typeof value === 'number' || value instanceof JsonNumber)
    return isKeptName(name) ? value : maskNumber(value, masker)
  if (Array.isArray(value)) return maskList(value, name, masker, jsonDepth)
  if (typeof value !== 'object' || value === null) return value
  let isChanged = false
  const entries = Object.entries(asRecord(value)).map(([member, inner]): [string, unknown] => {
    const masked = maskAt(inner, member, masker, jsonDepth)
    isChanged ||= masked !== inner
    return [member, masked]
  })
  return isChanged ? Object.fromEntries(entries) : value
}

/** Masks a JSON value. Returns the same value if nothing is masked. `name` is that of the member it belongs to. */
export const maskValue = <T>(value: T, masker: TextMasker, name = ''): T =>
  // Masking replaces texts by texts, and long numbers in lists and objects of any type by texts.
  maskAt(value, name, masker, 0) as T

/** Masks a line of a log or another text that can be JSON. */
export const maskLine = (line: string, masker: TextMasker): string => maskText(line, masker, 0)
