/** The targets, with the limit of the heap of their process, which V8 has to know when it starts. */
export const targets = {
  hep: { maxHeapMb: 192 },
  sip: { maxHeapMb: 192 },
  'line-protocol': { maxHeapMb: 192 },
  otlp: { maxHeapMb: 192 },
  csv: { maxHeapMb: 192 },
  archive: { maxHeapMb: 256 },
  mp3: { maxHeapMb: 192 },
} as const

export type TargetName = keyof typeof targets

export const targetNames = Object.keys(targets) as TargetName[]

/** Returns the URL of the module that exports a target. */
export const getTargetModule = (name: TargetName): URL => new URL(`${name}.ts`, import.meta.url)
