import type { Random } from '@patchbay/server/demo/seeded-random'

/** Changes inputs at random: bits, numbers, lengths, tokens, repetitions, and parts of other inputs. */

export interface MutationSource {
  random: Random
  tokens: readonly Buffer[]
  /** Returns another input that is worth to take a part from. */
  pickOther(): Buffer
  maxBytes: number
}

type Mutation = (input: Buffer, source: MutationSource) => Buffer

/** Limits of integers, and sizes of blocks and buffers. */
const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 100, 127, 128, 255, 256, 511, 512, 1000, 1024, 4096]
const largeNumbers = [32_767, 32_768, 65_535, 65_536, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]

/** Texts that are special in JavaScript, or for numbers, encodings, and paths. */
const commonTokens = ['constructor', '__proto__', 'toString', '-1', '9223372036854775808', '1e999', 'NaN', '\0', '../']
const unicodeTokens = ['\ufeff', '\u2028', '\ud83d\ude00', 'İ', 'ß']

/** Tokens of all targets. */
export const basicTokens = [...commonTokens, ...unicodeTokens, '\r\n', '\n', '"', "'", '\\', ' ', '\t', ',', ';', '=']

const replace = (input: Buffer, at: number, removed: number, inserted: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, at), inserted, input.subarray(at + removed)])

/** Returns a part of the input. Short ones are more probable. */
const pickRange = (input: Buffer, random: Random): { start: number; length: number } => {
  const start = random.below(input.length + 1)
  const most = random.below(4) === 0 ? input.length - start : Math.min(16, input.length - start)
  return { start, length: random.below(most + 1) }
}

const flipBit: Mutation = (input, { random }) => {
  const changed = Buffer.from(input)
  const at = random.below(input.length)
  changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8))
  return changed
}

const setByte: Mutation = (input, { random }) =>
  replace(input, random.below(input.length), 1, Buffer.from([random.below(256)]))

const insertBytes: Mutation = (input, { random }) =>
  replace(
    input,
    random.below(input.length + 1),
    0,
    Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256))),
  )

/** Writes a number, or the number of bytes that follow, as 1 to 4 bytes in either order. */
const setNumber: Mutation = (input, { random }) => {
  const bytes = 1 + random.below(4)
  if (input.length < bytes) return input
  const changed = Buffer.from(input)
  const at = random.below(input.length - bytes + 1)
  const remaining = Math.max(0, input.length - at - bytes + random.below(5) - 2)
  const number = random.below(3) === 0 ? remaining : random.pick(random.below(2) === 0 ? numbers : largeNumbers)
  const value = number % 2 ** (8 * bytes)
  if (random.below(2) === 0) changed.writeUIntBE(value, at, bytes)
  else changed.writeUIntLE(value, at, bytes)
  return changed
}

/** Replaces a decimal number in a text. */
const setDigits: Mutation = (input, { random }) => {
  const text = input.toString('latin1')
  const all = [...text.matchAll(/\d+/g)]
  if (all.length === 0) return input
  const { index, 0: digits } = random.pick(all)
  const number = random.below(2) === 0 ? Number(digits) + random.below(3) - 1 : random.pick(largeNumbers)
  return replace(input, index, digits.length, Buffer.from(String(number)))
}

const removeRange: Mutation = (input, { random }) => {
  const { start, length } = pickRange(input, random)
  return replace(input, start, length, Buffer.alloc(0))
}

const copyRange: Mutation = (input, { random }) => {
  const { start, length } = pickRange(input, random)
  return replace(input, random.below(input.length + 1), 0, input.subarray(start, start + length))
}

/** Repeats a part, up to the maximum length. Work that grows with the square of the input becomes visible. */
const repeatRange: Mutation = (input, { random, maxBytes }) => {
  const { start, length } = pickRange(input, random)
  if (length === 0) return input
  const part = input.subarray(start, start + length)
  const most = Math.max(1, Math.floor((maxBytes - input.length) / length))
  const count = random.below(64) === 0 ? most : random.below(Math.min(most, 2 ** random.below(8))) + 1
  return replace(input, start, 0, Buffer.alloc(count * length, part))
}

const insertToken: Mutation = (input, { random, tokens }) => {
  const token = random.pick(tokens)
  return replace(input, random.below(input.length + 1), random.below(2) === 0 ? 0 : token.length, token)
}

const isWordByte = (byte = 0): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f

/** Replaces a whole word, such as a name or a method. Texts stay valid more often than with changed bytes. */
const replaceWord: Mutation = (input, { random, tokens }) => {
  let start = random.below(input.length)
  let end = start
  while (start > 0 && isWordByte(input[start - 1])) start -= 1
  while (end < input.length && isWordByte(input[end])) end += 1
  return replace(input, start, end - start, random.pick(tokens))
}

const insertOther: Mutation = (input, { random, pickOther }) => {
  const other = pickOther()
  const { start, length } = pickRange(other, random)
  return replace(input, random.below(input.length + 1), random.below(2) * length, other.subarray(start, start + length))
}

/** Joins the beginning of the input and the end of another one. */
const splice: Mutation = (input, { random, pickOther }) => {
  const other = pickOther()
  return Buffer.concat([
    input.subarray(0, random.below(input.length + 1)),
    other.subarray(random.below(other.length + 1)),
  ])
}

const mutations: readonly Mutation[] = [
  flipBit,
  setByte,
  insertBytes,
  setNumber,
  setDigits,
  removeRange,
  copyRange,
  repeatRange,
  insertToken,
  insertToken,
  replaceWord,
  replaceWord,
  insertOther,
  splice,
]

/** Returns the input with one or several changes. */
export const mutate = (input: Buffer, source: MutationSource): Buffer => {
  const { random, maxBytes } = source
  let changed = input
  for (let count = 2 ** random.below(4); count > 0; count -= 1) {
    const mutation = random.pick(changed.length === 0 ? [insertBytes, insertToken, insertOther] : mutations)
    changed = mutation(changed, source).subarray(0, maxBytes)
  }
  return changed
}
