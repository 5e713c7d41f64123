import type { FuzzTarget } from '../engine/target.ts'

/** Reads forever if a length is zero. */
const countRecords = (input: Buffer): number => {
  let records = 0
  for (let at = 0; at < input.length; at += input[at] ?? 1) records += 1
  return records
}

export const target: FuzzTarget = {
  name: 'endless-loop',
  files: /\/endless-loop\.ts$/,
  maxBytes: 64,
  maxCpuMs: 1000,
  maxRssMb: 500,
  tokens: ['\0'],
  createSeeds: () => [Buffer.from([1, 1, 2, 1])],
  run: (input) => void countRecords(input),
}
