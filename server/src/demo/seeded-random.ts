/** Pseudo-random choices that are the same every time. */
export interface Random {
  /** Returns a number from 0 to less than 1. */
  roll(): number
  /** Returns a whole number from 0 to less than `below`. */
  below(below: number): number
  pick<T>(from: readonly T[]): T
  /** Returns lowercase hexadecimal digits. */
  hex(digits: number): string
  /** Returns decimal digits. The first is not 0. */
  digits(count: number): string
  /** Returns a text in the format of a random UUID (RFC 9562, version 4). */
  uuid(): string
}

/** mulberry32: 32 bits of state and about two multiplications per number, which is good enough for demo data. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(roll() * limit)
  const repeat = (count: number, createPart: () => string): string => {
    let text = ''
    for (let position = 0; position < count; position += 1) text += createPart()
    return text
  }
  const hex = (digits: number): string => repeat(digits, () => below(16).toString(16))
  return {
    roll,
    below,
    pick: (from) => {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new RangeError('there is nothing to pick from')
      return picked
    },
    hex,
    digits: (count) => `${1 + below(9)}${repeat(count - 1, () => String(below(10)))}`,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + below(4)).toString(16)}${hex(3)}-${hex(12)}`,
  }
}
