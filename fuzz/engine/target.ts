/** A parser that gets untrusted bytes, with the limits that it has to keep for each of them. */
export interface FuzzTarget {
  name: string
  /** Inputs that reach as much of the parser as possible. Mutations start from them. */
  createSeeds(): readonly Buffer[] | Promise<readonly Buffer[]>
  /** Texts with a meaning in the format. Mutations insert them. */
  tokens: readonly string[]
  /** Matches the URLs of the parser's files, of which the report says how much has run. All files guide the mutations. */
  files: RegExp
  /** Length of the longest input. */
  maxBytes: number
  /** CPU time that an input may take. Work that grows with the square of the input exceeds it, linear work does not. */
  maxCpuMs: number
  /** Memory of the target's process, buffers included. */
  maxRssMb: number
  /** Parses an input, and throws if the result breaks a rule, such as an error of an unexpected class. */
  run(input: Buffer): void | Promise<void>
}

/** Thrown for an input whose result breaks a rule of its target. */
export class BrokenRuleError extends Error {
  override readonly name = 'BrokenRuleError'
}

/**
 * @throws BrokenRuleError unless the condition is true
 * @param describe returns what is wrong, in a sentence
 */
export function assertRule(condition: boolean, describe: () => string): asserts condition {
  if (!condition) throw new BrokenRuleError(describe())
}

/** @throws BrokenRuleError unless the numbers of lines rise, and the text has the last one */
export const assertLineNumbers = (lines: readonly { line: number }[], text: string): void => {
  let previousLine = 0
  for (const { line } of lines) {
    assertRule(line > previousLine, () => `line ${line} follows line ${previousLine}`)
    previousLine = line
  }
  assertRule(previousLine <= text.split('\n').length, () => `line ${previousLine} is behind the end`)
}

/** Characters of a value in the message of a broken rule. */
const visibleCharacters = 300

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : typeof part === 'function' ? `function ${part.name}` : part,
  ) ?? String(value)

/** @throws BrokenRuleError if the values differ as JSON */
export const assertEqual = (actual: unknown, expected: unknown, what: string): void => {
  const [one, other] = [toJson(actual), toJson(expected)]
  if (one === other) return
  let at = 0
  while (one[at] === other[at]) at += 1
  const show = (text: string): string => text.slice(Math.max(0, at - visibleCharacters / 4), at + visibleCharacters)
  throw new BrokenRuleError(`${what} differ at character ${at}:\n  ${show(one)}\n  ${show(other)}`)
}
