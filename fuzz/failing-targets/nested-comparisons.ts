import { assertRule, type FuzzTarget } from '../engine/target.ts'

/** A rule that only one input in 2^32 breaks, unless the bytes before are found one after another. */
const isMagic = (input: Buffer): boolean => {
  if (input[0] !== 0x48) return false
  if (input[1] !== 0x45) return false
  if (input[2] !== 0x50) return false
  return input[3] === 0x33
}

export const target: FuzzTarget = {
  name: 'nested-comparisons',
  files: /\/nested-comparisons\.ts$/,
  maxBytes: 64,
  maxCpuMs: 1000,
  maxRssMb: 500,
  tokens: [],
  createSeeds: () => [Buffer.from('seed')],
  run: (input) => assertRule(!isMagic(input), () => 'the input is magic'),
}
