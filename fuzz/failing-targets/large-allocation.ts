import type { FuzzTarget } from '../engine/target.ts'

/** Allocates as much as a length field says. */
const readContent = (input: Buffer): unknown[] =>
  input.length < 4 ? [] : Array.from({ length: input.readUInt32BE(0) % 2 ** 28 }, (_, at) => ({ at }))

export const target: FuzzTarget = {
  name: 'large-allocation',
  files: /\/large-allocation\.ts$/,
  maxBytes: 64,
  maxCpuMs: 60_000,
  maxRssMb: 500,
  tokens: [],
  createSeeds: () => [Buffer.from([0, 0, 0, 1])],
  run: (input) => void readContent(input),
}
